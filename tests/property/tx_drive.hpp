// Runs random transactional programs under several schedules and judges what happened.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/simt/cta.hpp"
#include "bankshot/simt/engine.hpp"
#include "bankshot/timing/config.hpp"
#include "tests/property/tx_history.hpp"
#include "tests/property/tx_reference.hpp"

namespace bankshot::timing {
class Chip;
}

namespace bankshot::simt::tx {

/// How conflicts are found, and where words lie.
struct Organisation {
  scratchpad::TxConfig detection;
  scratchpad::Rules rules;
};
/// One of all: 4 to 32 bits, their hashes, one set or separate ones, exact, perfect; banks and their hashes.
Organisation random_organisation(std::mt19937_64& random);
std::string text(const Organisation& organisation);

/// Writes down what transactions do. Throws std::runtime_error when there are more attempts than any program needs.
class Recorder : public TransactionObserver {
 public:
  void start(const Program& program);
  void begins(const Warp& warp, uint64_t lanes) override;
  void accesses(const Warp& warp, scratchpad::AccessKind kind, unsigned width, const uint32_t* offsets, uint64_t lanes,
                bool done) override;
  void aborts(const Warp& warp, uint64_t lanes) override;
  void commits(const Warp& warp, uint64_t lanes) override;

  /// @param out  what the kernel left in its buffer
  /// @return the first thing that is wrong, or nothing
  std::string judge(const Program& program, const std::vector<uint32_t>& out) const;

 private:
  using Committed = std::pair<unsigned, std::vector<Access>>;

  template <class F>
  static void each(const Warp& warp, uint64_t lanes, F&& f);
  void tell(scratchpad::TxEvent::What what, unsigned thread) {
    history_.push_back({what, 0, static_cast<uint16_t>(thread), 0});
  }
  void tell(const Access& access, unsigned thread);
  std::string replay(const Program& program, const std::vector<uint32_t>& out) const;

  uint32_t zone_ = 0;
  uint64_t attempts_ = 0, most_attempts_ = 0;
  std::vector<scratchpad::TxEvent> history_;  ///< of the part of memory that is everybody's
  std::vector<Committed> committed_;          ///< in the order of commits
  std::vector<std::vector<Access>> running_;  ///< by thread: what its attempt did
  std::array<Access, 64> before_;             ///< by lane
};

/// One machine on which programs run, one after the other.
class Driver {
 public:
  /// @param machine  transactions and banks are those of each run, except on a chip
  explicit Driver(const Machine& machine);
  ~Driver();

  /// In turns, as the engine runs CTAs. @return what is wrong, or nothing
  std::string in_turns(const Program& program, const Organisation& organisation);
  /// A random warp that can executes the next instruction; with one chance in `change` it is another than the last one.
  std::string at_random(const Program& program, const Organisation& organisation, uint64_t seed, unsigned change);
  /// On a simulated GPU, with its own banks and the machine's transactions.
  std::string on_chip(const Program& program, const timing::Config& config);

  /// Of all runs that were not on a chip.
  const scratchpad::TxTotals& totals() const { return totals_; }

 private:
  template <class Run>
  std::string run(const Program& program, Run&& run);
  template <class Run>
  std::string on_slot(const Program& program, const Organisation& organisation, Run&& run);

  Recorder recorder_;
  scratchpad::TxTotals totals_;
  Engine engine_;
  CtaSlot slot_;
  std::unique_ptr<timing::Chip> chip_;
  uint64_t input_ = 0, out_ = 0;
};

}  // namespace bankshot::simt::tx

// Runs random transactional programs under several schedules and judges what happened.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/simt/run/cta.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "bankshot/timing/base/config.hpp"
#include "tests/property/tx_recorder.hpp"

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

/// One machine on which programs run, one after the other.
class Driver {
 public:
  /// @param machine  transactions and banks are those of each run, except on a chip
  explicit Driver(const Machine& machine);
  ~Driver();

  /// In turns, as the engine runs CTAs that see each other. @return what is wrong, or nothing
  std::string in_turns(const Program& program, const Organisation& organisation);
  /// A random warp that can executes the next instruction; with one chance in `change` it is another than the last one.
  std::string at_random(const Program& program, const Organisation& organisation, uint64_t seed, unsigned change);
  /// Both, each with an organisation and a schedule of chance. @return what is wrong, and with which; or nothing
  std::string in_both_ways(const Program& program, std::mt19937_64& random);
  /// As the engine runs launches, on the machine as it is, as are chips.
  std::string as_usual(const Program& program);
  /// On a simulated GPU, with its own banks and the machine's transactions.
  std::string on_chip(const Program& program, const timing::Config& config);

  /// Of all runs on slots, and of those on a chip.
  const scratchpad::TxTotals& totals() const { return totals_; }
  const scratchpad::TxTotals& on_chips() const { return on_chips_; }

 private:
  template <class Run>
  std::string run(const Program& program, Run&& run);
  template <class Run>
  std::string on_slots(const Program& program, const Organisation& organisation, Run&& run);

  Recorder recorder_;
  scratchpad::TxTotals totals_, on_chips_;
  Engine engine_;
  std::deque<CtaSlot> slots_;
  std::unique_ptr<timing::Chip> chip_;
  uint64_t input_ = 0, out_ = 0, words_ = 0;
};

}  // namespace bankshot::simt::tx

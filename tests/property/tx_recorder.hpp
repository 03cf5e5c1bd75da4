// Writes down what the transactions of random programs do, and judges it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/simt/state/worker.hpp"
#include "tests/property/tx_history.hpp"
#include "tests/property/tx_reference.hpp"

namespace bankshot::simt::tx {

/// For one host thread. Throws std::runtime_error when there are more attempts than any program needs, or one while
/// another warp runs alone.
class Recorder : public TransactionObserver {
 public:
  /// @param words  where the words of global memory are
  void start(const Program& program, uint64_t words);
  void begins(const Warp& warp, uint64_t lanes) override;
  void accesses(const Warp& warp, scratchpad::AccessKind kind, unsigned width, const uint32_t* offsets, uint64_t lanes,
                bool done) override;
  void accesses_global(const Warp& warp, scratchpad::AccessKind kind, unsigned width, unsigned lane, uint64_t address,
                       bool done) override;
  void aborts(const Warp& warp, uint64_t lanes) override;
  void commits(const Warp& warp, uint64_t lanes) override;

  /// @param out     what the kernel left in its buffer
  /// @param global  … in global memory
  /// @return the first thing that is wrong, or nothing
  std::string judge(const Program& program, const std::vector<uint32_t>& out, const std::vector<uint8_t>& global) const;

 private:
  struct Committed {
    unsigned cta, thread;
    std::vector<Access> accesses;
  };
  struct OfCta {
    uint64_t attempts = 0;
    std::vector<std::vector<Access>> running;  ///< by thread: what its attempt did
  };

  OfCta& of(const Warp& warp) { return ctas_.at(warp.cta->linear); }
  void tell(scratchpad::TxEvent::What what, const Warp& warp, unsigned thread);
  void tell(const Access& access, const Warp& warp, unsigned thread);
  void begins_access(Access& access, const std::byte* at) const;
  void ends_access(Access& access, const std::byte* at, const Warp& warp, unsigned thread);
  std::string replay(const Program& program, const std::vector<uint32_t>& out,
                     const std::vector<uint8_t>& global) const;

  uint32_t zone_ = 0, global_zone_ = 0, threads_ = 0;
  uint64_t words_ = 0;
  uint64_t most_attempts_ = 0;
  std::vector<OfCta> ctas_;
  /// Of the parts of memory that are everybody's: those of CTA 0, CTA 1 …, and of global memory.
  std::vector<scratchpad::TxEvent> history_;
  std::vector<Committed> committed_;  ///< in the order of commits
  std::array<Access, 64> before_;     ///< by lane
};

}  // namespace bankshot::simt::tx

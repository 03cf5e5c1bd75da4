// Writes down what the transactions of random programs do, and judges it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/simt/warp.hpp"
#include "tests/property/tx_history.hpp"
#include "tests/property/tx_reference.hpp"

namespace bankshot::simt::tx {

/// Throws std::runtime_error when there are more attempts than any program needs, or one while another warp runs alone.
class Recorder : public TransactionObserver {
 public:
  void start(const Program& program, unsigned ctas);
  void begins(const Warp& warp, uint64_t lanes) override;
  void accesses(const Warp& warp, scratchpad::AccessKind kind, unsigned width, const uint32_t* offsets, uint64_t lanes,
                bool done) override;
  void aborts(const Warp& warp, uint64_t lanes) override;
  void commits(const Warp& warp, uint64_t lanes) override;

  /// @param out  what the kernel left in its buffer
  /// @return the first thing that is wrong, or nothing
  std::string judge(const Program& program, const std::vector<uint32_t>& out) const;

 private:
  struct Committed {
    unsigned thread;
    std::vector<Access> accesses;
  };
  struct OfCta {
    uint64_t attempts = 0;
    std::vector<scratchpad::TxEvent> history;  ///< of the part of memory that is everybody's
    std::vector<Committed> committed;          ///< in the order of commits
    std::vector<std::vector<Access>> running;  ///< by thread: what its attempt did
    void tell(scratchpad::TxEvent::What what, unsigned thread);
    void tell(const Access& access, unsigned thread);
  };

  OfCta& of(const Warp& warp) { return ctas_.at(warp.cta->linear); }
  static std::string replay(const Program& program, const OfCta& cta, const uint32_t* out);

  uint32_t zone_ = 0;
  uint64_t most_attempts_ = 0;
  std::vector<OfCta> ctas_;
  std::array<Access, 64> before_;  ///< by lane
};

}  // namespace bankshot::simt::tx

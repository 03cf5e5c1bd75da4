// How long warps are in transactions, and whose commits are under way.
#pragma once

#include <array>
#include <cstdint>

#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/base/counters.hpp"

namespace bankshot::timing {

/// Of the warp slots of an SM. A commit that reaches global memory is sent, takes effect at the end of a quantum, and
/// is answered later: the warp waits for both.
class TransactionTimes {
 public:
  explicit TransactionTimes(Counters& counters) : counters_(counters) { since_.fill(kNever), again_.fill(kNever); }

  /// A warp starts in a slot, outside of transactions.
  void start(unsigned slot) { since_[slot] = again_[slot] = kNever; }
  /// Its warp executes in a transaction. @param again  in an attempt that is not the first
  void runs(unsigned slot, Cycle now, bool again) {
    if (since_[slot] == kNever) since_[slot] = now;
    if (again && again_[slot] == kNever) again_[slot] = now;
  }
  /// The transaction has ended, or the launch has: its cycles are counted. Nothing happens if there was none.
  void ended(unsigned slot, Cycle on) {
    count(counters_.tx_warp_cycles, since_[slot], on);
    count(counters_.tx_retry_cycles, again_[slot], on);
  }
  bool is_in(unsigned slot) const { return since_[slot] != kNever; }

  void commit_sent(unsigned slot) {
    commits_ |= uint64_t{1} << slot;
    unanswered_ |= uint64_t{1} << slot;
  }
  /// The commit has taken effect.
  void committed(unsigned slot) { commits_ &= ~(uint64_t{1} << slot); }
  bool commits(unsigned slot) const { return (commits_ >> slot & 1) != 0; }
  /// Whether not all of its packets are known to be answered; answered() says that they are.
  bool is_unanswered(unsigned slot) const { return (unanswered_ >> slot & 1) != 0; }
  void answered(unsigned slot) { unanswered_ &= ~(uint64_t{1} << slot); }

 private:
  static void count(uint64_t& counter, Cycle& since, Cycle on) {
    if (since < on) counter += on - since;
    since = kNever;
  }
  Counters& counters_;
  std::array<Cycle, 64> since_, again_;  ///< in a transaction, in a further attempt; kNever: not so
  uint64_t commits_ = 0, unanswered_ = 0;
};

}  // namespace bankshot::timing

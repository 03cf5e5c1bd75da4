// What transactions cost a warp beside its accesses, and when others make it wait. Source: GPU-LocalTM, sections 3.1 and 4.2.
#include <algorithm>

#include "bankshot/simt/transaction.hpp"
#include "bankshot/timing/sm.hpp"

namespace bankshot::timing {

/// An instruction was executed by a warp that is or was in a transaction, or would begin one.
void Sm::charge_transaction(const Issue& issue) {
  const unsigned slot = issue.slot;
  const simt::Warp& warp = *issue.warp;
  const Cycle cycles = worker_->tx_charge.mask_cycles, on = issue.now + issue_cycles_ + cycles;
  counters_.tx_mask_cycles += cycles;
  Cycle& since = in_transaction_since_[slot];
  if (warp.tx.path >= 0) {
    since = std::min(since, issue.now);
  } else if (since != kNever) {
    counters_.tx_warp_cycles += on - since;
    since = kNever;
  }
  if (cycles != 0 && wake_[slot] < on) {
    wake_[slot] = earliest_[slot] = on;
    cause_[slot] = Cause::transaction;
  }
  if (warp.cta->alone == &warp && !issue.alone) displace_others(slot, issue.now);
  if (issue.alone && warp.cta->alone == nullptr) wake_cta(slot, on, Cause::transaction);
}

/// A warp runs alone from now on: others that were in a transaction are not where they were.
void Sm::displace_others(unsigned slot, Cycle now) {
  const unsigned first = slot / launch_.warps_per_cta * launch_.warps_per_cta;
  for (unsigned k = first; k < first + launch_.warps_per_cta; ++k) {
    if (!warp_[k]->displaced) continue;
    warp_[k]->displaced = false;
    waits_for_port_ &= ~(uint64_t{1} << k);
    held_back_ &= ~(uint64_t{1} << k);
    next_[k] = simt::next_of(*warp_[k]);
    block(k, kNever, Cause::transaction);
    if (next_[k] != nullptr) wake(k, now + 1);
  }
}

}  // namespace bankshot::timing

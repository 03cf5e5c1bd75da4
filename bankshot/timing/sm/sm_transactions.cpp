// What transactions cost a warp beside its accesses, and when others make it wait. Source: GPU-LocalTM, sections 3.1
// and 4.2.
#include <algorithm>

#include "bankshot/simt/transactions/transaction.hpp"
#include "bankshot/timing/sm/sm.hpp"

namespace bankshot::timing {

/// An instruction was executed by a warp that is or was in a transaction.
void Sm::charge_transaction(const Issue& issue) {
  const unsigned slot = issue.slot;
  const simt::Warp& warp = *issue.warp;
  const Cycle cycles = worker_->tx_charge.mask_cycles, on = issue.now + issue_cycles_ + cycles;
  counters_.tx_mask_cycles += cycles;
  if (warp.tx.path >= 0) {
    transactions_.runs(slot, issue.now, warp.tx.attempts > 1);
  } else {
    transactions_.ended(slot, on);
  }
  if (cycles != 0 && wake_[slot] < on) {
    wake_[slot] = earliest_[slot] = on;
    cause_[slot] = Cause::transaction;
  }
  if (warp.cta->alone == &warp && !issue.alone) displace_others(slot, issue.now);
  if (issue.alone && warp.cta->alone == nullptr) wake_cta(slot, on, Cause::transaction);
}

/// All words that its lanes have read or would write go to memory at once, as an atomic does: there it turns out
/// whether they may commit. It takes effect at the end of the quantum; the warp goes on when the last partition has
/// answered.
void Sm::send_commit(const Issue& issue) {
  const unsigned slot = issue.slot;
  transactions_.commit_sent(slot);
  pending_.push_back({issue.now, slot, {issue.warp, nullptr, 0, nullptr, 0}});
  ++deferred_[slot];
  const std::vector<uint64_t> words = simt::global_words(*issue.warp);
  for (size_t first = 0; first < words.size(); first += scratchpad::kMaxLanes) {
    const size_t count = std::min<size_t>(scratchpad::kMaxLanes, words.size() - first);
    for (size_t k = 0; k < count; ++k) physical_[k] = physical(words[first + k]);
    const uint64_t lanes = ~uint64_t{0} >> (64 - count);
    coalesce(physical_.data(), lanes, 4, config_.l1.line_bytes, config_.l1.sector_bytes, true, requests_);
    ++stores_[slot];
    port_.enter(issue.now, {Packet::Kind::atomic, slot, generation_[slot], issue.index, false, true}, requests_);
  }
}

/// The commit has taken effect, or was given up for a warp that runs alone. @param on  when the warp goes on
void Sm::committed(unsigned slot, Cycle on) {
  transactions_.committed(slot);
  simt::Warp& warp = *warp_[slot];
  if (warp.tx.path < 0) transactions_.ended(slot, on);
  warp.displaced = false;
  if (next_[slot] == nullptr) {
    next_[slot] = next_of(slot, on);
    earliest_[slot] = on;
  }
  if (next_[slot] != nullptr) wake(slot, on);
  if (warp.cta->alone == nullptr) wake_cta(slot, on, Cause::transaction);
}

/// What the warp was about to execute is not next any more.
void Sm::is_displaced(unsigned slot, Cycle now) {
  warp_[slot]->displaced = false;
  waits_for_port_ &= ~(uint64_t{1} << slot);
  held_back_ &= ~(uint64_t{1} << slot);
  leave_unit(slot);
  next_[slot] = next_of(slot, now);
  block(slot, kNever, Cause::transaction);
  if (next_[slot] != nullptr) wake(slot, now);
}

/// A warp runs alone from now on: others that were in a transaction are not where they were.
void Sm::displace_others(unsigned slot, Cycle now) {
  const unsigned first = slot / launch_.warps_per_cta * launch_.warps_per_cta;
  for (unsigned k = first; k < first + launch_.warps_per_cta; ++k) {
    if (warp_[k]->displaced) is_displaced(k, now + 1);
  }
}

}  // namespace bankshot::timing

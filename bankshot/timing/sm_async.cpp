// Asynchronous copies to shared memory on the SM.
#include <algorithm>

#include "bankshot/simt/mbarrier.hpp"
#include "bankshot/timing/sm.hpp"

namespace bankshot::timing {

/// Whether an access to global memory may enter; else the warp waits.
bool Sm::port_accepts(unsigned slot) {
  if (!port_.is_full()) return true;
  waits_for_port_ |= uint64_t{1} << slot;
  return block(slot, kNever, Cause::memory_busy);
}

/// What lanes of cp.async write goes to the banks as a store does, at once: when the data comes they are taken to be free.
void Sm::charge_copy(Issue& issue, const scratchpad::Cost& cost) {
  ++counters_.shared_accesses;
  const std::span<unsigned> parts(degrees_.data(), staged_ ? issue_cycles_ : 1);
  std::fill(parts.begin(), parts.end(), 0u);
  parts[0] = cost.wavefronts;
  const Issued as_issued = issued(issue.now, issue.slot, issue.index);
  const Passage passage =
      pipeline_->shared(as_issued, parts, config_.scratchpad.latency + config_.scratchpad.hash_cycles);
  issue.conflict = cost.wavefronts > cost.ideal;
  served(as_issued, passage, cost.wavefronts, cost.ideal, 0);
  copies_[issue.slot].issue(issue.index);
}

/// Lines of global memory, past the first-level cache; the barrier learns of the bytes when the last one is there. The rows of banks
/// that they fill are counted, and are taken to be free.
void Sm::send_bulks(const Issue& issue) {
  const unsigned slot = issue.slot, line = config_.l1.line_bytes;
  for (const simt::BulkArrival& bulk : worker_->bulk) {
    const uint64_t begin = physical(bulk.from), end = begin + bulk.bytes;
    unsigned accesses = 0;
    for (uint64_t at = begin / line * line; at < end; ++accesses) {
      requests_.count = 0;
      for (; at < end && requests_.count < scratchpad::kMaxLanes; at += line) {
        const unsigned sectors = line / config_.l1.sector_bytes;
        uint8_t wanted = 0;
        for (unsigned s = 0; s < sectors; ++s) {
          const uint64_t first = at + uint64_t{s} * config_.l1.sector_bytes;
          if (first < end && first + config_.l1.sector_bytes > begin) wanted = static_cast<uint8_t>(wanted | 1u << s);
        }
        requests_.request[requests_.count++] = {at, wanted, wanted, 1};
      }
      ++loads_[slot];
      port_.enter(issue.now, {Packet::Kind::load, slot, generation_[slot], issue.index, false, true}, requests_);
    }
    copies_[slot].issue_bulk(issue.index, {bulk.barrier, bulk.bytes}, accesses);
    const unsigned row = config_.rules.banks * config_.rules.bank_bytes, rows = (bulk.bytes + row - 1) / row;
    counters_.shared_wavefronts += rows;
    counters_.shared_ideal += rows;
    counters_.shared_busy_cycles += rows;
  }
  worker_->bulk.clear();
}

/// An access of a copy is there.
void Sm::copied(unsigned slot, uint32_t instr, Cycle now) {
  if (launch_.operations->of[instr].kind == Kind::copy) return copies_[slot].complete(instr);
  AsyncCopies::Arrival arrival;
  if (!copies_[slot].complete_bulk(instr, arrival)) return;
  simt::Warp& warp = *warp_[slot];
  if (!warp.cta->faulted && !simt::complete_bytes_at(warp, code_ + instr, arrival.barrier, arrival.bytes, 0))
    set_fault(now);
}

}  // namespace bankshot::timing

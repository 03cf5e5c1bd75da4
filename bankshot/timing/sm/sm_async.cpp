// Asynchronous copies between global and shared memory on the SM.
#include <algorithm>

#include "bankshot/simt/async/mbarrier.hpp"
#include "bankshot/timing/sm/sm.hpp"

namespace bankshot::timing {

/// Sends what bulk copies of an instruction read or write of global memory. The rows of banks that they fill or empty
/// are counted, and are taken to be free.
void Sm::send_bulks(unsigned slot, uint32_t instr, Cycle now) {
  const Kind kind = operation_of(instr).kind;
  const bool stores = kind != Kind::bulk;
  const auto packets = !stores                     ? Packet::Kind::load
                       : kind == Kind::bulk_reduce ? Packet::Kind::atomic
                                                   : Packet::Kind::store;
  for (simt::BulkArrival& bulk : worker_->bulk) {
    const unsigned accesses = send_bulk(bulk, {packets, slot, generation_[slot], instr, false, true, stores}, now);
    const unsigned row = config_.rules.banks * config_.rules.bank_bytes, rows = (bulk.bytes + row - 1) / row;
    counters_.shared_wavefronts += rows;
    counters_.shared_ideal += rows;
    counters_.shared_busy_cycles += rows;
    if (stores) {
      if (accesses != 0) bulk_stores_[slot].issue(instr, bulk.lane, accesses);
      continue;
    }
    scoreboard_.expect(slot, accesses);
    AsyncCopies::Arrival arrival{std::move(bulk.barriers), bulk.bytes};
    if (accesses != 0) {
      copies_[slot].issue_bulk(instr, arrival, accesses);
    } else {
      tell(slot, instr, std::move(arrival), now);  // a box outside of its tensor
    }
  }
  worker_->bulk.clear();
}

/// Lines of global memory, past the first-level cache. @return into how many accesses they were divided
unsigned Sm::send_bulk(const simt::BulkArrival& bulk, MemoryPort::Access access, Cycle now) {
  unsigned accesses = 0;
  const auto send = [&] {
    if (requests_.count == 0) return;
    ++accesses;
    port_.enter(now, access, requests_);
    requests_.count = 0;
  };
  requests_.count = 0;
  for (size_t k = 0; k < bulk.parts.size();) {
    simt::BulkArrival::Part range = bulk.parts[k++];
    // What lies side by side is one range: a sector of two of them is written whole.
    for (; k < bulk.parts.size() && bulk.parts[k].from == range.from + range.bytes; ++k)
      range.bytes += bulk.parts[k].bytes;
    if (range.bytes != 0) add_lines(physical(range.from), range.bytes, send);
  }
  send();
  return accesses;
}

/// Adds the lines of a range to the requests; those of a row of a tensor may end in the line in which the next begins.
template <class Send>
void Sm::add_lines(uint64_t begin, uint32_t bytes, Send send) {
  const unsigned line = config_.l1.line_bytes, sector = config_.l1.sector_bytes;
  const uint64_t end = begin + bytes;
  for (uint64_t at = begin / line * line; at < end; at += line) {
    unsigned wanted = 0, full = 0;
    for (unsigned s = 0; s < line / sector; ++s) {
      const uint64_t first = at + uint64_t{s} * sector;
      if (first < end && first + sector > begin) wanted |= 1u << s;
      if (first >= begin && first + sector <= end) full |= 1u << s;
    }
    if (requests_.count != 0 && requests_.request[requests_.count - 1].line == at) {
      scratchpad::LineRequest& last = requests_.request[requests_.count - 1];
      last.sectors = static_cast<uint8_t>(last.sectors | wanted);
      last.full = static_cast<uint8_t>(last.full | full);
      continue;
    }
    if (requests_.count == scratchpad::kMaxLanes) send();
    requests_.request[requests_.count++] = {at, static_cast<uint8_t>(wanted), static_cast<uint8_t>(full), 1};
  }
}

/// A product of a warpgroup, of which this is the last warp to come: the tensor cores of the four warps take it
/// together. The banks serve its operands at the same time; other accesses do not wait for them.
void Sm::multiply(const Issue& issue, const scratchpad::Cost& operands) {
  const unsigned first = issue.slot - issue.warp->index % 4;
  std::array<ExecutionUnits::Choice, 4> cores;
  Cycle begin = issue.now;
  for (unsigned k = 0; k < cores.size(); ++k) {
    cores[k] = units_.choose(*issue.operation, scheduler_of(first + k));
    begin = std::max(begin, cores[k].free());
  }
  Cycle end = begin;
  for (ExecutionUnits::Choice& core : cores) {
    core.work = std::max(core.work, std::max(operands.wavefronts, config_.warpgroup.least_cycles) * core.lanes);
    core.take(begin);
    end = std::max(end, core.end());
  }
  for (unsigned slot = first; slot < first + cores.size(); ++slot) {
    products_[slot].issue(end + config_.warpgroup.latency);
    if (timeline_.wants(begin))
      timeline_.add(slot, issue.index, Track::unit, static_cast<unsigned>(cores[0].unit), begin, end, 0);
  }
  // No layout has conflicts. Those that a bank hash would cause only take their time.
  counters_.shared_wavefronts += operands.wavefronts;
  counters_.shared_ideal += operands.wavefronts;
  counters_.shared_busy_cycles += operands.wavefronts;
}

/// A group is closed when what was asked for before has taken effect; who waits for groups waits for those of each
/// lane.
bool Sm::group_may_leave(const Issue& issue) {
  const unsigned slot = issue.slot;
  if (deferred_[slot] != 0) return block(slot, kNever, Cause::ordering);
  const Kind kind = issue.operation->kind;
  if (kind == Kind::bulk_commit) return true;
  const uint64_t lanes = simt::executing_lanes(*issue.warp, issue.instr), most = issue.instr->imm;
  const BulkStores& stores = bulk_stores_[slot];
  if (kind == Kind::bulk_wait) return stores.are_written(lanes, most) || block(slot, kNever, Cause::memory);
  const Cycle by = stores.read_by(lanes, most);
  return by <= issue.now || block(slot, by, Cause::memory);
}

/// An access of a bulk copy to global memory has left the SM, or is acknowledged.
void Sm::stored(const MemoryPort::Completion& done, Cycle now) {
  BulkStores& stores = bulk_stores_[done.warp];
  if (done.has_left) {
    stores.has_left(done.instr, done.ready);
  } else {
    stores.written(done.instr);
  }
  if ((resident_ >> done.warp & 1) != 0 && next_[done.warp] != nullptr) wake(done.warp, now);
}

/// An access of a copy is there.
void Sm::copied(unsigned slot, uint32_t instr, Cycle now) {
  if (operation_of(instr).kind == Kind::copy) return copies_[slot].complete(instr);
  AsyncCopies::Arrival arrival;
  if (copies_[slot].complete_bulk(instr, arrival)) tell(slot, instr, std::move(arrival), now);
}

bool Sm::arrive(const AsyncCopies::Arrival& arrival, simt::Warp& warp, const simt::Instr* instr, uint64_t barrier) {
  return arrival.of_products ? simt::products_arrive_at(warp, instr, barrier, 0)
                             : simt::complete_bytes_at(warp, instr, barrier, arrival.bytes, 0);
}

/// Barriers learn of data that is there: the CTA's own at once, others' at the end of the quantum.
void Sm::tell(unsigned slot, uint32_t instr, AsyncCopies::Arrival arrival, Cycle now) {
  simt::Warp& warp = *warp_[slot];
  const auto others = std::partition(arrival.barriers.begin(), arrival.barriers.end(), [&](uint64_t barrier) {
    return !arrival.of_pair && !simt::is_elsewhere(*warp.cta, barrier);
  });
  for (auto barrier = arrival.barriers.begin(); barrier != others; ++barrier) {
    if (!warp.cta->faulted && !arrive(arrival, warp, code_ + instr, *barrier)) set_fault(now);
  }
  arrival.barriers.erase(arrival.barriers.begin(), others);
  if (arrival.barriers.empty()) return;
  ++deferred_[slot];
  pending_.push_back({now, slot, {&warp, code_ + instr, 0, nullptr, 0}, std::move(arrival)});
}

}  // namespace bankshot::timing

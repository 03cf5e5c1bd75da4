// The scratchpad of an SM: what an access needs of the banks, and what it costs.
#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include "bankshot/timing/sm/sm.hpp"

namespace bankshot::timing {

/// What the access that was just executed needs of the banks: it was counted then.
scratchpad::Cost Sm::counted_since(const Issue& issue, const scratchpad::SiteTotals& before) const {
  const scratchpad::SiteCounter& site = worker_->sites[issue.instr->aux];
  return {static_cast<uint32_t>(site.wavefronts - before.wavefronts), static_cast<uint32_t>(site.ideal - before.ideal),
          static_cast<uint32_t>(site.position - before.position)};
}

/// … that is executed later, because it goes to global memory with other lanes.
scratchpad::Cost Sm::shared_cost(const Issue& issue) const {
  return scratchpad::cost(config_.rules, access_kind(issue), issue.operation->width, shared_offsets().data(),
                          addresses_.shared);
}

scratchpad::AccessKind Sm::access_kind(const Issue& issue) {
  return issue.operation->kind == Kind::atomic  ? scratchpad::AccessKind::atomic
         : issue.operation->kind == Kind::store ? scratchpad::AccessKind::store
                                                : scratchpad::AccessKind::load;
}

std::array<uint32_t, scratchpad::kMaxLanes> Sm::shared_offsets() const {
  std::array<uint32_t, scratchpad::kMaxLanes> offsets{};
  for (uint64_t rest = addresses_.shared; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    offsets[lane] = static_cast<uint32_t>(addresses_.address[lane]);
  }
  return offsets;
}

/// The scratchpad. A deferred atomic is served as at native banks, whatever the unit of atomics.
void Sm::charge_shared(Issue& issue, const scratchpad::Cost& cost) {
  const Operation& operation = *issue.operation;
  AtomicsUnit::Charge charge{cost.wavefronts, false};
  if (!issue.deferred) issue.why = Cause::scratchpad;
  if (operation.kind == Kind::atomic && !issue.deferred && !issue.transactional) {
    const unsigned update = config_.units[static_cast<unsigned>(operation.unit)].latency;
    charge = atomics_->charge({issue.now, issue.slot, issue.index, operation.form, update, cost, operation.width,
                               addresses_.shared, addresses_.address.data(), shared_base(issue.slot)},
                              banks_);
    issue.why = Cause::atomic;
  }
  ++counters_.shared_accesses;
  count_banks(issue);
  if (charge.keeps) {
    issue.kept = true;
    kept_ |= uint64_t{1} << issue.slot;
    issue.ready = kNever;
    atomics_due_ = atomics_->next_event();
    return;
  }
  const unsigned latency = config_.scratchpad.latency + config_.scratchpad.hash_cycles;
  const Issued as_issued = issued(issue.now, issue.slot, issue.index);
  const std::span<unsigned> parts = degrees(issue, cost, charge.passes);
  const unsigned extra = worker_->tx_charge.access_cycles;
  // Behind the last pass: of the last sub-warp that has any.
  *std::find_if(parts.rbegin(), parts.rend() - 1, [](unsigned degree) { return degree != 0; }) += extra;
  counters_.tx_access_cycles += extra;
  const Passage passage = pipeline_->shared(as_issued, parts, latency);
  issue.conflict = charge.passes > cost.ideal;
  if (foresight_) foresee(issue, parts, passage.end);
  issue.ready = std::max(issue.ready, served(as_issued, passage, charge.passes, cost.ideal, extra).ready);
}

/// For how long each sub-warp needs the banks.
std::span<unsigned> Sm::degrees(const Issue& issue, const scratchpad::Cost& cost, unsigned passes) {
  if (!staged_) {
    degrees_[0] = passes;
    return {degrees_.data(), 1};
  }
  if ((issue.instr->flags & simt::InstrFlag::kMatrix) != 0) {  // its accesses are not those of sub-warps
    const std::span<unsigned> all(degrees_.data(), issue_cycles_);
    std::fill(all.begin(), all.end(), 0u);
    all[0] = passes;
    return all;
  }
  const unsigned lanes = config_.issue.simd_lanes;
  const std::span<unsigned> parts(degrees_.data(), issue_cycles_);
  if (passes == cost.ideal && issue.operation->width <= 4 &&
      scratchpad::neighbours_together(config_.rules, access_kind(issue), 4) == lanes) {  // no conflict
    const uint64_t of_one = ~uint64_t{0} >> (64 - lanes);
    for (unsigned k = 0; k < parts.size(); ++k) parts[k] = (addresses_.shared >> (k * lanes) & of_one) != 0 ? 1 : 0;
    return parts;
  }
  // A unit of atomics may not charge for lanes on one word.
  const auto kind = issue.transactional         ? scratchpad::AccessKind::atomic
                    : passes == cost.wavefronts ? access_kind(issue)
                                                : scratchpad::AccessKind::load;
  scratchpad::sub_warp_degrees(config_.rules, kind, issue.operation->width, shared_offsets().data(), addresses_.shared,
                               lanes, parts);
  assert(std::accumulate(parts.begin(), parts.end(), 0u) == passes && "units charge one or the other");
  return parts;
}

/// The banks serve an access, or a pass of an atomic's loop. @param extra  cycles behind its passes that are no
/// conflict
Passage Sm::served(const Issued& issued, const Passage& passage, unsigned passes, unsigned ideal, unsigned extra) {
  counters_.shared_wavefronts += passes;
  counters_.shared_ideal += std::min(ideal, passes);
  counters_.shared_busy_cycles += passes + extra;
  // What a conflict delays are results, and those come the scratchpad's latency behind the banks; in stages it is those
  // behind it in the same cycle.
  const Cycle late = staged_ ? 0 : config_.scratchpad.latency + config_.scratchpad.hash_cycles - 1;
  if (passes > ideal) {
    // Without conflicts a sub-warp has the banks for a cycle; further phases of wide accesses are taken to come first.
    Cycle phases = ideal, behind = pipeline_->services().size();
    for (const Pipeline::Service& part : pipeline_->services()) {
      --behind;
      const Cycle alone = std::min(part.end - part.begin, phases - std::min(phases, behind));
      phases -= alone;
      const Cycle conflict_end = part.end - (behind == 0 ? extra : 0);
      exposure_.conflict(issued.now, part.begin + std::min(alone, conflict_end - part.begin) + late,
                         conflict_end + late, issued.instr);
    }
  }
  busy_until_ = std::max(busy_until_, passage.end);
  if (issued.now < launch_.timeline_end) {
    span(issued.slot, issued.instr, Track::scratchpad, 0, passage.begin, passage.end, passes);
  }
  return passage;
}

void Sm::count_banks(const Issue& issue) {
  const unsigned shift = static_cast<unsigned>(std::countr_zero(config_.rules.bank_bytes));
  const unsigned words = std::max(1u, unsigned{issue.operation->width} >> shift);
  for (uint64_t rest = addresses_.shared; rest != 0; rest &= rest - 1) {
    const uint64_t word = addresses_.address[static_cast<size_t>(std::countr_zero(rest))] >> shift;
    for (unsigned k = 0; k < words; ++k) {
      const uint64_t bank =
          bank_of_.empty() ? (word + k) & (config_.rules.banks - 1) : bank_of_[(word + k) & (bank_of_.size() - 1)];
      ++counters_.bank_lanes[bank];
    }
  }
}

}  // namespace bankshot::timing

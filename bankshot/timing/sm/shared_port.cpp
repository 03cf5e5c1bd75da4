#include "bankshot/timing/sm/shared_port.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

namespace bankshot::timing {

SharedPort::SharedPort(const Config& config, Pipeline& pipeline, ConflictGuard& guard, SlotAccounting& accounting,
                       TimelineRecorder& timeline, Counters& counters)
    : config_(config),
      pipeline_(pipeline),
      guard_(guard),
      accounting_(accounting),
      timeline_(timeline),
      counters_(counters),
      atomics_(AtomicsRegistry::find(config.scratchpad.atomics)->make(config)),
      staged_(pipeline.staged()),
      sub_warps_(sub_warps(config)),
      latency_(config.scratchpad.latency + config.scratchpad.hash_cycles) {}

void SharedPort::begin_launch() {
  atomics_->clear();
  due_ = kNever;
  busy_until_ = 0;
  std::erase_if(banks_of_, [&](const auto& of) { return of.first != &config_.rules; });  // others may go with a module
  latest_ = nullptr;
}

SharedPort::Outcome SharedPort::access(const Access& access) {
  const Operation& operation = *access.operation;
  const Issued& issued = access.issued;
  AtomicsUnit::Charge charge{access.cost.wavefronts, false};
  ++counters_.shared_accesses;
  count_banks(access);
  if (access.by_atomics_unit) {
    generation_[issued.slot] = issued.generation;
    const unsigned update = config_.units[static_cast<unsigned>(operation.unit)].latency;
    charge = atomics_->charge({issued.now, issued.slot, issued.instr, operation.form, update, access.cost, access.rules,
                               operation.width, access.lanes, access.offsets, access.base},
                              *this);
  }
  if (charge.keeps) {
    due_ = atomics_->next_event();
    return {kNever, true, false};
  }
  const std::span<unsigned> parts = degrees(access, charge.passes);
  // Behind the last pass: of the last sub-warp that has any.
  *std::find_if(parts.rbegin(), parts.rend() - 1, [](unsigned degree) { return degree != 0; }) += access.extra;
  counters_.tx_access_cycles += access.extra;
  const Passage passage = pipeline_.shared(issued, parts, latency_);
  guard_.accessed(issued.now, issued.slot, issued.instr, parts, passage.end);
  served(issued, passage, charge.passes, access.cost.ideal, access.extra);
  return {passage.ready, false, charge.passes > access.cost.ideal, charge.passes};
}

/// The data comes later; the banks are taken to be free then, and are charged at once.
SharedPort::Outcome SharedPort::copy(const Issued& issued, const scratchpad::Cost& cost) {
  ++counters_.shared_accesses;
  const std::span<unsigned> parts(degrees_.data(), staged_ ? sub_warps_ : 1);
  std::fill(parts.begin(), parts.end(), 0u);
  parts[0] = cost.wavefronts;
  const Passage passage = pipeline_.shared(issued, parts, latency_);
  served(issued, passage, cost.wavefronts, cost.ideal, 0);
  return {passage.ready, false, cost.wavefronts > cost.ideal, cost.wavefronts};
}

void SharedPort::advance(Cycle now) {
  atomics_->advance(now, *this);
  due_ = atomics_->next_event();
}

Passage SharedPort::serve(Cycle now, unsigned slot, uint32_t instr, unsigned passes, unsigned ideal) {
  const Issued issued{now, instr, static_cast<uint8_t>(slot), generation_[slot]};
  const Passage passage = pipeline_.again(issued, passes);
  served(issued, passage, passes, ideal, 0);
  return passage;
}

/// The banks serve an access, or a pass of an atomic's loop. @param extra  cycles behind its passes that are no
/// conflict
void SharedPort::served(const Issued& issued, const Passage& passage, unsigned passes, unsigned ideal, unsigned extra) {
  counters_.shared_wavefronts += passes;
  counters_.shared_ideal += std::min(ideal, passes);
  // Cycles of a wavefront; in stages a sub-warp has the banks for one.
  const Cycle each = staged_ || passes + extra == 0 ? 1 : (passage.end - passage.begin) / (passes + extra);
  counters_.shared_busy_cycles += (passes + extra) * each;
  // What a conflict delays are results, and those come the scratchpad's latency behind the banks; in stages, and where
  // it takes issue slots, it is those behind it in the same cycle.
  const Cycle late = staged_ || config_.issue.replays ? 0 : latency_ - 1;
  if (passes > ideal) {
    // Without conflicts a sub-warp has the banks for a cycle; further phases of wide accesses are taken to come first.
    Cycle phases = ideal * each, behind = pipeline_.services().size();
    for (const Pipeline::Service& part : pipeline_.services()) {
      --behind;
      const Cycle alone = std::min(part.end - part.begin, phases - std::min(phases, behind));
      phases -= alone;
      const Cycle conflict_end = part.end - (behind == 0 ? extra * each : 0);
      accounting_.conflict(issued.now, part.begin + std::min(alone, conflict_end - part.begin) + late,
                           conflict_end + late, issued.instr);
    }
  }
  busy_until_ = std::max(busy_until_, passage.end);
  if (timeline_.wants(issued.now))
    timeline_.add(issued.slot, issued.instr, Track::scratchpad, 0, passage.begin, passage.end, passes);
}

/// For how long each sub-warp needs the banks.
std::span<unsigned> SharedPort::degrees(const Access& access, unsigned passes) {
  if (!staged_) {
    degrees_[0] = passes;
    return {degrees_.data(), 1};
  }
  const std::span<unsigned> parts(degrees_.data(), sub_warps_);
  if (access.matrix || access.takes_turns) {  // passes are not those of sub-warps
    std::fill(parts.begin(), parts.end(), 0u);
    parts[0] = passes;
    return parts;
  }
  const unsigned lanes = config_.issue.simd_lanes, width = access.operation->width;
  const scratchpad::AccessKind kind = access.operation->shared_kind;
  const unsigned each = scratchpad::passes_each(*access.rules, kind);
  if (passes == access.cost.ideal && width <= 4 &&
      scratchpad::neighbours_together(*access.rules, kind, 4) == lanes) {  // no conflict
    const uint64_t of_one = ~uint64_t{0} >> (64 - lanes);
    for (unsigned k = 0; k < parts.size(); ++k) parts[k] = (access.lanes >> (k * lanes) & of_one) != 0 ? each : 0;
    return parts;
  }
  // A unit of atomics may not charge for lanes on one word.
  const bool as_counted = passes == access.cost.wavefronts;
  scratchpad::sub_warp_degrees(*access.rules, as_counted ? kind : scratchpad::AccessKind::store, width,
                               offsets_of(access).data(), access.lanes, lanes, parts);
  if (!as_counted) {
    for (unsigned& part : parts) part *= each;
  }
  assert(std::accumulate(parts.begin(), parts.end(), 0u) == passes && "units charge one or the other");
  return parts;
}

std::array<uint32_t, scratchpad::kMaxLanes> SharedPort::offsets_of(const Access& access) const {
  std::array<uint32_t, scratchpad::kMaxLanes> offsets{};
  for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    offsets[lane] = static_cast<uint32_t>(access.offsets[lane]);
  }
  return offsets;
}

const std::vector<uint8_t>& SharedPort::banks_under(const scratchpad::Rules& rules) {
  if (latest_ == &rules) return *bank_of_;
  const auto [at, is_new] = banks_of_.try_emplace(&rules);
  latest_ = &rules;
  bank_of_ = &at->second;
  if (!is_new || !rules.hash) return at->second;
  at->second.resize(size_t{1} << rules.hash->address_bits);
  for (uint32_t word = 0; word < at->second.size(); ++word)
    at->second[word] = static_cast<uint8_t>(rules.hash->bank(word));
  return at->second;
}

void SharedPort::count_banks(const Access& access) {
  const std::vector<uint8_t>& bank_of = banks_under(*access.rules);
  const unsigned shift = static_cast<unsigned>(std::countr_zero(config_.rules.bank_bytes));
  const unsigned words = std::max(1u, unsigned{access.operation->width} >> shift);
  uint64_t last = 0, count = 0;  // lanes that read one word follow one another
  for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const uint64_t word = access.offsets[static_cast<size_t>(std::countr_zero(rest))] >> shift;
    for (unsigned k = 0; k < words; ++k) {
      const uint64_t bank =
          bank_of.empty() ? (word + k) & (config_.rules.banks - 1) : bank_of[(word + k) & (bank_of.size() - 1)];
      if (bank != last) {
        counters_.bank_lanes[last] += count;
        last = bank;
        count = 0;
      }
      ++count;
    }
  }
  counters_.bank_lanes[last] += count;
}

}  // namespace bankshot::timing

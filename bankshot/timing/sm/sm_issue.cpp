// One instruction: may it issue, what does it occupy, when are its results there?
#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include "bankshot/simt/transactions/transaction.hpp"
#include "bankshot/support/round_up.hpp"
#include "bankshot/timing/sm/sm.hpp"

namespace bankshot::timing {
namespace {

constexpr uint64_t kLocalBase = uint64_t{1} << 46, kForeignBase = uint64_t{1} << 45;

}  // namespace

bool Sm::try_issue(unsigned slot, Cycle now, unsigned scheduler) {
  Issue issue;
  issue.slot = slot;
  issue.now = now;
  issue.warp = warp_[slot];
  issue.instr = next_[slot];
  issue.index = static_cast<uint32_t>(issue.instr - code_);
  issue.operation = &launch_.operations->of[issue.index];
  const Operation& operation = *issue.operation;
  if ((answered_later_ >> slot & 1) != 0) {
    if (stores_[slot] != 0) return block(slot, kNever, Cause::transaction);
    answered_later_ &= ~(uint64_t{1} << slot);
  }
  if (!registers_ready(issue)) return false;
  if (one_in_flight_ && complete_[slot] > now) return block(slot, complete_[slot], in_flight_[slot]);
  if (!may_leave(issue)) return false;
  if (config_.issue.commit != Commit::any && !one_in_flight_ && !may_commit(issue)) return false;
  if (!unit_free(issue, scheduler)) return false;
  if (foresight_ && is_held_back(issue)) return false;
  if (operation.is_access() && !access_accepted(issue)) return false;
  execute(issue);
  return true;
}

/// The scoreboard: what it reads is there, and what it writes nobody else is about to write or read.
bool Sm::registers_ready(const Issue& issue) {
  const unsigned slot = issue.slot;
  if (loads_[slot] == 0 && known_[slot] <= issue.now && holds_[slot] <= issue.now) return true;
  const Operation& operation = *issue.operation;
  const uint32_t* const uses = launch_.operations->registers.data() + operation.uses;
  Cycle until = issue.now;
  Cause why = Cause::execution;
  for (unsigned k = 0; k < unsigned{operation.reads} + operation.writes; ++k) {
    const size_t at = slot * registers_ + uses[k];
    if (ready_[at] > until) {
      until = ready_[at];
      why = why_[at];
    }
    if (k >= operation.reads && hold_[at] > until) {
      until = hold_[at];
      why = Cause::ordering;
    }
  }
  return until <= issue.now || block(slot, until, why);
}

/// Instructions that others rely on come behind everything of their warp that is under way.
bool Sm::may_leave(const Issue& issue) {
  const unsigned slot = issue.slot;
  switch (issue.operation->kind) {
    case Kind::fence: return (deferred_[slot] == 0 && stores_[slot] == 0) || block(slot, kNever, Cause::ordering);
    case Kind::copy_wait: return copies_[slot].there_but_for(issue.instr->imm) || block(slot, kNever, Cause::memory);
    case Kind::bulk:
    case Kind::bulk_store:
    case Kind::bulk_reduce: return port_accepts(slot);
    case Kind::bulk_commit:
    case Kind::bulk_wait:
    case Kind::bulk_wait_read: return group_may_leave(issue);
    case Kind::exit:  // who has ended cannot be told of what it has copied in bulk
      if (copies_[slot].has_bulk()) return block(slot, kNever, Cause::memory);
      [[fallthrough]];
    case Kind::tx_begin:
    case Kind::tx_commit:
    case Kind::call:  // another frame's registers lie where those of the access may lie
    case Kind::order:
    case Kind::barrier: return deferred_[slot] == 0 || block(slot, kNever, Cause::ordering);
    default: return true;
  }
}

bool Sm::unit_free(Issue& issue, unsigned scheduler) {
  const Operation& operation = *issue.operation;
  issue.work = config_.warp_size;
  if (operation.is_access() || operation.kind == Kind::constant) {
    issue.port = &load_store_;
    issue.lanes = std::max(1u, config_.load_store.lanes);
  } else {
    issue.unit = operation.unit;
    if (operation.work != 0) {
      issue.work = operation.work;
      if (config_.units[static_cast<unsigned>(issue.unit)].count == 0) issue.unit = UnitClass::fp32;
    }
    std::vector<uint64_t>& units = units_[static_cast<unsigned>(issue.unit)];
    issue.port = &units[scheduler % units.size()];
    // Units beyond one for each scheduler are anybody's.
    for (size_t k = schedulers_.size(); k < units.size(); ++k) {
      if (units[k] < *issue.port) issue.port = &units[k];
    }
    issue.lanes = std::max(1u, config_.units[static_cast<unsigned>(issue.unit)].lanes);
  }
  const Cycle free = *issue.port / issue.lanes;
  return free <= issue.now || block(issue.slot, free, Cause::unit_busy);
}

/// Finds where the lanes go, and whether the way there is free.
bool Sm::access_accepted(Issue& issue) {
  const uint64_t lanes = simt::executing_lanes(*issue.warp, issue.instr);
  addresses_.shared = addresses_.local = addresses_.global = addresses_.elsewhere = 0;
  if (lanes != 0) simt::lane_addresses_of(*issue.warp, issue.instr, lanes, addresses_);
  if (addresses_.shared != 0 && addresses_.global != 0 && simt::keeps_global(*issue.warp)) {
    simt::part(*issue.warp, issue.instr, addresses_.global);
    addresses_.global = 0;
  }
  issue.shared = addresses_.shared != 0;
  issue.global = (addresses_.global | addresses_.local) != 0;
  const Operation& operation = *issue.operation;
  issue.kept_global = addresses_.global != 0 && simt::keeps_global(*issue.warp);
  issue.deferred = addresses_.global != 0 && (operation.kind == Kind::atomic || operation.strong || issue.kept_global);
  // A thread sees its own accesses in order.
  if (addresses_.elsewhere != 0) issue.deferred = true;
  if (deferred_[issue.slot] != 0 && (issue.global || (has_clusters_ && issue.shared)) && !issue.deferred)
    return block(issue.slot, kNever, Cause::ordering);
  if (issue.global && !port_accepts(issue.slot)) return false;
  if (!issue.shared && operation.kind != Kind::copy) return true;
  const Cycle at = pipeline_->accepts(issue.now);
  return at <= issue.now || block(issue.slot, at, Cause::scratchpad_busy);
}

void Sm::execute(Issue& issue) {
  const Operation& operation = *issue.operation;
  const unsigned slot = issue.slot;
  simt::Warp& warp = *issue.warp;
  ++counters_.warp_instructions;
  counters_.thread_instructions += static_cast<uint64_t>(std::popcount(warp.active));
  ++lines_[issue.index].issued;
  cause_[slot] = Cause::execution;
  held_back_ &= ~(uint64_t{1} << slot);
  waits_for_memory_ &= ~(uint64_t{1} << slot);
  worker_->cycle = clock_(issue.now);

  issue.ready = issue.now + 1;
  *issue.port = std::max(*issue.port, issue.now * issue.lanes) + issue.work;
  scratchpad::SiteTotals before;
  if (issue.shared || operation.kind == Kind::copy) {
    const scratchpad::SiteCounter& site = worker_->sites[issue.instr->aux];
    before.wavefronts = site.wavefronts;
    before.ideal = site.ideal;
    before.position = site.position;
  }
  if (issue.global) charge_memory(issue);
  if (operation.kind == Kind::constant) charge_constant(issue);
  const Issued as_issued = issued(issue.now, slot, issue.index);
  if (!operation.is_access() && operation.kind != Kind::constant) {
    const UnitConfig& unit = config_.units[static_cast<unsigned>(issue.unit)];
    const unsigned interval = (issue.work + issue.lanes - 1) / issue.lanes;
    const unsigned latency = operation.kind == Kind::mbarrier ? config_.scratchpad.latency : unit.latency;
    issue.ready = pipeline_->other(as_issued, Flow::other, std::max(latency, interval));
  } else if (!issue.shared && operation.kind != Kind::copy) {
    const bool cached = config_.l1.bytes != 0 && (config_.l1.global || addresses_.local != 0) && !operation.strong;
    const bool banked = config_.l1.banks != 0 && cached && operation.kind == Kind::load && issue.global;
    issue.ready = std::max(issue.ready, banked ? charge_l1(issue) : pipeline_->other(as_issued, Flow::memory, 0));
  }
  if (operation.kind == Kind::sleep && warp.active != 0) {
    const uint32_t ns = warp.row<const uint32_t>(issue.instr->op[0])[std::countr_zero(warp.active)];
    issue.ready = issue.now + std::max<Cycle>(1, ClockRatio{1'000'000, config_.core_khz}(ns));
  }

  const uint32_t exited = warp.cta->exited;
  issue.in_one = warp.tx.path >= 0;
  issue.transactional = issue.shared && simt::in_transaction(warp);
  issue.alone = warp.cta->alone == &warp;
  worker_->tx_charge = {};
  if (has_clusters_) cross(issue);
  if (operation.kind == Kind::bulk_reduce && !simt::in_transaction(warp))
    issue.deferred = simt::executing_lanes(warp, issue.instr) != 0;
  if (operation.kind == Kind::bulk_commit) bulk_stores_[slot].commit(simt::executing_lanes(warp, issue.instr));
  const simt::Instr* next;
  if (issue.deferred) {
    pending_.push_back({issue.now, slot, simt::defer(warp, issue.instr, next)});
    ++deferred_[slot];
  } else {
    next = simt::step(warp, issue.instr);
  }
  if (warp.cta->faulted) {
    set_fault(issue.now);
    return;
  }
  if (operation.kind == Kind::copy) charge_copy(issue, counted_since(issue, before));
  if (operation.kind == Kind::copy_commit) copies_[slot].commit();
  if (!worker_->bulk.empty()) send_bulks(slot, issue.index, issue.now);
  if (issue.shared) charge_shared(issue, issue.deferred ? shared_cost(issue) : counted_since(issue, before));
  busy_until_ = std::max(busy_until_, pipeline_->behind_last(issue.now + issue_cycles_));
  if (config_.issue.commit != Commit::any && !one_in_flight_) will_commit(issue, issue.conflict);
  results(issue);
  put_off();
  after(issue, next, warp.cta->exited != exited);
  if (warp.tx.commit_waits && (commits_ >> slot & 1) == 0) send_commit(issue);
  if (issue.in_one || warp.tx.path >= 0) charge_transaction(issue);
}

/// The texels of a fetch, each of the lanes' first, then each second one …: a line that several need is asked for once.
void Sm::coalesce_texels(const Issue& issue, uint64_t lanes) {
  simt::texel_addresses_of(*issue.warp, issue.instr, lanes, texels_);
  requests_.count = 0;
  for (unsigned k = 0; k < texels_.count; ++k) {
    simt::TexelAddresses::Row& row = texels_.row[k];
    for (uint64_t rest = row.lanes; rest != 0; rest &= rest - 1) {
      uint64_t& address = row.address[static_cast<size_t>(std::countr_zero(rest))];
      address = physical(address);
    }
    coalesce(row.address.data(), row.lanes, texels_.width, config_.l1.line_bytes, config_.l1.sector_bytes,
             issue.operation->kind == Kind::atomic, row_);
    merge_lines(row_, requests_);
  }
}

/// Global and local memory: from here on the port knows.
void Sm::charge_memory(Issue& issue) {
  const Operation& operation = *issue.operation;
  const unsigned slot = issue.slot;
  const uint64_t lanes = addresses_.global | addresses_.local;
  std::array<uint64_t, scratchpad::kMaxLanes>& at = physical_;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    at[lane] = (addresses_.local >> lane & 1) != 0 ? physical_local(addresses_.address[lane], slot, lane)
                                                   : physical(addresses_.address[lane]);
  }
  const bool local = addresses_.local != 0;
  if (operation.texture)
    coalesce_texels(issue, lanes);
  else
    coalesce(at.data(), lanes, local ? std::min(4u, unsigned{operation.width}) : operation.width, config_.l1.line_bytes,
             config_.l1.sector_bytes, operation.kind == Kind::atomic, requests_);
  // Local memory lies word by word: each further word of an access is in the row of words behind.
  for (unsigned word = 1; local && word < operation.width / 4u; ++word) {
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1)
      at[static_cast<size_t>(std::countr_zero(rest))] += launch_.setup->program->lanes * 4;
    coalesce(at.data(), lanes, 4, config_.l1.line_bytes, config_.l1.sector_bytes, false, row_);
    std::copy_n(row_.request.begin(), row_.count, requests_.request.begin() + requests_.count);
    requests_.count += row_.count;
  }
  // Transactions keep what they write to themselves, and look at what they change, until they commit.
  if (issue.kept_global && operation.kind == Kind::store) return;
  const auto kind = operation.kind == Kind::load || operation.kind == Kind::copy || issue.kept_global
                        ? Packet::Kind::load
                    : operation.kind == Kind::store ? Packet::Kind::store
                                                    : Packet::Kind::atomic;
  if (kind != Packet::Kind::load) ++stores_[slot];
  const bool result = kind == Packet::Kind::load || (kind == Packet::Kind::atomic && operation.writes != 0);
  if (result) {
    ++loads_[slot];
    issue.ready = kNever;
  }
  issue.why = Cause::memory;
  port_.enter(
      issue.now,
      {kind, slot, generation_[slot], issue.index, local, operation.strong || operation.passes_l1 || issue.kept_global},
      requests_);
}

/// A first-level cache whose data lies in banks: a load has them as an access to the scratchpad has its own.
/// Beyond CF'11, which leaves this to future work (section 6).
/// @return when its data is there, if the line is
Cycle Sm::charge_l1(Issue& issue) {
  const uint64_t lanes = addresses_.global | addresses_.local;
  const unsigned width =
      addresses_.local != 0 ? std::min(4u, unsigned{issue.operation->width}) : issue.operation->width;
  const unsigned words = issue.operation->width / width;  // local memory: one row of all lanes after the other
  std::array<uint32_t, scratchpad::kMaxLanes> at{};
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    at[lane] = static_cast<uint32_t>(physical_[lane]);
  }
  const std::span<unsigned> parts(degrees_.data(), staged_ ? issue_cycles_ : 1);
  const unsigned width_of_part = staged_ ? config_.issue.simd_lanes : scratchpad::kMaxLanes;
  scratchpad::sub_warp_degrees(l1_rules_, scratchpad::AccessKind::load, width, at.data(), lanes, width_of_part, parts);
  for (unsigned& part : parts) part *= words;
  const unsigned ideal =
      words * scratchpad::cost(l1_rules_, scratchpad::AccessKind::load, width, at.data(), lanes).ideal;
  const unsigned needed = std::accumulate(parts.begin(), parts.end(), 0u);
  counters_.l1_wavefronts += needed;
  counters_.l1_ideal += ideal;
  const Passage passage = pipeline_->shared(issued(issue.now, issue.slot, issue.index), parts, config_.l1.latency);
  issue.conflict = needed > ideal;
  if (foresight_) foresee(issue, parts, passage.end);
  l1_load_[issue.slot] = issue.index;
  l1_served_[issue.slot] = passage.ready;
  return passage.ready;
}

/// Constant memory and parameters: the cache always hits, one word at a time.
void Sm::charge_constant(Issue& issue) {
  const uint64_t lanes = simt::executing_lanes(*issue.warp, issue.instr);
  unsigned words = 0;
  if (lanes != 0) {
    simt::lane_addresses_of(*issue.warp, issue.instr, lanes, addresses_);
    for (uint64_t rest = lanes; rest != 0; ++words) {
      const uint64_t one = addresses_.address[static_cast<size_t>(std::countr_zero(rest))];
      for (uint64_t same = rest; same != 0; same &= same - 1) {
        const int lane = std::countr_zero(same);
        if (addresses_.address[static_cast<size_t>(lane)] == one) rest &= ~(uint64_t{1} << lane);
      }
    }
  }
  issue.ready = issue.now + config_.load_store.constant_latency + (words == 0 ? 0 : words - 1);
}

/// From when on its registers may be read and written.
void Sm::results(const Issue& issue) {
  const Operation& operation = *issue.operation;
  const unsigned slot = issue.slot;
  const uint32_t* const uses = launch_.operations->registers.data() + operation.uses;
  for (unsigned k = operation.reads; k < unsigned{operation.reads} + operation.writes; ++k) {
    const size_t at = slot * registers_ + uses[k];
    ready_[at] = issue.ready;
    why_[at] = issue.why;
  }
  if (issue.ready != kNever && (operation.writes != 0 || issue.shared))
    known_[slot] = std::max(known_[slot], issue.ready);
  if (issue.deferred) {
    for (unsigned k = 0; k < operation.reads; ++k) hold_[slot * registers_ + uses[k]] = quantum_end_;
    holds_[slot] = quantum_end_;
  }
  complete_[slot] = loads_[slot] != 0 ? kNever : issue.ready;
  in_flight_[slot] = issue.why;
  if (issue.now < launch_.timeline_end) {
    const Cycle end = issue.ready == kNever ? issue.now + 1 : issue.ready;
    span(slot, issue.index, Track::warp, slot, issue.now, end, 0);
    if (!operation.is_access() && operation.kind != Kind::constant) {
      span(slot, issue.index, Track::unit, static_cast<unsigned>(issue.unit), issue.now,
           (*issue.port + issue.lanes - 1) / issue.lanes, 0);
    }
  }
}

/// When the warp goes on, and who else does.
void Sm::after(const Issue& issue, const simt::Instr* next, bool lanes_ended) {
  const Operation& operation = *issue.operation;
  const unsigned slot = issue.slot;
  next_[slot] = next;
  last_[slot] = issue.index;
  wake_[slot] = issue.now + issue_cycles_;
  if (next == nullptr) {
    if (issue.warp->done) {
      warp_done(slot, issue.now);
    } else {
      block(slot, kNever,
            simt::waits_at_begin(*issue.warp) || issue.warp->tx.commit_waits ? Cause::transaction : Cause::barrier);
    }
  } else if ((operation.kind == Kind::branch || operation.kind == Kind::call) && !simt::follows(next, issue.instr)) {
    wake_[slot] += config_.issue.branch_cycles;
    cause_[slot] = Cause::branch;
  } else if (issue.kept) {
    block(slot, kNever, Cause::atomic);
  } else if (operation.kind == Kind::sleep) {
    wake_[slot] = issue.ready;
    cause_[slot] = Cause::execution;
  } else if (operation.kind == Kind::barrier) {
    wake_[slot] = issue.now + std::max(issue_cycles_, config_.issue.barrier_cycles);
    cause_[slot] = Cause::barrier;
  }
  earliest_[slot] = wake_[slot] == kNever ? 0 : wake_[slot];
  if (operation.kind == Kind::barrier || lanes_ended) {
    wake_cta(slot, issue.now + std::max(1u, config_.issue.barrier_cycles), Cause::barrier);
  }
}

void Sm::span(unsigned slot, uint32_t instr, Track track, unsigned index, Cycle begin, Cycle end, uint32_t degree) {
  timeline_.push_back({begin - launch_.begin, end - launch_.begin, track, static_cast<uint8_t>(index),
                       static_cast<uint16_t>(index_), instr, static_cast<uint32_t>(warp_[slot]->cta->linear), degree});
}

/// Addresses of the memory system do not depend on where the host put the device's memory.
uint64_t Sm::physical(uint64_t address) const {
  const simt::Memory& memory = *launch_.setup->memory;
  return memory.contains(address) ? address - memory.base() : kForeignBase + address % 4096;
}

uint64_t Sm::physical_local(uint64_t offset, unsigned slot, unsigned lane) const {
  const uint64_t lanes = launch_.setup->program->lanes;
  const uint64_t stack = round_up<uint64_t>(worker_->local_stack, 128) * lanes;
  return kLocalBase + (uint64_t{index_} * kSlots + slot) * stack + (offset / 4 * lanes + lane) * 4 + offset % 4;
}

}  // namespace bankshot::timing

// One instruction: may it issue, and what follows if it does? What an access costs: sm_access.cpp.
#include <algorithm>
#include <bit>

#include "bankshot/simt/transactions/transaction.hpp"
#include "bankshot/timing/sm/sm.hpp"

namespace bankshot::timing {
bool Sm::try_issue(unsigned slot, Cycle now, unsigned scheduler) {
  Issue issue;
  issue.slot = slot;
  issue.now = now;
  issue.warp = warp_[slot];
  issue.instr = next_[slot];
  issue.index = static_cast<uint32_t>(issue.instr - code_);
  issue.operation = &launch_.operations->of[issue.index];
  const Operation& operation = *issue.operation;
  if (transactions_.is_unanswered(slot)) {
    if (stores_[slot] != 0) return block(slot, kNever, Cause::transaction);
    transactions_.answered(slot);
  }
  const Wait wait = scoreboard_.wait(slot, launch_.operations->uses_of(operation), now);
  if (wait.until > now) return block(slot, wait);
  if (one_in_flight_) {
    const Wait last = scoreboard_.last(slot);
    if (last.until > now) return block(slot, last);
  }
  if (!may_leave(issue)) return false;
  if (!order_.is_any() && !one_in_flight_ && !may_commit(issue)) return false;
  issue.unit = units_.choose(operation, scheduler);
  if (const Cycle free = issue.unit.free(); free > now) return wait_at_unit(issue, free, Cause::unit_busy);
  if (is_held_back(issue)) return false;
  if (operation.is_access() && !access_accepted(issue)) return false;
  execute(issue);
  return true;
}

/// Instructions that are part of others in machine code take no slot: they are carried out with what comes behind them,
/// and their results are there when what they read is.
/// @return false if the warp waits for what one of them reads
bool Sm::carry_out_parts(unsigned slot, Cycle now) {
  while (next_[slot] != nullptr && operation_of(static_cast<uint32_t>(next_[slot] - code_)).slots == 0) {
    const auto index = static_cast<uint32_t>(next_[slot] - code_);
    const Wait wait = scoreboard_.pass_on(slot, uses_of(index), now);
    if (wait.until > now) return block(slot, wait);
    count_instruction(*warp_[slot], index, 0);
    next_[slot] = simt::step(*warp_[slot], next_[slot]).next;
    if (warp_[slot]->cta->faulted) {
      set_fault(now);
      return false;
    }
  }
  return next_[slot] != nullptr;
}

void Sm::count_instruction(const simt::Warp& warp, uint32_t index, unsigned slots) {
  ++counters_.warp_instructions;
  counters_.thread_instructions += static_cast<uint64_t>(std::popcount(warp.active));
  counters_.machine_instructions += slots;
  ++accounting_.lines()[index].issued;
}

/// Instructions that others rely on come behind everything of their warp that is under way.
bool Sm::may_leave(const Issue& issue) {
  const unsigned slot = issue.slot;
  switch (issue.operation->kind) {
    case Kind::fence: return (deferred_[slot] == 0 && stores_[slot] == 0) || block(slot, kNever, Cause::ordering);
    case Kind::copy_wait: return copies_[slot].there_but_for(issue.instr->imm) || block(slot, kNever, Cause::memory);
    case Kind::product_wait: {
      const Cycle by = products_[slot].by(issue.instr->imm);
      return by <= issue.now || block(slot, by, Cause::execution);
    }
    case Kind::tensor_wait_load:
    case Kind::tensor_wait_store: {
      const bool loads = issue.operation->kind == Kind::tensor_wait_load;
      const Cycle by = tensor_.moved(loads ? TensorUnit::load : TensorUnit::store, slot);
      return by <= issue.now || block(slot, by, Cause::execution);
    }
    case Kind::tensor_alloc: return columns_free(issue);
    case Kind::bulk:
    case Kind::bulk_store:
    case Kind::bulk_reduce: return port_accepts(slot);
    case Kind::bulk_commit:
    case Kind::bulk_wait:
    case Kind::bulk_wait_read: return group_may_leave(issue);
    case Kind::exit:  // who has ended cannot be told of what it has copied in bulk or multiplied
      if (copies_[slot].has_bulk() || tensor_.has_commits(slot)) return block(slot, kNever, Cause::memory);
      [[fallthrough]];
    case Kind::tx_begin:
    case Kind::tx_commit:
    case Kind::call:  // another frame's registers lie where those of the access may lie
    case Kind::order:
    case Kind::product:
    case Kind::barrier: return deferred_[slot] == 0 || block(slot, kNever, Cause::ordering);
    default: return true;
  }
}

/// Several instructions of a warp in flight: may a further one be?
bool Sm::may_commit(const Issue& issue) {
  const Wait wait = order_.wait(issue.slot, issue.now, [&](uint32_t instr, Cycle without_results) {
    const RegisterUses uses = uses_of(instr);
    return uses.writes == 0 ? without_results : scoreboard_.ready(issue.slot, uses);
  });
  return wait.until <= issue.now || block(issue.slot, wait);
}

/// A memory access would come too close behind a shared one: the warp is masked, unless no other warp can issue and it
/// may.
bool Sm::is_held_back(const Issue& issue) {
  if (issue.now >= guard_.memory_from() || yielding_) return false;
  const Operation& operation = *issue.operation;
  if (!operation.is_access() && operation.kind != Kind::constant) return false;
  held_back_ |= uint64_t{1} << issue.slot;
  // A warp that yields is tried again in every cycle: only then may it turn out that no other warp can issue.
  block(issue.slot, config_.issue.aware_yields ? issue.now + 1 : guard_.memory_from(), Cause::foreseen);
  return true;
}

/// Whether an access to global memory may enter; else the warp waits.
bool Sm::port_accepts(unsigned slot) {
  if (!port_.is_full()) return true;
  waits_for_port_ |= uint64_t{1} << slot;
  return block(slot, kNever, Cause::memory_busy);
}

/// Whether the access reads a first-level cache whose data lies in banks.
bool Sm::has_l1_banks(const Operation& operation) const {
  return config_.l1.banks != 0 && launch_.l1_bytes != 0 && operation.kind == Kind::load && operation.reads_l1 &&
         (config_.l1.global || addresses_.local != 0);
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
  issue.l1_banks = issue.global && !issue.shared && has_l1_banks(operation);
  if (!issue.shared && operation.kind != Kind::copy && (staged_ || !issue.l1_banks)) return true;
  const Cycle at = pipeline_->accepts(issue.now, issue.slot);
  if (at <= issue.now) return true;
  if (issue.global) return block(issue.slot, at, issue.l1_banks ? Cause::memory_busy : Cause::scratchpad_busy);
  return wait_at_unit(issue, at, Cause::scratchpad_busy);
}

/// @param unit  that carries it out
unsigned Sm::latency_of(const Operation& operation, UnitClass unit) const {
  const auto latency = [&](UnitClass of) { return config_.units[static_cast<unsigned>(of)].latency; };
  if (operation.kind == Kind::mbarrier) return config_.scratchpad.latency;
  if (!operation.is_sequence()) return latency(unit) + (operation.in_pieces() ? operation.slots - 1 : 0);
  const UnitClass others = unit == UnitClass::sfu ? UnitClass::fp32 : unit;
  return operation.chain * latency(others) + operation.special * latency(UnitClass::sfu);
}

void Sm::execute(Issue& issue) {
  const Operation& operation = *issue.operation;
  const unsigned slot = issue.slot;
  simt::Warp& warp = *issue.warp;
  count_instruction(warp, issue.index, operation.slots);
  cause_[slot] = Cause::execution;
  held_back_ &= ~(uint64_t{1} << slot);
  leave_unit(slot);
  waits_for_memory_ &= ~(uint64_t{1} << slot);
  worker_->cycle = clock_(issue.now);

  replays_ = 0;
  issue.ready = issue.now + 1;
  if (operation.kind != Kind::product) issue.unit.take(issue.now);
  if (issue.global) charge_memory(issue);
  if (operation.kind == Kind::constant) charge_constant(issue);
  if (operation.kind == Kind::product) {
    issue.ready = std::max(issue.ready, pipeline_->other(issued(issue), Flow::other, 1));
  } else if (!operation.is_access() && operation.kind != Kind::constant) {
    const unsigned interval = (issue.unit.work + issue.unit.lanes - 1) / issue.unit.lanes;
    issue.ready =
        pipeline_->other(issued(issue), Flow::other, std::max(latency_of(operation, issue.unit.unit), interval));
  } else if (!issue.shared && operation.kind != Kind::copy) {
    issue.ready =
        std::max(issue.ready, issue.l1_banks ? charge_l1(issue) : pipeline_->other(issued(issue), Flow::memory, 0));
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
  const simt::TensorWork work = operation.is_tensor() ? tensor_work(issue) : simt::TensorWork{};
  const simt::Instr* next;
  scratchpad::Cost cost;  // of shared memory
  if (issue.deferred) {
    pending_.push_back({issue.now, slot, simt::defer(warp, issue.instr, next)});
    ++deferred_[slot];
  } else if (operation.kind == Kind::tensor_commit && !simt::in_transaction(warp)) {
    next = commit_tensor(issue);
  } else {
    const simt::Step step = simt::step(warp, issue.instr);
    next = step.next;
    cost = step.shared;
  }
  if (warp.cta->faulted) {
    set_fault(issue.now);
    return;
  }
  if (operation.kind == Kind::copy && issue.global) charge_copy(issue, cost);  // else no lane copies
  if (operation.kind == Kind::copy_commit) copies_[slot].commit();
  if (operation.kind == Kind::product && next != nullptr) multiply(issue, cost);
  if (operation.kind == Kind::product_commit) products_[slot].commit();
  if (work.lanes != 0) charge_tensor(issue, work, cost, next);
  if (!worker_->bulk.empty()) send_bulks(slot, issue.index, issue.now);
  if (issue.shared) charge_shared(issue, issue.deferred ? shared_cost(issue) : cost);
  busy_until_ = std::max(busy_until_, pipeline_->behind_last(issue.now + issue_cycles_));
  if (!order_.is_any() && !one_in_flight_) {
    issue.ready = order_.issued(slot, issue.index, issue.now, issue.ready, issue.conflict, l1_banks_.served(slot));
  }
  results(issue);
  put_off();
  after(issue, next, warp.cta->exited != exited);
  if (warp.tx.commit_waits && !transactions_.commits(slot)) send_commit(issue);
  if (issue.in_one || warp.tx.path >= 0) charge_transaction(issue);
}

/// From when on its registers may be read and written.
void Sm::results(const Issue& issue) {
  const Operation& operation = *issue.operation;
  const unsigned slot = issue.slot;
  const RegisterUses uses = launch_.operations->uses_of(operation);
  scoreboard_.issued(slot, uses, issue.ready, issue.why, operation.writes != 0 || issue.shared);
  if (issue.deferred) scoreboard_.hold(slot, uses, quantum_end_);
  if (!timeline_.wants(issue.now)) return;
  const Cycle end = issue.ready == kNever ? issue.now + 1 : issue.ready;
  timeline_.add(slot, issue.index, Track::warp, slot, issue.now, end, 0);
  if (operation.is_access() || operation.kind == Kind::constant || operation.kind == Kind::product) return;
  if (operation.is_tensor_work()) return;
  timeline_.add(slot, issue.index, Track::unit, static_cast<unsigned>(issue.unit.unit), issue.now, issue.unit.end(), 0);
}

/// When the warp goes on, and who else does.
void Sm::after(const Issue& issue, const simt::Instr* next, bool lanes_ended) {
  const Operation& operation = *issue.operation;
  const unsigned slot = issue.slot;
  Cycle arrived = issue.now;  // at a barrier, which registers one arrival after the other
  if (operation.kind == Kind::barrier) {
    arrived = std::max(arrived, barrier_free_);
    barrier_free_ = arrived + config_.issue.barrier_warp_cycles;
  } else if (lanes_ended && barrier_free_ > arrived) {  // those that arrived before it count from their own time
    arrived = barrier_free_ - config_.issue.barrier_warp_cycles;
  }
  next_[slot] = next;
  last_[slot] = issue.index;
  wake_[slot] = issue.now + Cycle{issue_cycles_} * operation.slots;
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
  } else if (operation.kind == Kind::sleep || operation.kind == Kind::tensor_alloc) {
    wake_[slot] = issue.ready;
    cause_[slot] = Cause::execution;
  } else if (operation.kind == Kind::barrier) {
    wake_[slot] = arrived + std::max(issue_cycles_, config_.issue.barrier_cycles);
    cause_[slot] = Cause::barrier;
  }
  if (next != nullptr) {
    scoreboard_.prefetch(slot, uses_of(static_cast<uint32_t>(next - code_)));
    simt::prefetch_operands(*issue.warp, *next);
  }
  earliest_[slot] = wake_[slot] == kNever ? 0 : wake_[slot];
  if (operation.kind == Kind::product && next != nullptr) wake_cta(slot, issue.now + 1, Cause::barrier);
  if (operation.kind == Kind::barrier || lanes_ended) {
    wake_cta(slot, arrived + std::max(1u, config_.issue.barrier_cycles), Cause::barrier);
  }
}

}  // namespace bankshot::timing

// The SM from cycle to cycle: what wakes, who issues, how slots are accounted for. How one instruction issues:
// sm_issue.cpp.
#include "bankshot/timing/sm/sm.hpp"

#include <xmmintrin.h>

#include <algorithm>
#include <bit>
#include <cassert>

#include "bankshot/timing/memory/partition.hpp"

namespace bankshot::timing {
namespace {

/// Instructions that wait for these wait for memory in the two-level scheduler's sense.
bool is_memory(Cause cause) {
  return cause == Cause::memory || cause == Cause::memory_busy || cause == Cause::ordering;
}

}  // namespace

Sm::Sm(const Config& config, unsigned index)
    : config_(config),
      clock_{config.core_khz, config.clock_khz != 0 ? config.clock_khz : config.core_khz},
      index_(index),
      issue_cycles_(sub_warps(config)),
      schedulers_(config.issue.schedulers),
      pipeline_(PipelineRegistry::find(config.issue.pipeline)->make(config)),
      staged_(pipeline_->staged()),
      accounting_(config.issue.schedulers, config.issue.width, issue_cycles_, *pipeline_, counters_),
      timeline_(index),
      guard_(ForesightRegistry::find(config.issue.aware)->make(config), issue_cycles_, counters_),
      order_(config.issue.commit, config.issue.reorder_entries),
      units_(config),
      shared_(config, *pipeline_, guard_, accounting_, timeline_, counters_),
      l1_banks_(config, *pipeline_, guard_, counters_),
      tensor_(config.tensor_memory),
      transactions_(counters_),
      port_(config, index) {
  for (unsigned k = 0; k < schedulers_.size(); ++k) {
    schedulers_[k].policy = SchedulerRegistry::find(config.issue.policy)->make(config);
    for (unsigned slot = k; slot < kSlots; slot += config.issue.schedulers) schedulers_[k].share |= uint64_t{1} << slot;
  }
  one_in_flight_ = schedulers_[0].policy->one_in_flight();
}

void Sm::begin_launch(const SmLaunch& launch) {
  launch_ = launch;
  const simt::LoadedProgram& program = *launch.setup->program;
  code_ = program.code.data();
  worker_.emplace(simt::make_worker(*launch.setup, *launch.launch, false));
  worker_->counting = true;
  if (worker_->sites.empty()) worker_->sites.resize(program.sites.size());
  worker_->sm = static_cast<int32_t>(index_);
  has_clusters_ = simt::cluster_size(*launch.setup->config) > 1;
  late_bulks_.clear();
  while (ctas_.size() < launch.ctas_per_sm) ctas_.emplace_back();
  for (unsigned k = 0; k < launch.ctas_per_sm; ++k) ctas_[k].prepare(*worker_);
  free_slots_ = launch.ctas_per_sm == 64 ? ~uint64_t{0} : (uint64_t{1} << launch.ctas_per_sm) - 1;
  const simt::FunctionInfo& kernel = program.functions[launch.setup->function];
  scoreboard_.begin_launch(size_t{launch.ctas_per_sm} * launch.warps_per_cta,
                           kernel.has_calls ? launch.operations->of_functions : kernel.register_count);
  accounting_.begin_launch(launch.begin, program.code.size());
  resident_ = waits_for_memory_ = waits_for_port_ = waits_for_columns_ = kept_ = held_back_ = at_any_unit_ = at_banks_ =
      0;
  at_units_.fill(0);
  ctas_ended_ = 0;
  ages_ = 0;
  barrier_free_ = launch.begin;
  pipeline_->clear();
  guard_.begin_launch();
  shared_.begin_launch();
  port_.begin_launch(launch.l1_bytes);
  units_.begin_launch();
  tensor_.begin_launch();
  last_.fill(0);
  now_ = busy_until_ = resident_since_ = launch.begin;
  place_free_.fill(launch.begin);
  fault_.reset();
  timeline_.begin_launch(launch.begin, launch.timeline_end);
  for (Scheduler& scheduler : schedulers_) {
    scheduler.policy = SchedulerRegistry::find(config_.issue.policy)->make(config_);
    scheduler.next = kNever;
    scheduler.free = launch.begin;
  }
}

void Sm::start_cta(uint64_t linear, Cycle at, const std::shared_ptr<simt::Cluster>& cluster) {
  const auto place = static_cast<unsigned>(std::countr_zero(free_slots_));
  free_slots_ &= free_slots_ - 1;
  const Cycle first = std::max(at, place_free_[place]);
  simt::CtaSlot& cta = ctas_[place];
  worker_->cycle = clock_(first);
  cta.start(linear, cluster);
  count_residents(std::max(at, resident_since_));
  for (unsigned k = 0; k < launch_.warps_per_cta; ++k) {
    const unsigned slot = place * launch_.warps_per_cta + k;
    warp_[slot] = &cta.cta().warps[k];
    next_[slot] = next_of(slot, first);
    age_[slot] = ages_++;
    ++generation_[slot];
    stores_[slot] = deferred_[slot] = 0;
    copies_[slot].clear();
    bulk_stores_[slot].clear();
    products_[slot].clear();
    tensor_.start(slot);
    scoreboard_.start(slot);
    order_.start(slot);
    l1_banks_.start(slot);
    transactions_.start(slot);
    timeline_.start(slot, linear);
    resident_ |= uint64_t{1} << slot;
    cause_[slot] = Cause::no_warp;
    wake_[slot] = kNever;
    earliest_[slot] = first;
    if (next_[slot] != nullptr) wake(slot, first);
  }
  for (unsigned slot = place * launch_.warps_per_cta; slot < (place + 1) * launch_.warps_per_cta; ++slot) {
    if (warp_[slot]->done) warp_done(slot, first);  // a kernel without instructions
  }
}

/// The warp's next instruction, if it has one now. What faults on the way to it is the SM's fault.
const simt::Instr* Sm::next_of(unsigned slot, Cycle at) {
  const simt::Instr* const next = simt::next_of(*warp_[slot]);
  if (next == nullptr && warp_[slot]->cta->faulted) set_fault(at);
  return next;
}

/// Warps and SMs with work, up to a cycle.
void Sm::count_residents(Cycle until) {
  counters_.warp_cycles += static_cast<uint64_t>(std::popcount(resident_)) * (until - resident_since_);
  if (resident_ != 0) counters_.active_cycles += until - resident_since_;
  resident_since_ = until;
}

Cycle Sm::next_event() const {
  if (fault_) return kNever;
  Cycle next = late_bulks_.empty() ? std::min(port_.next_event(), shared_.next_event()) : now_;
  next = std::min(next, tensor_.next_event());
  for (const Scheduler& scheduler : schedulers_) next = std::min(next, scheduler.next);
  return std::max(next, now_);
}

void Sm::advance(Cycle end) {
  quantum_end_ = end;
  Cycle now = next_event();
  if (now >= end) {
    now_ = end;
    return;
  }
  // This thread executed instructions of other SMs since.
  _mm_setcsr(simt::kDefaultMxcsr);
  worker_->fp = 0;
  for (; now < end && !fault_; now = next_event()) {
    accounting_.begin_event(now);
    if (port_.next_event() <= now) {
      port_.advance(now);
      busy_until_ = std::max(busy_until_, now + 1);
      if (waits_for_port_ != 0 && !port_.is_full()) {
        for (uint64_t rest = waits_for_port_; rest != 0; rest &= rest - 1)
          wake(static_cast<unsigned>(std::countr_zero(rest)), now);
        waits_for_port_ = 0;
      }
    }
    if (!late_bulks_.empty()) send_late_bulks(now);
    tell_commits(now);
    if (!port_.completions().empty()) complete(now);
    if (shared_.next_event() <= now) {
      shared_.advance(now);
      end_atomics();
      put_off();
    }
    for (unsigned k = 0; k < schedulers_.size() && !fault_; ++k) {
      if (schedulers_[k].next <= now) schedule(k, now);
    }
    if (!port_.completions().empty()) complete(now);
    accounting_.end_event(now);
    now_ = now + 1;
  }
  now_ = end;
}

void Sm::schedule(unsigned index, Cycle now) {
  const Scheduler& scheduler = schedulers_[index];
  accounting_.account(index, now);
  if (staged_ && stands_still(index, now)) return;
  const uint64_t mine = resident_ & scheduler.share;
  uint64_t ready = 0;
  for (uint64_t rest = mine; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(rest));
    if (wake_[slot] <= now) ready |= uint64_t{1} << slot;
  }
  if (now < guard_.memory_from() && (ready & held_back_) != 0) {  // nothing about these has changed
    for (uint64_t rest = ready & held_back_; rest != 0; rest &= rest - 1) {
      block(static_cast<unsigned>(std::countr_zero(rest)), guard_.memory_from(), Cause::foreseen);
    }
    ready &= ~held_back_;
  }
  if ((ready & at_any_unit_) != 0) ready &= ~wait_on_at_units(index, ready, now);
  if (issue_one(index, ready, mine, now)) return;
  if (config_.issue.aware_yields && (mine & held_back_) != 0 && !fault_) {
    yielding_ = true;
    const bool issued = issue_one(index, mine & held_back_, mine, now);
    yielding_ = false;
    if (issued) return;
  }
  if (!fault_) look_for_work(index, mine, now);
}

/// The policy's choice of those that are ready, and could be refused. @return whether one issued
bool Sm::issue_one(unsigned index, uint64_t ready, uint64_t mine, Cycle now) {
  Scheduler& scheduler = schedulers_[index];
  while (ready != 0) {
    const unsigned slot = scheduler.policy->pick({ready, mine, waits_for_memory_ & mine, age_.data()});
    assert((ready >> slot & 1) != 0 && "a policy picks a ready warp");
    const bool goes_on = carry_out_parts(slot, now);
    const simt::Instr* const instr = next_[slot];
    if (!goes_on || !try_issue(slot, now, index)) {
      if (fault_) return false;
      ready &= ~(uint64_t{1} << slot);
      continue;
    }
    scheduler.policy->issued(slot);
    if (fault_) return true;
    const unsigned slots = operation_of(static_cast<uint32_t>(instr - code_)).slots;
    unsigned issued = 1;
    const simt::Instr* last = instr;
    // Further instructions of the warp in the same cycle, as long as they follow one another.
    while (issued < config_.issue.width && slots == 1 && replays_ == 0 && is_resident(slot) &&
           simt::follows(next_[slot], last) && wake_[slot] == now + 1 && carry_out_parts(slot, now)) {
      last = next_[slot];
      if (operation_of(static_cast<uint32_t>(last - code_)).slots > 1) break;  // it begins in a cycle of its own
      wake_[slot] = now;
      if (!try_issue(slot, now, index)) break;
      if (fault_) return true;
      ++issued;
    }
    if (fault_) return true;
    if (is_resident(slot) && wake_[slot] <= now) wake_[slot] = now + 1;
    const bool is_here = is_resident(slot);
    scheduler.free = pipeline_->behind_last(now + Cycle{issue_cycles_} * slots);
    accounting_.issued(index, now, issued, static_cast<uint32_t>(instr - code_),
                       is_here ? cause_[slot] : Cause::no_warp, is_here ? blamed(slot) : SlotAccounting::kNobody, slots,
                       scheduler.free);
    if (replays_ != 0) {
      accounting_.account(index, scheduler.free);
      accounting_.set_cause(index, Cause::replay, static_cast<uint32_t>(last - code_));
      scheduler.free += Cycle{issue_cycles_} * replays_;
    }
    scheduler.next = scheduler.free;
    return true;
  }
  return false;
}

/// Whether the front of the pipeline stands still; if so, the scheduler looks again when it moves.
bool Sm::stands_still(unsigned index, Cycle now) {
  const Pipeline::Standstill stands = pipeline_->standstill(now);
  if (stands.end <= now) return false;
  schedulers_[index].next = schedulers_[index].free = stands.end;
  accounting_.set_cause(index, stands.cause, stands.instr);
  return true;
}

/// Results that come later than their instructions were told.
void Sm::put_off() {
  for (const Pipeline::Late& late : pipeline_->late()) {
    const unsigned slot = late.whose.slot;
    if ((generation_[slot] & kGenerationMask) != late.whose.generation) continue;
    const Cycle ready = scoreboard_.delay(slot, uses_of(late.whose.instr), late.by, last_[slot] == late.whose.instr);
    order_.delayed(slot, ready);
  }
  pipeline_->late().clear();
}

/// No warp can issue: when may one, and what is the slots' cause until then?
void Sm::look_for_work(unsigned index, uint64_t mine, Cycle now) {
  Cycle next = kNever;
  Cause cause = Cause::no_warp;
  uint32_t blame = SlotAccounting::kNobody;
  for (uint64_t rest = mine; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(rest));
    next = std::min(next, wake_[slot]);
    if (cause_[slot] >= cause) continue;
    cause = cause_[slot];
    blame = blamed(slot);
  }
  schedulers_[index].next = next;
  accounting_.set_cause(index, cause, blame);
  assert(next > now && "who may issue now has been tried");
  (void)now;
}

bool Sm::block(unsigned slot, Cycle until, Cause cause) {
  wake_[slot] = until;
  cause_[slot] = cause;
  const uint64_t bit = uint64_t{1} << slot;
  waits_for_memory_ = is_memory(cause) ? waits_for_memory_ | bit : waits_for_memory_ & ~bit;
  return false;
}

/// The unit, or the banks behind it, keep the warp: it is not looked at before these are free.
bool Sm::wait_at_unit(const Issue& issue, Cycle until, Cause cause) {
  const Operation& operation = *issue.operation;
  const bool by_nothing_else =
      operation.kind == Kind::arithmetic || operation.is_access() || operation.kind == Kind::constant;
  if (by_nothing_else && !staged_) {  // in stages, a result may be put off after it was waited for
    const uint64_t bit = uint64_t{1} << issue.slot;
    at_units_[issue.unit.place] |= bit;
    at_any_unit_ |= bit;
    // In a cluster, other CTAs may defer what comes between its unit and its banks.
    if (cause == Cause::scratchpad_busy && !has_clusters_) at_banks_ |= bit;
  }
  return block(issue.slot, until, cause);
}

/// The warp issues, or its next instruction is another one: what it waited for does not count.
void Sm::leave_unit(unsigned slot) {
  const uint64_t bit = uint64_t{1} << slot;
  if ((at_any_unit_ & bit) == 0) return;
  for (uint64_t& place : at_units_) place &= ~bit;
  at_any_unit_ &= ~bit;
  at_banks_ &= ~bit;
}

/// Blocks those of a scheduler's ready warps whose unit, or whose banks, are still busy. @return them
uint64_t Sm::wait_on_at_units(unsigned index, uint64_t ready, Cycle now) {
  uint64_t blocked = 0;
  const auto wait_on = [&](uint64_t warps, Cycle until, Cause cause) {
    blocked |= warps;
    for (; warps != 0; warps &= warps - 1) block(static_cast<unsigned>(std::countr_zero(warps)), until, cause);
  };
  for (unsigned place = 0; place < ExecutionUnits::kPlaces; ++place) {
    const uint64_t warps = ready & at_units_[place];
    if (warps == 0) continue;
    const Cycle free = units_.free(static_cast<ExecutionUnits::Place>(place), index);
    if (free > now) wait_on(warps, free, Cause::unit_busy);
  }
  const uint64_t at_banks = ready & at_banks_ & ~blocked;
  if (at_banks == 0 || now < guard_.memory_from()) return blocked;
  const Cycle accepts = pipeline_->accepts(now, static_cast<unsigned>(std::countr_zero(at_banks)));
  if (accepts > now) wait_on(at_banks, accepts, Cause::scratchpad_busy);
  return blocked;
}

void Sm::wake(unsigned slot, Cycle at) {
  if ((kept_ >> slot & 1) != 0) return;  // the end of its atomic wakes it
  at = std::max(at, earliest_[slot]);
  wake_[slot] = std::min(wake_[slot], at);
  waits_for_memory_ &= ~(uint64_t{1} << slot);
  Scheduler& scheduler = schedulers_[scheduler_of(slot)];
  scheduler.next = std::min(scheduler.next, std::max(at, scheduler.free));
}

/// What global memory has completed.
void Sm::complete(Cycle now) {
  for (MemoryPort::Completion& done : port_.completions()) {
    const unsigned slot = done.warp;
    busy_until_ = std::max(busy_until_, done.ready);
    if (generation_[slot] != done.generation) continue;
    const Operation& operation = operation_of(done.instr);
    if (operation.kind == Kind::bulk_store || operation.kind == Kind::bulk_reduce) {
      stored(done, now);
      continue;
    }
    // What takes effect at the end of the quantum has no result before, even if its line was under way already.
    if ((operation.strong || transactions_.is_in(slot)) && deferred_[slot] != 0)
      done.ready = std::max(done.ready, quantum_end_);
    if (done.kind != Packet::Kind::load) --stores_[slot];
    if (done.kind == Packet::Kind::load || (done.kind == Packet::Kind::atomic && operation.writes != 0)) {
      scoreboard_.received(slot);
      if (operation.writes != 0) done.ready = pipeline_->returned(std::max(done.ready, now));
      if (l1_banks_.is_last(slot, done.instr)) done.ready = std::max(done.ready, l1_banks_.served(slot));
      if (operation.kind == Kind::copy || operation.kind == Kind::bulk) copied(slot, done.instr, now);
      scoreboard_.arrived(slot, uses_of(done.instr), done.ready);
    }
    if (is_resident(slot) && next_[slot] != nullptr) wake(slot, now);
  }
  port_.completions().clear();
}

/// What the atomics unit kept and has finished.
void Sm::end_atomics() {
  for (const AtomicsUnit::Done& done : shared_.done()) {
    scoreboard_.arrived(done.slot, uses_of(done.instr), done.ready);
    busy_until_ = std::max(busy_until_, done.ready);
    kept_ &= ~(uint64_t{1} << done.slot);
    earliest_[done.slot] = std::max(earliest_[done.slot], done.ready);
    if (next_[done.slot] != nullptr) wake(done.slot, done.ready);
  }
  shared_.done().clear();
}

void Sm::performed(const Pending& access, Cycle now) {
  --deferred_[access.slot];
  if (!worker_->bulk.empty()) {
    late_bulks_.push_back({access.slot, static_cast<uint32_t>(access.access.instr - code_), std::move(worker_->bulk)});
    worker_->bulk.clear();
  }
  const Cycle cycles = worker_->tx_charge.mask_cycles;
  counters_.tx_mask_cycles += cycles;
  if (access.access.instr == nullptr) return committed(access.slot, now + cycles);
  if (warp_[access.slot]->displaced) {
    is_displaced(access.slot, now + cycles);
    if (warp_[access.slot]->cta->alone == nullptr)
      wake_cta(access.slot, now + cycles, Cause::transaction);  // it may have run alone
    return;
  }
  if (cause_[access.slot] == Cause::ordering && next_[access.slot] != nullptr) wake(access.slot, now);
}

void Sm::warp_done(unsigned slot, Cycle now) {
  count_residents(now + 1);
  resident_ &= ~(uint64_t{1} << slot);
  waits_for_memory_ &= ~(uint64_t{1} << slot);
  waits_for_port_ &= ~(uint64_t{1} << slot);
  wake_[slot] = kNever;
  cause_[slot] = Cause::no_warp;
  ++generation_[slot];
  simt::CtaSlot& cta = cta_of(slot);
  if (cta.cta().live_warps != 0) return;
  simt::keep_output(cta.cta(), outputs_);
  cta.leave_cluster();
  const unsigned place = slot / launch_.warps_per_cta;
  free_slots_ |= uint64_t{1} << place;
  place_free_[place] = now + config_.launch.cta_cycles;
  columns_freed(now);
  ++ctas_ended_;
  ++counters_.ctas;
}

/// Warps of the CTA that were blocked may no longer be. @param cause  of their waiting until then
void Sm::wake_cta(unsigned slot, Cycle at, Cause cause) {
  const unsigned first = slot / launch_.warps_per_cta * launch_.warps_per_cta;
  for (unsigned k = first; k < first + launch_.warps_per_cta; ++k) {
    if ((resident_ >> k & 1) == 0 || next_[k] != nullptr) continue;
    next_[k] = next_of(k, at);
    if (next_[k] != nullptr) {
      earliest_[k] = std::max(earliest_[k], at);
      if ((kept_ >> k & 1) == 0) cause_[k] = cause;
      wake(k, at);
    }
  }
}

std::vector<simt::Output>& Sm::outputs(bool all) {
  for (unsigned place = 0; all && place < launch_.ctas_per_sm; ++place) {
    if ((free_slots_ >> place & 1) == 0) simt::keep_output(ctas_[place].cta(), outputs_);
  }
  return outputs_;
}

bool Sm::break_deadlock(Cycle now) {
  if (waits_for_columns_ != 0 && release_blocked(now)) return true;
  for (unsigned place = 0; place < launch_.ctas_per_sm; ++place) {
    if ((free_slots_ >> place & 1) != 0) continue;
    // A CTA that waits for columns may wait for those of another one, whose fault is told first.
    const unsigned first = place * launch_.warps_per_cta;
    if (waits_for_columns_ >> first << (64 - launch_.warps_per_cta) != 0) continue;
    if (!ctas_[place].release_or_fault()) {
      set_fault(now);
      return false;
    }
    wake_cta(first, now, Cause::barrier);
  }
  if (waits_for_columns_ == 0) return true;
  const auto slot = static_cast<unsigned>(std::countr_zero(waits_for_columns_));
  simt::waits_forever(*warp_[slot], next_[slot], columns_in_use());
  set_fault(now);
  return false;
}

void Sm::end_launch(Cycle end) {
  for (unsigned k = 0; k < schedulers_.size(); ++k) accounting_.end_launch(k, end, schedulers_[k].free);
  count_residents(std::max(end, resident_since_));
  for (uint64_t rest = resident_; rest != 0; rest &= rest - 1) {
    transactions_.ended(static_cast<unsigned>(std::countr_zero(rest)), end);
  }
  accounting_.finish();
  add(counters_, port_.counters());
  port_.counters() = {};
}

}  // namespace bankshot::timing

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
      atomics_(AtomicsRegistry::find(config.scratchpad.atomics)->make(config)),
      banks_(*this),
      foresight_(ForesightRegistry::find(config.issue.aware)->make(config)),
      port_(config, index) {
  for (unsigned k = 0; k < schedulers_.size(); ++k) {
    schedulers_[k].policy = SchedulerRegistry::find(config.issue.policy)->make(config);
    for (unsigned slot = k; slot < kSlots; slot += config.issue.schedulers) schedulers_[k].share |= uint64_t{1} << slot;
  }
  one_in_flight_ = schedulers_[0].policy->one_in_flight();
  for (unsigned k = 0; k < kUnitClasses; ++k) units_[k].assign(std::max(1u, config.units[k].count), 0);
  l1_rules_ = config.rules;
  l1_rules_.banks = std::max(8u, config.l1.banks);
  l1_rules_.bank_bytes = 4;
  l1_rules_.hash.reset();
  if (config.rules.hash) {
    bank_of_.resize(size_t{1} << config.rules.hash->address_bits);
    for (uint32_t word = 0; word < bank_of_.size(); ++word)
      bank_of_[word] = static_cast<uint8_t>(config.rules.hash->bank(word));
  }
}

void Sm::begin_launch(const SmLaunch& launch) {
  launch_ = launch;
  const simt::LoadedProgram& program = *launch.setup->program;
  code_ = program.code.data();
  worker_.emplace(simt::make_worker(*launch.setup, *launch.launch, false));
  worker_->counting = true;
  if (worker_->sites.empty()) worker_->sites.resize(program.sites.size());
  worker_->rules = &config_.rules;
  worker_->sm = static_cast<int32_t>(index_);
  has_clusters_ = simt::cluster_size(*launch.setup->config) > 1;
  late_bulks_.clear();
  while (ctas_.size() < launch.ctas_per_sm) ctas_.emplace_back();
  for (unsigned k = 0; k < launch.ctas_per_sm; ++k) ctas_[k].prepare(*worker_);
  free_slots_ = launch.ctas_per_sm == 64 ? ~uint64_t{0} : (uint64_t{1} << launch.ctas_per_sm) - 1;
  const simt::FunctionInfo& kernel = program.functions[launch.setup->function];
  registers_ = std::max(1u, kernel.has_calls ? launch.operations->of_functions : kernel.register_count);
  const size_t all = registers_ * launch.ctas_per_sm * launch.warps_per_cta;
  ready_.assign(all, 0);
  hold_.assign(all, 0);
  why_.assign(all, Cause::execution);
  lines_.assign(program.code.size(), {});
  resident_ = waits_for_memory_ = waits_for_port_ = kept_ = held_back_ = 0;
  ctas_ended_ = 0;
  ages_ = 0;
  pipeline_->clear();
  if (foresight_) foresight_->clear();
  lessons_.clear();
  memory_from_ = 0;
  atomics_->clear();
  atomics_due_ = kNever;
  port_.begin_launch();
  for (auto& unit : units_) std::fill(unit.begin(), unit.end(), uint64_t{0});
  last_.fill(0);
  load_store_ = 0;
  now_ = busy_until_ = resident_since_ = launch.begin;
  fault_.reset();
  timeline_.clear();
  for (Scheduler& scheduler : schedulers_) {
    scheduler.policy = SchedulerRegistry::find(config_.issue.policy)->make(config_);
    scheduler.next = kNever;
    scheduler.since = scheduler.free = launch.begin;
    scheduler.cause = Cause::no_warp;
    scheduler.blame = kNobody;
  }
}

void Sm::start_cta(uint64_t linear, Cycle at, const std::shared_ptr<simt::Cluster>& cluster) {
  const auto place = static_cast<unsigned>(std::countr_zero(free_slots_));
  free_slots_ &= free_slots_ - 1;
  simt::CtaSlot& cta = ctas_[place];
  worker_->cycle = clock_(at);
  cta.start(linear, cluster);
  count_residents(at);
  for (unsigned k = 0; k < launch_.warps_per_cta; ++k) {
    const unsigned slot = place * launch_.warps_per_cta + k;
    warp_[slot] = &cta.cta().warps[k];
    next_[slot] = simt::next_of(*warp_[slot]);
    age_[slot] = ages_++;
    ++generation_[slot];
    loads_[slot] = stores_[slot] = deferred_[slot] = 0;
    known_[slot] = complete_[slot] = holds_[slot] = in_order_[slot] = l1_served_[slot] = 0;
    conflicts_[slot] = false;
    in_transaction_since_[slot] = tries_again_since_[slot] = kNever;
    reorder_[slot].clear();
    copies_[slot].clear();
    bulk_stores_[slot].clear();
    std::fill_n(ready_.begin() + static_cast<ptrdiff_t>(slot * registers_), registers_, Cycle{0});
    std::fill_n(hold_.begin() + static_cast<ptrdiff_t>(slot * registers_), registers_, Cycle{0});
    resident_ |= uint64_t{1} << slot;
    cause_[slot] = Cause::no_warp;
    wake_[slot] = kNever;
    earliest_[slot] = at;
    wake(slot, at);
  }
}

/// Warps and SMs with work, up to a cycle.
void Sm::count_residents(Cycle until) {
  counters_.warp_cycles += static_cast<uint64_t>(std::popcount(resident_)) * (until - resident_since_);
  if (resident_ != 0) counters_.active_cycles += until - resident_since_;
  resident_since_ = until;
}

Cycle Sm::next_event() const {
  if (fault_) return kNever;
  Cycle next = late_bulks_.empty() ? std::min(port_.next_event(), atomics_due_) : now_;
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
    if (!exposure_.empty()) {
      for (const auto& [begin, end] : stood_) {
        exposure_.tell(begin, false, conflict_counter());
        exposure_.tell(end, true, conflict_counter());
      }
      const bool waiting = std::any_of(schedulers_.begin(), schedulers_.end(), [](const Scheduler& s) {
        return s.cause == Cause::scratchpad || s.cause == Cause::scratchpad_busy || s.cause == Cause::atomic ||
               s.cause == Cause::bank_conflict || s.cause == Cause::foreseen;
      });
      exposure_.tell(now, waiting && !issued_, conflict_counter());
    }
    stood_.clear();
    issued_ = false;
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
    if (!port_.completions().empty()) complete(now);
    if (atomics_due_ <= now) {
      atomics_->advance(now, banks_);
      end_atomics();
      put_off();
    }
    for (unsigned k = 0; k < schedulers_.size() && !fault_; ++k) {
      if (schedulers_[k].next <= now) schedule(k, now);
    }
    if (!port_.completions().empty()) complete(now);
    if (issued_ && !exposure_.empty()) {
      // Of this cycle it is known that it is hidden; what follows until the next event is told then.
      exposure_.tell(now + 1, false, conflict_counter());
      issued_ = issue_cycles_ > 1;
    }
    now_ = now + 1;
  }
  now_ = end;
}

void Sm::account(Scheduler& scheduler, Cycle until) {
  if (until <= scheduler.since) return;
  const uint64_t slots = (until - scheduler.since) * config_.issue.width;
  counters_.slots[static_cast<unsigned>(scheduler.cause)] += slots;
  if (scheduler.blame != kNobody) lines_[scheduler.blame].slots[static_cast<unsigned>(scheduler.cause)] += slots;
  scheduler.since = until;
}

void Sm::schedule(unsigned index, Cycle now) {
  Scheduler& scheduler = schedulers_[index];
  account(scheduler, now);
  if (staged_ && stands_still(scheduler, now)) return;
  const uint64_t mine = resident_ & scheduler.share;
  uint64_t ready = 0;
  for (uint64_t rest = mine; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(rest));
    if (wake_[slot] <= now) ready |= uint64_t{1} << slot;
  }
  if (now < memory_from_ && (ready & held_back_) != 0) {  // nothing about these has changed
    for (uint64_t rest = ready & held_back_; rest != 0; rest &= rest - 1) {
      block(static_cast<unsigned>(std::countr_zero(rest)), memory_from_, Cause::foreseen);
    }
    ready &= ~held_back_;
  }
  if (issue_one(index, ready, mine, now)) return;
  if (config_.issue.aware_yields && (mine & held_back_) != 0 && !fault_) {
    yielding_ = true;
    const bool issued = issue_one(index, mine & held_back_, mine, now);
    yielding_ = false;
    if (issued) return;
  }
  if (!fault_) look_for_work(scheduler, mine, now);
}

/// The policy's choice of those that are ready, and could be refused. @return whether one issued
bool Sm::issue_one(unsigned index, uint64_t ready, uint64_t mine, Cycle now) {
  Scheduler& scheduler = schedulers_[index];
  while (ready != 0) {
    const unsigned slot = scheduler.policy->pick({ready, mine, waits_for_memory_ & mine, age_.data()});
    assert((ready >> slot & 1) != 0 && "a policy picks a ready warp");
    const simt::Instr* const instr = next_[slot];
    if (!try_issue(slot, now, index)) {
      if (fault_) return false;
      ready &= ~(uint64_t{1} << slot);
      continue;
    }
    scheduler.policy->issued(slot);
    if (fault_) return true;
    unsigned issued = 1;
    const simt::Instr* last = instr;
    // Further instructions of the warp in the same cycle, as long as they follow one another.
    while (issued < config_.issue.width && (resident_ >> slot & 1) != 0 && simt::follows(next_[slot], last) &&
           wake_[slot] == now + 1) {
      wake_[slot] = now;
      last = next_[slot];
      if (!try_issue(slot, now, index)) break;
      if (fault_) return true;
      ++issued;
    }
    if ((resident_ >> slot & 1) != 0 && wake_[slot] <= now) wake_[slot] = now + 1;
    counters_.slots[static_cast<unsigned>(Cause::issued)] += issued;
    if (issued < config_.issue.width) {
      const Cause why = (resident_ >> slot & 1) != 0 ? cause_[slot] : Cause::no_warp;
      counters_.slots[static_cast<unsigned>(why)] += config_.issue.width - issued;
      if ((resident_ >> slot & 1) != 0) {
        lines_[blamed(slot)].slots[static_cast<unsigned>(why)] += config_.issue.width - issued;
      }
    }
    issued_ = true;
    scheduler.next = scheduler.free = pipeline_->behind_last(now + issue_cycles_);
    scheduler.since =
        now + 1 + (scheduler.free == now + issue_cycles_ ? 0 : count_standstills(now + 1, scheduler.free));
    scheduler.cause = Cause::sub_warp;
    scheduler.blame = static_cast<uint32_t>(instr - code_);
    return true;
  }
  return false;
}

/// Whether the front of the pipeline stands still; if so, the scheduler looks again when it moves.
bool Sm::stands_still(Scheduler& scheduler, Cycle now) {
  const Pipeline::Standstill stands = pipeline_->standstill(now);
  if (stands.end <= now) return false;
  scheduler.next = scheduler.free = stands.end;
  scheduler.cause = stands.cause;
  scheduler.blame = stands.instr;
  return true;
}

/// Sub-warps of what issued last are held up: counts those cycles from now on. @return how many there are
/// @param take_back  they were counted, and the launch was stopped before
Cycle Sm::count_standstills(Cycle now, Cycle until, bool take_back) {
  Cycle all = 0;
  while (now < until) {
    const Pipeline::Standstill stands = pipeline_->standstill(now);
    if (stands.end > now) {
      const Cycle cycles = stands.end - now;
      const uint64_t more = take_back ? -cycles : cycles;
      counters_.slots[static_cast<unsigned>(stands.cause)] += more;
      lines_[stands.instr].slots[static_cast<unsigned>(stands.cause)] += more;
      if (stands.cause == Cause::bank_conflict && !take_back) stood_.emplace_back(now, stands.end);
      all += cycles;
    }
    now = std::max(now + 1, stands.end);
  }
  return all;
}

/// Results that come later than their instructions were told.
void Sm::put_off() {
  for (const Pipeline::Late& late : pipeline_->late()) {
    const unsigned slot = late.whose.slot;
    if ((generation_[slot] & kGenerationMask) != late.whose.generation) continue;
    const Operation& operation = launch_.operations->of[late.whose.instr];
    for (unsigned k = operation.reads; k < unsigned{operation.reads} + operation.writes; ++k) {
      Cycle& ready = ready_[slot * registers_ + launch_.operations->registers[operation.uses + k]];
      if (ready == kNever) continue;
      ready += late.by;
      known_[slot] = std::max(known_[slot], ready);
      in_order_[slot] = std::max(in_order_[slot], ready);
    }
    if (last_[slot] == late.whose.instr && complete_[slot] != kNever) complete_[slot] += late.by;
  }
  pipeline_->late().clear();
}

/// Nobody can issue: when may somebody, and what is the slots' cause until then?
void Sm::look_for_work(Scheduler& scheduler, uint64_t mine, Cycle now) {
  scheduler.next = kNever;
  scheduler.cause = Cause::no_warp;
  scheduler.blame = kNobody;
  for (uint64_t rest = mine; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(rest));
    scheduler.next = std::min(scheduler.next, wake_[slot]);
    if (cause_[slot] >= scheduler.cause) continue;
    scheduler.cause = cause_[slot];
    scheduler.blame = blamed(slot);
  }
  assert(scheduler.next > now && "who may issue now has been tried");
  (void)now;
}

bool Sm::block(unsigned slot, Cycle until, Cause cause) {
  wake_[slot] = until;
  cause_[slot] = cause;
  const uint64_t bit = uint64_t{1} << slot;
  waits_for_memory_ = is_memory(cause) ? waits_for_memory_ | bit : waits_for_memory_ & ~bit;
  return false;
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
    const Operation& operation = launch_.operations->of[done.instr];
    if (operation.kind == Kind::bulk_store || operation.kind == Kind::bulk_reduce) {
      stored(done, now);
      continue;
    }
    // What takes effect at the end of the quantum has no result before, even if its line was under way already.
    if ((operation.strong || in_transaction_since_[slot] != kNever) && deferred_[slot] != 0)
      done.ready = std::max(done.ready, quantum_end_);
    if (done.kind != Packet::Kind::load) --stores_[slot];
    if (done.kind == Packet::Kind::load || (done.kind == Packet::Kind::atomic && operation.writes != 0)) {
      --loads_[slot];
      if (operation.writes != 0) done.ready = pipeline_->returned(std::max(done.ready, now));
      if (l1_load_[slot] == done.instr) done.ready = std::max(done.ready, l1_served_[slot]);
      for (unsigned k = operation.reads; k < unsigned{operation.reads} + operation.writes; ++k) {
        ready_[slot * registers_ + launch_.operations->registers[operation.uses + k]] = done.ready;
      }
      if (operation.kind == Kind::copy || operation.kind == Kind::bulk) copied(slot, done.instr, now);
      known_[slot] = std::max(known_[slot], done.ready);
      complete_[slot] = loads_[slot] != 0 ? kNever : std::max(known_[slot], done.ready);
    }
    if ((resident_ >> slot & 1) != 0 && next_[slot] != nullptr) wake(slot, now);
  }
  port_.completions().clear();
}

/// What the atomics unit kept and has finished.
void Sm::end_atomics() {
  for (const AtomicsUnit::Done& done : atomics_->done()) {
    const Operation& operation = launch_.operations->of[done.instr];
    for (unsigned k = operation.reads; k < unsigned{operation.reads} + operation.writes; ++k) {
      ready_[done.slot * registers_ + launch_.operations->registers[operation.uses + k]] = done.ready;
    }
    known_[done.slot] = std::max(known_[done.slot], done.ready);
    complete_[done.slot] = loads_[done.slot] != 0 ? kNever : known_[done.slot];
    busy_until_ = std::max(busy_until_, done.ready);
    kept_ &= ~(uint64_t{1} << done.slot);
    earliest_[done.slot] = std::max(earliest_[done.slot], done.ready);
    if (next_[done.slot] != nullptr) wake(done.slot, done.ready);
  }
  atomics_->done().clear();
  atomics_due_ = atomics_->next_event();
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
  free_slots_ |= uint64_t{1} << (slot / launch_.warps_per_cta);
  ++ctas_ended_;
  ++counters_.ctas;
}

/// Warps of the CTA that were blocked may no longer be. @param cause  of their waiting until then
void Sm::wake_cta(unsigned slot, Cycle at, Cause cause) {
  const unsigned first = slot / launch_.warps_per_cta * launch_.warps_per_cta;
  for (unsigned k = first; k < first + launch_.warps_per_cta; ++k) {
    if ((resident_ >> k & 1) == 0 || next_[k] != nullptr) continue;
    next_[k] = simt::next_of(*warp_[k]);
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
  for (unsigned place = 0; place < launch_.ctas_per_sm; ++place) {
    if ((free_slots_ >> place & 1) != 0) continue;
    if (!ctas_[place].release_or_fault()) {
      set_fault(now);
      return false;
    }
    wake_cta(place * launch_.warps_per_cta, now, Cause::barrier);
  }
  return true;
}

void Sm::end_launch(Cycle end) {
  for (Scheduler& scheduler : schedulers_) {
    if (scheduler.cause == Cause::sub_warp && scheduler.free > end) {
      scheduler.since -= count_standstills(end, scheduler.free, true);
    }
    account(scheduler, end);
  }
  count_residents(std::max(end, resident_since_));
  for (uint64_t rest = resident_; rest != 0; rest &= rest - 1) {
    count_transaction(static_cast<unsigned>(std::countr_zero(rest)), end);
  }
  exposure_.finish(conflict_counter());
  add(counters_, port_.counters());
  port_.counters() = {};
}

}  // namespace bankshot::timing

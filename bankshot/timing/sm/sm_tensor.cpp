// Tensor memory (tcgen05) on the SM: what keeps its unit busy, what tells barriers, who waits for columns.
#include <algorithm>
#include <bit>

#include "bankshot/timing/sm/sm.hpp"

namespace bankshot::timing {

/// What an instruction asks for, before it is executed.
simt::TensorWork Sm::tensor_work(const Issue& issue) const {
  const uint64_t lanes = simt::executing_lanes(*issue.warp, issue.instr);
  switch (issue.operation->kind) {
    case Kind::tensor_product: return simt::product_work(*issue.warp, issue.instr, lanes);
    case Kind::tensor_copy: return simt::copy_work(issue.instr, lanes);
    default: return {static_cast<unsigned>(std::popcount(lanes)), 0, 0};
  }
}

/// What follows from an instruction that has issued. @param cost  of shared memory @param next  as of simt::step()
void Sm::charge_tensor(Issue& issue, const simt::TensorWork& work, const scratchpad::Cost& cost,
                       const simt::Instr* next) {
  const auto move = [&](TensorUnit::Direction direction) {
    tensor_.move(direction, issue.slot, issue.warp->index % 4, issue.now, simt::moved_bytes(issue.instr));
  };
  switch (issue.operation->kind) {
    case Kind::tensor_product:
    case Kind::tensor_copy:
    case Kind::tensor_shift: return take_tensor_unit(issue, work, cost);
    case Kind::tensor_load: return move(TensorUnit::load);
    case Kind::tensor_store: return move(TensorUnit::store);
    case Kind::tensor_alloc:
      // One that finds no range tries again.
      if (next != issue.instr) issue.ready = std::max(issue.ready, issue.now + config_.tensor_memory.alloc_cycles);
      return;
    case Kind::tensor_free: return columns_freed(issue.now);
    default: return;
  }
}

/// A product, copy or shift has issued: the unit takes it when it is through with those before. The banks serve its
/// operands at the same time; other accesses do not wait for them.
/// @param operands  what it read of shared memory, unless it is deferred
void Sm::take_tensor_unit(const Issue& issue, const simt::TensorWork& work, const scratchpad::Cost& operands) {
  const TensorMemoryConfig& rates = config_.tensor_memory;
  const unsigned row = config_.rules.banks * config_.rules.bank_bytes;
  // Of a pair each CTA reads its own part, both at once.
  const unsigned ctas = issue.deferred ? 2 : 1;
  const unsigned wavefronts =
      issue.deferred ? (work.operand_bytes + row - 1) / row * work.lanes : static_cast<unsigned>(operands.wavefronts);
  unsigned least = 0;
  if (issue.operation->kind != Kind::tensor_copy) least = rates.least_cycles;
  if (rates.product_columns != 0)
    least = std::max(least, (work.columns + rates.product_columns - 1) / rates.product_columns);
  const TensorUnit::Span span = tensor_.take(issue.slot, issue.now, std::max(wavefronts, least * work.lanes));
  busy_until_ = std::max(busy_until_, span.end);
  if (timeline_.wants(span.begin))
    timeline_.add(issue.slot, issue.index, Track::unit, static_cast<unsigned>(UnitClass::tensor), span.begin, span.end,
                  0);
  // As of wgmma: no layout has conflicts, and those that a bank hash would cause only take their time.
  counters_.shared_wavefronts += wavefronts * ctas;
  counters_.shared_ideal += wavefronts * ctas;
  counters_.shared_busy_cycles += wavefronts * ctas;
}

/// tcgen05.commit issues; its barriers are told later. @return what comes next, or null after a fault
const simt::Instr* Sm::commit_tensor(const Issue& issue) {
  TensorUnit::Commit commit{issue.slot, issue.index, {{}, 0, true, issue.operation->pair}};
  const uint64_t lanes = simt::executing_lanes(*issue.warp, issue.instr);
  if (!simt::commit_targets(*issue.warp, issue.instr, lanes, commit.arrival.barriers)) return nullptr;
  if (lanes != 0) tensor_.commit(issue.now, std::move(commit));
  const simt::Instr* next = nullptr;
  simt::defer(*issue.warp, issue.instr, next);
  return next;
}

/// Commits whose time has come.
void Sm::tell_commits(Cycle now) {
  while (tensor_.next_event() <= now && !fault_) {
    TensorUnit::Commit commit = tensor_.take_commit();
    tell(commit.slot, commit.instr, std::move(commit.arrival), now);
    busy_until_ = std::max(busy_until_, now + 1);
    if (next_[commit.slot] != nullptr) wake(commit.slot, now);
  }
}

/// The CTAs of an SM share its columns: those that another CTA holds are not available. Only their number counts, not
/// their place.
bool Sm::columns_free(const Issue& issue) {
  waits_for_columns_ &= ~(uint64_t{1} << issue.slot);
  if (simt::executing_lanes(*issue.warp, issue.instr) == 0) return true;
  const unsigned asked = simt::asked_columns(*issue.warp, issue.instr);
  if (!simt::TensorMemory::can_be_allocated(asked)) return true;  // it faults
  if (columns_in_use() + asked <= simt::TensorMemory::kColumns) return true;
  waits_for_columns_ |= uint64_t{1} << issue.slot;
  return block(issue.slot, kNever, Cause::unit_busy);
}

unsigned Sm::columns_in_use() {
  unsigned all = 0;
  for (unsigned place = 0; place < launch_.ctas_per_sm; ++place) {
    if ((free_slots_ >> place & 1) != 0) continue;
    const simt::Cta& cta = ctas_[place].cta();
    if (cta.tensor_memory != nullptr) all += cta.tensor_memory->in_use();
  }
  return all;
}

/// Columns were freed: those that wait for some try again.
void Sm::columns_freed(Cycle now) {
  for (; waits_for_columns_ != 0; waits_for_columns_ &= waits_for_columns_ - 1)
    wake(static_cast<unsigned>(std::countr_zero(waits_for_columns_)), now + 1);
}

}  // namespace bankshot::timing

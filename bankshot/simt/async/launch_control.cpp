#include "bankshot/simt/async/launch_control.hpp"

#include <bit>
#include <cstring>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/bulk.hpp"
#include "bankshot/simt/async/bulk_targets.hpp"
#include "bankshot/simt/async/mbarrier.hpp"
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/rows/lower.hpp"
#include "bankshot/simt/state/checker.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// Takes the next cluster, if there is one.
CancelResponse take_cluster(const Launch& launch) {
  UnstartedClusters* const unstarted = launch.unstarted;
  if (unstarted == nullptr || unstarted->next == unstarted->end) return {};
  ++unstarted->taken;
  const uint64_t cta = cta_in_cluster(launch, unstarted->next++, 0);
  const Dim3& grid = launch.config->grid;
  return {static_cast<uint32_t>(cta % grid.x), static_cast<uint32_t>(cta / grid.x % grid.y),
          static_cast<uint32_t>(cta / grid.x / grid.y), 1};
}

CancelResponse response_of(const Warp& w, const Instr* i, unsigned lane) {
  return w.row<const CancelResponse>(i->op[1])[lane];
}

/// The same byte of each CTA of the cluster.
BulkTargets everywhere(const Warp& w, uint64_t to, uint64_t barrier) {
  BulkTargets targets;
  give_rank(*w.cta);
  for (uint64_t rank = 0; rank < w.cta->cluster->ctas.size(); ++rank) {
    targets.places[targets.count++] = {in_rank(rank, to), in_rank(rank, barrier)};
  }
  return targets;
}

/// An address of the CTA's shared memory. @return false after an error
bool lower_shared(Decoder& decoder, const Operand& operand, const Match& m, AddressRef& out) {
  Instr place;
  if (!lower_address(decoder, operand, m.has("shared::cta") ? Space::shared : Space::generic, place)) return false;
  out = {place.op[0], (place.flags & InstrFlag::kWide) != 0, static_cast<int64_t>(place.imm),
         static_cast<Space>(place.small)};
  return true;
}

}  // namespace

const Instr* run_try_cancel(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "a request for a cluster");
  const CopyInfo& copy = w.worker->program->copies[i->op[5]];
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const int64_t to = shared_of(w, i, copy.to, lane), barrier = to < 0 ? -1 : shared_of(w, i, copy.barrier, lane);
    if (barrier < 0) return nullptr;
    const CancelResponse response = take_cluster(*w.worker->launch);
    const BulkTargets targets =
        copy.ctas != OperandRef::kNone
            ? everywhere(w, static_cast<uint64_t>(to), static_cast<uint64_t>(barrier))
            : bulk_targets(w, copy, lane, static_cast<uint64_t>(to), static_cast<uint64_t>(barrier));
    for (unsigned k = 0; k < targets.count; ++k) {
      const auto& place = targets.places[k];
      std::byte* const there = bulk_range(w, i, Space::shared, place.to, sizeof response, true, lane);
      if (there == nullptr) return nullptr;
      std::memcpy(there, &response, sizeof response);
      count_rows(w, i, scratchpad::AccessKind::store, place.to, sizeof response);
      if (Checker* const checks = w.worker->checks)
        checks->copies_bulk(w, i, lane, place.to, sizeof response, true, static_cast<int64_t>(place.barrier));
    }
    for (unsigned k = 0; k < targets.count; ++k) {
      if (!complete_bytes_at(w, i, targets.places[k].barrier, sizeof response, lane)) return nullptr;
    }
  }
  return after_phase(w, i + 1);
}

const Instr* run_is_canceled(Warp& w, const Instr* i) {
  if (i->op[0] == OperandRef::kNone) return i + 1;
  uint64_t canceled = 0;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    canceled |= static_cast<uint64_t>(response_of(w, i, lane).canceled & 1) << lane;
  }
  uint64_t& predicate = w.predicate(i->op[0]);
  predicate = (predicate & ~w.active) | canceled;
  return i + 1;
}

const Instr* run_first_cta(Warp& w, const Instr* i) {
  const std::vector<uint32_t>& rows = w.worker->program->lists[i->op[0]];
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const CancelResponse response = response_of(w, i, lane);
    const uint32_t index[] = {response.x, response.y, response.z};
    for (size_t k = 0; k < rows.size(); ++k) {
      if (rows[k] != OperandRef::kNone) w.row<uint32_t>(rows[k])[lane] = index[k];
    }
  }
  return i + 1;
}

void lower_try_cancel(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 2)) return;
  CopyInfo copy;
  if (!lower_shared(decoder, instruction.operands[0], m, copy.to) ||
      !lower_shared(decoder, instruction.operands[1], m, copy.barrier)) {
    return;
  }
  if (m.has("multicast::cluster::all")) copy.ctas = decoder.constant(0xffff, 2);
  out.op[0] = copy.to.base;
  out.imm = static_cast<uint64_t>(copy.to.offset);
  out.small = static_cast<uint8_t>(copy.to.space);
  if (copy.to.wide) out.flags |= InstrFlag::kWide;
  out.op[5] = static_cast<uint32_t>(decoder.program().copies.size());
  decoder.program().copies.push_back(copy);
  out.aux = decoder.new_site(4);
  decoder.cta_communication(instruction, "takes over CTAs that have not started");
}

void lower_is_canceled(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  if (!expect_operands(decoder, instruction, 2)) return;
  out.op[0] = decoder.predicate_destination(instruction.operands[0]);
  out.op[1] = decoder.source(instruction.operands[1], Type::b128);
}

void lower_first_cta(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 2)) return;
  const Operand& d = instruction.operands[0];
  std::vector<uint32_t> rows(3, OperandRef::kNone);
  out.op[1] = decoder.source(instruction.operands[1], Type::b128);
  if (m.has("v4")) {
    if (d.kind != Operand::Kind::vector || d.elements.size() != 4) {
      decoder.error(d.position, "expected four registers in braces: x, y, z and one whose value is not defined");
      return;
    }
    for (size_t k = 0; k < 3; ++k) rows[k] = destination_or_none(decoder, d.elements[k], Type::b32);
    destination_or_none(decoder, d.elements[3], Type::b32);
  } else {
    const size_t which = m.has("get_first_ctaid::x") ? 0 : m.has("get_first_ctaid::y") ? 1 : 2;
    rows[which] = decoder.destination(d, Type::b32);
  }
  out.op[0] = keep_rows(decoder, std::move(rows));
}

}  // namespace bankshot::simt

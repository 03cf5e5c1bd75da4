#include "bankshot/simt/access/wide_atomic.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/bulk.hpp"
#include "bankshot/simt/access/lane_values.hpp"
#include "bankshot/simt/access/reduce.hpp"
#include "bankshot/simt/access/wide_access.hpp"
#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

using Bytes = std::array<std::byte, kWideBytes>;

}  // namespace

const Instr* run_wide_atomic(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "an atomic of several words");
  const unsigned width = i->op[2], count = i->op[3], bytes = width * count;
  const uint32_t* const d = w.worker->program->lists[i->op[1]].data();
  const uint32_t *const b = d + count, *const c = b + count;
  const auto space = static_cast<Space>(i->small);
  use_default_rounding(w);
  std::array<uint32_t, 64> offsets{};
  uint64_t in_shared = 0;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t address = lane_address(w, i, lane);
    if (space == Space::generic && address - w.worker->windows.local < Windows::kLocalBytes)
      return fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address,
                   "atomic access to local memory");
    auto* const there = static_cast<std::byte*>(lane_pointer(w, i, space, address, bytes, true, lane));
    if (there == nullptr) return nullptr;
    if (const int64_t offset = shared_offset(w, space, address); offset >= 0) {
      offsets[lane] = static_cast<uint32_t>(offset);
      in_shared |= uint64_t{1} << lane;
    }
    alignas(kWideBytes) Bytes old, with, other;
    std::memcpy(old.data(), there, bytes);
    get_lane(w, b, count, width, lane, with.data());
    if (i->op[4] == kCompare) {
      get_lane(w, c, count, width, lane, other.data());
      if (std::memcmp(old.data(), with.data(), bytes) == 0) std::memcpy(there, other.data(), bytes);
    } else if (i->op[4] == kExchange) {
      std::memcpy(there, with.data(), bytes);
    } else {
      for (unsigned k = 0; k < count; ++k)
        reduce(static_cast<Reduction>(i->op[4]), static_cast<Type>(i->fp), there + k * width, with.data() + k * width);
    }
    put_lane(w, d, count, width, lane, old.data());
  }
  if (in_shared != 0) count_in_cluster(w, i->aux, kind_at(w, i->aux), bytes, offsets.data(), in_shared);
  return i->flags & InstrFlag::kPolls ? polled(w, i + 1) : i + 1;
}

const Instr* run_wide_move(Warp& w, const Instr* i) {
  const std::vector<uint32_t>&to = w.worker->program->lists[i->op[0]], &from = w.worker->program->lists[i->op[1]];
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    Bytes value;
    get_lane(w, from.data(), static_cast<unsigned>(from.size()), kWideBytes / static_cast<unsigned>(from.size()), lane,
             value.data());
    put_lane(w, to.data(), static_cast<unsigned>(to.size()), kWideBytes / static_cast<unsigned>(to.size()), lane,
             value.data());
  }
  return i + 1;
}

void lower_wide_atomic(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool returns = m.access.kind == ptx::Access::Kind::atomic, compares = m.has("cas");
  const size_t first = returns ? 2 : 1, sources = compares ? 2 : 1, hints = m.has("L2::cache_hint") ? 1 : 0;
  if (!expect_operands(decoder, instruction, first + sources + hints)) return;
  const auto& operands = instruction.operands;
  if (!lower_address(decoder, operands[first - 1], m.access.space, out)) return;
  const auto space = static_cast<Space>(out.small);
  const unsigned count = m.access.elements;
  std::vector<uint32_t> rows;
  if (!returns) rows.assign(count, OperandRef::kNone);
  if (returns && !lower_rows(decoder, operands[0], count, m.type, true, rows)) return;
  for (size_t k = 0; k < sources; ++k) {
    if (!lower_rows(decoder, operands[first + k], count, m.type, false, rows)) return;
  }
  out.op[1] = keep_rows(decoder, std::move(rows));
  out.op[2] = register_bytes(m.type);
  out.op[3] = count;
  out.op[4] = compares        ? kCompare
              : m.has("exch") ? kExchange
                              : static_cast<uint32_t>(reduction_named(m.which({"add", "min", "max"})));
  out.fp = static_cast<uint8_t>(m.type);
  if (returns) out.flags |= InstrFlag::kPolls;
  if (space != Space::global || decoder.has_transactions()) out.aux = decoder.new_site(out.op[2] * count);
  if (space != Space::shared)
    decoder.cta_communication(instruction, returns ? "result used" : "the result depends on the order");
}

void lower_wide_move(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  if (!expect_operands(decoder, instruction, 2)) return;
  const auto lower_side = [&](const Operand& operand, bool writes, uint32_t& op) {
    const bool pair = operand.kind == Operand::Kind::vector;
    std::vector<uint32_t> rows;
    if (!lower_rows(decoder, operand, pair ? 2 : 1, pair ? Type::b64 : Type::b128, writes, rows)) return false;
    op = keep_rows(decoder, std::move(rows));
    return true;
  };
  if (lower_side(instruction.operands[1], false, out.op[1])) lower_side(instruction.operands[0], true, out.op[0]);
}

}  // namespace bankshot::simt

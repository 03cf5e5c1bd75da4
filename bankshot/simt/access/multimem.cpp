#include "bankshot/simt/access/multimem.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/bulk.hpp"
#include "bankshot/simt/access/lane_values.hpp"
#include "bankshot/simt/access/reduce.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

using ptx::Type;

constexpr unsigned kMostBytes = 16, kLeastBytes = 4;

bool is_small_float(const Match& m) {
  return !m.which({"e4m3", "e5m2", "e4m3x2", "e5m2x2", "e4m3x4", "e5m2x4"}).empty();
}

unsigned element_bytes(const Match& m) { return m.which({"e4m3x4", "e5m2x4"}).empty() ? ptx::bits(m.type) / 8 : 4; }

bool is_vector(const Match& m) { return m.access.elements > 1; }

/// Whether elements of the type can be combined so, by ld_reduce or red. Source: PTX ISA 9.0, multimem; ptxas 13.0.
bool has_operation(const Match& m) {
  const bool extremum = m.has("min") || m.has("max"), reads = m.has("ld_reduce");
  const bool half = m.type == Type::f16 || m.type == Type::bf16, pair = m.type == Type::f16x2 || m.type == Type::bf16x2;
  if (m.has("acc::f32")) return reads && m.has("add") && (half || pair);
  if (m.has("acc::f16")) return reads && m.has("add") && is_small_float(m);
  if (half || pair) return m.has("add") || (extremum && (reads || is_vector(m)));
  if (is_small_float(m)) return reads && (m.has("add") || extremum);
  if (m.type == Type::f32 || m.type == Type::f64) return m.has("add");
  if (m.type == Type::s64) return extremum;
  if (m.type == Type::b32 || m.type == Type::b64) return m.has("and") || m.has("or") || m.has("xor");
  return m.has("add") || extremum;
}

}  // namespace

bool is_multimem_form(const Match& m) {
  const bool floats = is_small_float(m) || m.type == Type::f16 || m.type == Type::bf16 || m.type == Type::f16x2 ||
                      m.type == Type::bf16x2 || m.type == Type::f32;
  const unsigned bytes = element_bytes(m) * m.access.elements;
  if (bytes < kLeastBytes || bytes > kMostBytes || (is_vector(m) && !floats)) return false;
  return m.has("st") || has_operation(m);
}

const Instr* run_multimem(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "multimem");
  const uint32_t* const rows = w.worker->program->lists[i->op[1]].data();
  const unsigned width = i->op[2], count = i->op[3], bytes = width * count;
  const unsigned registers = std::max(width, 2U);  // bytes of a lane's value in a row
  const bool loads = i->op[4] == kMultimemLoad;
  use_default_rounding(w);
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t address = lane_address(w, i, lane), behind = w.worker->memory->behind_multicast(address);
    if (behind == 0)
      return fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address,
                   "multimem at " + hex(address) + ": no multicast object is mapped there");
    if (address % bytes != 0)
      return fault(
          w, i, Fault::Kind::misaligned, static_cast<int>(lane), address,
          "multimem at " + hex(address) + ", which is not a multiple of its " + std::to_string(bytes) + " bytes");
    if (w.worker->memory->find(behind) == nullptr)
      return fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address,
                   "multimem at " + hex(address) + ": no memory is bound to this part of the multicast object");
    auto* const there = static_cast<std::byte*>(lane_pointer(w, i, ptx::Space::global, behind, bytes, !loads, lane));
    if (there == nullptr) return nullptr;
    std::array<std::byte, 2 * kMostBytes> values{};  // elements of 8 bits take 16 each
    if (loads) {
      for (unsigned k = 0; k < count; ++k) std::memcpy(&values[k * registers], there + k * width, width);
      put_lane(w, rows, count, registers, lane, values.data());
      continue;
    }
    get_lane(w, rows, count, registers, lane, values.data());
    for (unsigned k = 0; k < count; ++k) {
      if (i->op[4] == kMultimemStore)
        std::memcpy(there + k * width, &values[k * registers], width);
      else
        reduce(static_cast<Reduction>(i->op[4]), static_cast<Type>(i->fp), there + k * width, &values[k * registers]);
    }
  }
  return i->flags & InstrFlag::kPolls ? polled(w, i + 1) : i + 1;
}

void lower_multimem(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 2)) return;
  const bool loads = m.has("ld_reduce");
  if (!lower_address(decoder, instruction.operands[loads ? 1 : 0], ptx::Space::global, out)) return;
  const unsigned width = element_bytes(m), count = m.access.elements;
  std::vector<uint32_t> rows;
  const Type type = m.type != Type::none && width > 1 && !is_small_float(m) ? m.type : type_of_bytes(width);
  if (!lower_rows(decoder, instruction.operands[loads ? 0 : 1], count, type, loads, rows)) return;
  out.op[1] = keep_rows(decoder, std::move(rows));
  out.op[2] = width;
  out.op[3] = count;
  out.op[4] = loads ? kMultimemLoad
              : m.has("st")
                  ? kMultimemStore
                  : static_cast<uint32_t>(reduction_named(m.which({"add", "min", "max", "and", "or", "xor"})));
  out.fp = static_cast<uint8_t>(m.type);
  if (loads && m.access.may_poll()) out.flags |= InstrFlag::kPolls;
  decoder.cta_communication(instruction, "other CTAs may see it");
}

}  // namespace bankshot::simt

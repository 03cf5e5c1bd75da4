#include "bankshot/simt/async/tensor_replace.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/bulk.hpp"
#include "bankshot/simt/async/tensor_map.hpp"
#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

using ptx::Space;
using ptx::Type;

/// Types by their numbers in PTX, which are others than the driver's. Source: PTX ISA 9.0, tensormap.replace.
constexpr uint8_t kElements[] = {TensorMap::u8,       TensorMap::u16, TensorMap::u32,       TensorMap::s32,
                                 TensorMap::u64,      TensorMap::s64, TensorMap::f16,       TensorMap::f32,
                                 TensorMap::f32_ftz,  TensorMap::f64, TensorMap::bf16,      TensorMap::tf32,
                                 TensorMap::tf32_ftz, TensorMap::u4,  TensorMap::u4_padded, TensorMap::u6_padded};

/// The largest value of a field that takes a constant.
int64_t most_of(TensorField field) {
  switch (field) {
    case TensorField::elemtype: return std::ssize(kElements) - 1;
    case TensorField::swizzle_mode: return TensorMap::swizzle_128;
    case TensorField::swizzle_atomicity: return TensorMap::by_64;
    case TensorField::fill_mode: return 1;
    default: return 0;
  }
}

bool is_constant(TensorField field) { return field >= TensorField::elemtype && field <= TensorField::fill_mode; }

/// @return "", or what is wrong
std::string replace(TensorMap& map, TensorField field, unsigned dimension, uint64_t value) {
  const std::string number = std::to_string(value);
  switch (field) {
    case TensorField::global_address:
      if (value % kTensorUnit != 0) return "the address is not a multiple of 16";
      map.address = value;
      return {};
    case TensorField::rank:  // one less than the number of dimensions
      if (value >= TensorMap::kMostDimensions) return "there is no rank " + number + ": 0 is one dimension, 4 is five";
      map.dimensions = static_cast<uint8_t>(value + 1);
      return {};
    case TensorField::elemtype: map.element = kElements[value]; return {};
    case TensorField::swizzle_mode: map.swizzle = static_cast<uint8_t>(value); return {};
    case TensorField::fill_mode: map.fills_with_nan = static_cast<uint8_t>(value); return {};
    case TensorField::swizzle_atomicity: map.atomicity = static_cast<TensorMap::Atomicity>(value); return {};
    case TensorField::interleave_layout: return {};  // there is one only
    case TensorField::box_dim:
      if (value == 0 || value > 256) return "a box of " + number + " elements, 1 to 256 are possible";
      map.box[dimension] = static_cast<uint16_t>(value);
      return {};
    case TensorField::global_dim:
      if (value == 0 || value > kMostTensorSize) return "a size of " + number + ", 1 to 2^32 are possible";
      map.last[dimension] = static_cast<uint32_t>(value - 1);
      return {};
    case TensorField::global_stride:
      if (value % kTensorUnit != 0 || value >= kMostTensorStride)
        return "a stride of " + number + ": a multiple of 16 below 2^40 is needed";
      map.strides[dimension] = value;
      return {};
    case TensorField::element_stride:
      if (value == 0 || value > 8) return "an element stride of " + number + ", 1 to 8 are possible";
      map.steps[dimension] = dimension == 0 ? 1 : static_cast<uint8_t>(value);
      return {};
  }
  return {};
}

/// Host memory of a descriptor; null after a fault.
std::byte* map_at(Warp& w, const Instr* i, Space space, uint64_t address, bool write, unsigned lane) {
  if (const int64_t offset = shared_offset(w, space, address); offset >= 0) {
    space = Space::shared;
    address = static_cast<uint64_t>(offset);
  }
  return bulk_range(w, i, space, address, sizeof(TensorMap), write, lane);
}

/// What is there. Zeros are a descriptor without a dimension that was set.
TensorMap read_map(const std::byte* there) {
  constexpr std::array<std::byte, sizeof(TensorMap)> kZeros{};
  TensorMap map;
  if (std::memcmp(there, kZeros.data(), kZeros.size()) == 0) {
    map.box.fill(1);
    map.steps.fill(1);
  } else {
    std::memcpy(static_cast<void*>(&map), there, sizeof map);
  }
  return map;
}

}  // namespace

const Instr* run_tensor_replace(Warp& w, const Instr* i) {
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::byte* const there = map_at(w, i, static_cast<Space>(i->small), lane_address(w, i, lane), true, lane);
    if (there == nullptr) return nullptr;
    TensorMap map = read_map(there);
    const uint64_t value =
        i->op[3] == 8 ? w.row<const uint64_t>(i->op[2])[lane] : w.row<const uint32_t>(i->op[2])[lane];
    const std::string wrong = map.mark == TensorMap::kMark
                                  ? replace(map, static_cast<TensorField>(i->op[4]), i->op[1], value)
                                  : "there is no tensor map here: create one with cuTensorMapEncodeTiled";
    if (!wrong.empty()) return fault(w, i, Fault::Kind::bad_copy, static_cast<int>(lane), 0, wrong);
    std::memcpy(there, static_cast<const void*>(&map), sizeof map);
  }
  return i + 1;
}

const Instr* run_tensor_map_copy(Warp& w, const Instr* i) {
  const auto lane = static_cast<unsigned>(std::countr_zero(w.active));
  const AddressRef& source = w.worker->program->copies[i->op[5]].from;
  const std::byte* const from = map_at(w, i, source.space, address_of(w, source, lane), false, lane);
  std::byte* const to =
      from == nullptr ? nullptr : map_at(w, i, static_cast<Space>(i->small), lane_address(w, i, lane), true, lane);
  if (to == nullptr) return nullptr;
  std::memmove(to, from, sizeof(TensorMap));
  return i + 1;
}

void lower_tensor_replace(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  constexpr std::string_view kFields[] = {
      "global_address", "rank",    "elemtype",   "interleave_layout", "swizzle_mode",  "swizzle_atomicity",
      "fill_mode",      "box_dim", "global_dim", "global_stride",     "element_stride"};
  uint32_t number = 0;
  while (!m.has(kFields[number])) ++number;
  const auto field = static_cast<TensorField>(number);
  const bool dimension = field >= TensorField::box_dim;
  if (!expect_operands(decoder, instruction, dimension ? 3 : 2)) return;
  const auto& operands = instruction.operands;
  if (!lower_address(decoder, operands[0], m.access.space, out)) return;
  int64_t which = 0;
  if (dimension && !decoder.literal(operands[1], which)) return;
  const int64_t most = field == TensorField::global_stride ? 3 : 4;
  if (which < 0 || which > most) {
    decoder.error(operands[1].position, "a dimension is 0 to " + std::to_string(most) + " here");
    return;
  }
  int64_t constant = 0;
  if (is_constant(field)) {
    if (!decoder.literal(operands[1], constant)) return;
    if (constant < 0 || constant > most_of(field)) {
      decoder.error(operands[1].position,
                    "." + std::string(kFields[number]) + " of a tensor map is 0 to " + std::to_string(most_of(field)) +
                        " here, not " + std::to_string(constant),
                    field == TensorField::interleave_layout ? "Interleaved layouts are not supported." : "");
      return;
    }
  }
  out.op[1] = static_cast<uint32_t>(which);
  out.op[2] = decoder.source(operands.back(), m.type);
  out.op[3] = register_bytes(m.type);
  out.op[4] = number;
}

void lower_tensor_map_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  int64_t bytes = 0;
  if (!expect_operands(decoder, instruction, 3) || !decoder.literal(instruction.operands[2], bytes)) return;
  if (bytes != sizeof(TensorMap)) {
    decoder.error(instruction.operands[2].position, "a tensor map has 128 bytes");
    return;
  }
  Decoder::Address from;
  if (!lower_address(decoder, instruction.operands[0], Space::global, out) ||
      !decoder.address(instruction.operands[1], Space::shared, from)) {
    return;
  }
  CopyInfo copy;
  copy.from = {from.base, from.wide, from.offset, Space::shared};
  out.op[5] = static_cast<uint32_t>(decoder.program().copies.size());
  decoder.program().copies.push_back(copy);
  decoder.cta_communication(instruction, "orders accesses other CTAs may see");
}

}  // namespace bankshot::simt

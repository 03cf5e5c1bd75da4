#include "bankshot/simt/tensor_memory/tensor_memory.hpp"

#include <algorithm>
#include <bit>

namespace bankshot::simt {

bool TensorMemory::can_be_allocated(uint64_t columns) {
  return std::has_single_bit(columns) && columns >= kLeastColumns && columns <= kColumns;
}

std::optional<unsigned> TensorMemory::allocate(unsigned columns) {
  for (unsigned first = 0; first < kColumns; first += columns) {
    const auto begin = range_.begin() + first;
    if (!std::all_of(begin, begin + columns, [](uint16_t range) { return range == 0; })) continue;
    std::fill_n(begin, columns, static_cast<uint16_t>(columns));
    waited = 0;
    return first;
  }
  return std::nullopt;
}

bool TensorMemory::free(unsigned first, unsigned columns) {
  // Allocations are aligned to their size: a range of so many columns that is not aligned to it is none.
  if (columns == 0 || first % columns != 0 || first + columns > kColumns || range_[first] != columns) return false;
  std::fill_n(range_.begin() + first, columns, uint16_t{0});
  waited = 0;
  return true;
}

bool TensorMemory::allocated(unsigned first, unsigned columns) const {
  if (first > kColumns || columns > kColumns - first) return false;
  const auto begin = range_.begin() + first;
  return std::all_of(begin, begin + columns, [](uint16_t range) { return range != 0; });
}

unsigned TensorMemory::in_use() const {
  return static_cast<unsigned>(std::count_if(range_.begin(), range_.end(), [](uint16_t range) { return range != 0; }));
}

bool TensorMoveShape::named(std::string_view shape, std::string_view num, bool packed, TensorMoveShape& out) {
  static constexpr std::string_view kNames[] = {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"};
  static constexpr unsigned kRegisters[] = {1, 1, 2, 4, 1};
  const auto found = std::find(std::begin(kNames), std::end(kNames), shape);
  if (found == std::end(kNames) || num.size() < 2) return false;
  const auto index = static_cast<size_t>(found - std::begin(kNames));
  unsigned times = 0;
  for (const char digit : num.substr(1)) times = times * 10 + static_cast<unsigned>(digit - '0');
  out = {static_cast<Kind>(index), times * kRegisters[index], packed};
  return out.registers <= 128;
}

TensorMoveShape TensorMoveShape::from_bits(uint32_t bits) {
  return {static_cast<Kind>(bits >> 8 & 0xff), bits & 0xff, (bits >> 16 & 1) != 0};
}

unsigned TensorMoveShape::columns() const {
  const bool one_lane_each = kind == Kind::b32x32 || kind == Kind::b32x16x2;  // of the others two or more share a lane
  return (one_lane_each ? 1 : 2) * registers * (packed ? 2 : 1);
}

TensorAddress TensorMoveShape::cell(unsigned reg, unsigned thread, unsigned split) const {
  const unsigned wide = packed ? 2 : 1, quad = thread / 4, in_quad = thread % 4;
  switch (kind) {
    case Kind::b32x32: return {thread, reg * wide};
    case Kind::b32x16x2: return {thread % 16, reg * wide + (thread < 16 ? 0 : split)};
    case Kind::b64x16: return {quad + 8 * (in_quad % 2), (2 * reg + in_quad / 2) * wide};
    case Kind::b128x16: return {quad + 8 * (reg % 2), (4 * (reg / 2) + in_quad) * wide};
    default: return {quad + 8 * (reg / 2 % 2), (8 * (reg / 4) + 2 * in_quad + reg % 2) * wide};
  }
}

}  // namespace bankshot::simt

// How a product reads an operand of shared memory.
#pragma once

#include <compare>
#include <cstdint>

#include "bankshot/simt/tiles/swizzle.hpp"

namespace bankshot::simt {

/// Where the elements are, from the start on: what a matrix descriptor and its instruction say of it. Rows are those of
/// A, or columns of B.
struct TileLayout {
  bool mn_major = false;  ///< rows are contiguous, not their elements
  Swizzle swizzle;
  uint32_t leading = 0, stride = 0;  ///< the descriptor's offsets, bytes
  uint8_t base_offset = 0;
  bool absolute = false;  ///< leading is an address

  auto operator<=>(const TileLayout&) const = default;
};

struct OperandLayout {
  char operand = 'A';            ///< A, B, or C: what tcgen05.cp copies
  uint16_t rows = 0, depth = 0;  ///< depth: bytes of a row that one instruction reads
  TileLayout tile;

  auto operator<=>(const OperandLayout&) const = default;
};

}  // namespace bankshot::simt

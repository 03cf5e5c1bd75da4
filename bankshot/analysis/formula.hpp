// The formula behind the addresses of one instruction: the matrix of the XOR-hash paper, found from the addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/analysis/walker.hpp"

namespace bankshot::analysis {

/// Byte addresses of the threads of a CTA that take part in one execution, by linear thread index.
struct ThreadAddress {
  uint32_t thread = 0;
  uint32_t address = 0;
};

/// s = tz * thread.z + ty * thread.y + tx * thread.x + offset, in bytes: equation 4 of section 3, in one line. Or, with
/// sub-warps of `length` consecutive threads (the paper's Fast Walsh example): s = rows * (t / length) +
/// inside * (t mod length) + offset, t the linear thread index.
struct Formula {
  enum class Kind : uint8_t { affine, subwarps, other } kind = Kind::other;
  int64_t tx = 0, ty = 0, tz = 0;
  uint32_t length = 0;
  int64_t rows = 0, inside = 0;
  int64_t offset = 0;   ///< of the first byte of shared memory
  std::string unknown;  ///< a further summand, the same for all lanes: "128*ctaid.x"
  bool operator==(const Formula&) const = default;
};

/// The formula that gives every one of these addresses, affine if there is one; sub-warps are powers of two long.
/// @param threads  at least one, ascending
Formula formula_of(const std::vector<ThreadAddress>& threads, const Extent& block);

/// "16*tx + ty + 4", in words, or in bytes if something is not a whole word. @param base  bytes to leave out of the
/// offset
std::string text_of(const Formula& formula, int64_t base);

/// M and o of equation 4 for a row of `columns` words: s = (M00*ty + M01*tx + o0)*columns + M10*ty + M11*tx + o1.
struct Matrix {
  int64_t m[2][2] = {};
  int64_t o[2] = {};
};
/// @param formula  affine, of whole words
Matrix matrix_of(const Formula& formula, int64_t base, int64_t columns);

}  // namespace bankshot::analysis

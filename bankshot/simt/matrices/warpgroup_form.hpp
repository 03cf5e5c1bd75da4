// wgmma.mma_async: its form, known at decoding, and where its operands lie in shared memory. Pure
// descriptions. Source: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions", and what
// an H100 does: docs/hopper.md, "Matrix descriptors".
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bankshot/simt/matrices/fragment.hpp"
#include "bankshot/simt/matrices/sparse_selection.hpp"
#include "bankshot/simt/tiles/swizzle.hpp"

namespace bankshot::simt {

/// D += A B, or D = A B, where A is 64 × k, B is k × n. Each row of A and each column of B has 32 bytes. Of a sparse A
/// half of the elements are kept, in rows of 32 bytes; then columns of B have 64.
struct WarpgroupForm {
  static constexpr unsigned kM = 64, kRows = 16;        ///< rows of A, and those of one warp
  static constexpr unsigned kMostN = 256, kDepth = 32;  ///< kDepth: bytes of a row of A
  unsigned n = 0, k = 0;
  Element d = Element::f32, a = Element::f16, b = Element::f16;
  bool negate_a = false, negate_b = false;
  bool mn_major_a = false, mn_major_b = false;  ///< as they lie in shared memory
  bool saturate = false;
  bool sparse = false;
  unsigned selector = 0;  ///< sparse: which lanes hold the metadata

  unsigned kept() const { return sparse ? k / 2 : k; }  ///< elements of a row of A
  unsigned depth_of_b() const { return sparse ? 2 * kDepth : kDepth; }
  uint64_t packed() const;
  static WarpgroupForm unpacked(uint64_t bits);
  SparseSelection selection() const { return {bits(a), kept(), selector}; }
  /// A, B and the accumulators as one warp has them in registers.
  Fragment fragment(Fragment::Role role) const;
};

/// Eight rows of 16 bytes of an operand: offsets in shared memory. What one wavefront reads.
using OperandCore = std::array<uint32_t, 8>;

/// Where an operand lies in shared memory.
struct MatrixDescriptor {
  uint32_t start = 0, leading = 0, stride = 0;  ///< bytes
  unsigned base_offset = 0;
  unsigned atom = 16;     ///< bytes of a row of the swizzle: 32, 64, 128; 16: none
  unsigned unit = 16;     ///< bytes that the swizzle moves together; 32: four rows of 128 bytes are a pattern
  bool absolute = false;  ///< what reaches behind the 128 bytes of a row is at `leading`, an address

  static MatrixDescriptor unpacked(uint64_t bits);
  /// One of tcgen05, whose layout is in bits 61 to 63. @return what is wrong; empty if nothing is
  static std::string read(uint64_t bits, MatrixDescriptor& out);
  Swizzle swizzle() const { return {static_cast<uint8_t>(atom == 16 ? 0 : atom), static_cast<uint8_t>(unit)}; }
  /// The core of rows 8 g to 8 g + 7 and of bytes 16 j to 16 j + 15 of them. A row is one of A or a column of B; of a
  /// matrix that is MN-major, it is an element of k, so that g counts eight k, and j eight rows
  /// of A.
  OperandCore core(bool mn_major, unsigned g, unsigned j) const;
};

}  // namespace bankshot::simt

// tcgen05.mma: what the instruction and its descriptor choose, and where the sums lie in tensor memory. Pure
// descriptions. Source: PTX ISA 9.0, section 9.7.16 ("Instruction descriptor", "Data path layout organization"); the
// layouts, which it has as figures, also as CUTLASS 4 states them (cute/atom/mma_traits_sm100_frag.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bankshot/simt/matrices/fragment.hpp"
#include "bankshot/simt/matrices/mma_variant.hpp"
#include "bankshot/simt/matrices/sparse_selection.hpp"
#include "bankshot/simt/tensor_memory/tensor_memory.hpp"

namespace bankshot::simt {

/// What the instruction says by itself.
struct TensorProductForm {
  enum class Kind : uint8_t { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };
  Kind kind = Kind::f16;
  bool pair = false;        ///< .cta_group::2
  bool stationary = false;  ///< .ws
  bool sparse = false;      ///< .sp
  bool a_in_tensor_memory = false;
  bool next_rows = false;  ///< .ashift: each row of A but the last is the next one
  unsigned scales = 0;     ///< .scale_vec: factors of a row of A, or of a column of B; 0: there are none
  unsigned shift = 0;      ///< scale-input-d: accumulators are divided by 2^shift first

  /// @param kind  "f16"
  static Kind named(std::string_view kind);
  std::string_view name() const;
  uint64_t packed() const;
  static TensorProductForm unpacked(uint64_t bits);
};

/// Where the list of a product has its other operands: rows, and behind those of addresses in tensor memory what is
/// added to them. kNone: it has none.
struct TensorOperands {
  enum : unsigned { kDescriptor, kMetadata, kScalesA = 3, kScalesB = 5, kZeroColumns = 7, kDisabled };
};

/// A product of m × k by k × n. Each row of A has `depth` bytes, and so has each column of B; of a sparse A half of the
/// elements are kept, and columns of B have twice as many.
struct TensorProduct {
  unsigned depth = 32;  ///< 48: packed elements of 4 bits with K of 96
  unsigned m = 0, n = 0;
  Element d = Element::f32, a = Element::f16, b = Element::f16;
  bool negate_a = false, negate_b = false, mn_major_a = false, mn_major_b = false, saturate = false;
  bool pair = false, stationary = false, sparse = false;
  unsigned selector = 0;  ///< sparse: which column holds the metadata
  ScaleFormat scale = ScaleFormat::none;
  unsigned scales = 0, first_scale_a = 0, first_scale_b = 0;  ///< how many of a row, and the byte of the first
  unsigned most_shift = 0;                                    ///< .ws: by which columns of B may be shifted

  /// @param descriptor  the 32 bits that the instruction is given @return what is wrong with it; empty if nothing is
  static std::string read(uint32_t descriptor, const TensorProductForm& form, TensorProduct& out);

  unsigned kept() const { return depth * 8 / bits(a); }  ///< elements of a row of A
  unsigned k() const { return sparse ? 2 * kept() : kept(); }
  unsigned depth_of_b() const { return sparse ? 2 * depth : depth; }
  /// Of each CTA.
  unsigned rows() const { return pair ? m / 2 : m; }
  unsigned columns_of_b() const { return pair ? n / 2 : n; }
  /// In how many parts the columns of D lie, one below the other in tensor memory.
  unsigned parts() const;
  /// Whether the rows are 64, in the first 16 of each 32 lanes.
  bool spread() const { return rows() == 64 && !stationary && (sparse || !pair); }
  /// Columns of tensor memory that D has, and its lanes from the first to the last.
  unsigned columns() const { return n / parts(); }
  unsigned lanes() const { return spread() ? 112 : TensorMemory::kLanes; }
  /// Where D is, from its address on.
  TensorAddress sum(unsigned row, unsigned column) const {
    return {lane_of_a(row) + column / columns() * rows(), column % columns()};
  }
  /// @return why D, and A in tensor memory, cannot begin at this lane; empty if they can
  std::string wrong_lane(unsigned lane) const;
  /// Where a row of A is, if A is in tensor memory.
  unsigned lane_of_a(unsigned row) const { return spread() ? row % 16 + row / 16 * 32 : row; }

  /// Which elements of a sparse A are kept: the metadata as warps have them for mma.sp.
  SparseSelection selection() const { return {bits(a), kept(), 0}; }
  /// Columns of metadata behind their address, the first one that is read included.
  unsigned columns_of_metadata() const { return bits(a) >= 16 ? selector + 1 : 2; }
  /// Where the word is that lane `lane` of mma.sp would have for the sixteen rows from `row` on.
  TensorAddress metadata(unsigned row, unsigned lane) const;

  /// Columns of scale factors of the rows of A, or of the columns of D, from their address on. They are there in each
  /// 32 lanes; a sum takes those of its own lanes.
  unsigned columns_of_scales(bool of_a) const;
  /// Columns from those with the first four factors of lines to those with the next four.
  unsigned scale_step(bool of_a) const { return of_a ? 4 : (n + 127) / 128 * 4 / parts(); }
};

}  // namespace bankshot::simt

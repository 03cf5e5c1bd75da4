// tcgen05.mma: what the instruction and its descriptor choose, and where the sums lie in tensor memory. Pure
// descriptions. Source: PTX ISA 9.0, section 9.7.16 ("Instruction descriptor", "Data path layout organization"); the
// layouts, which it has as figures, also as CUTLASS 4 states them (cute/atom/mma_traits_sm100_frag.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "bankshot/simt/matrices/fragment.hpp"
#include "bankshot/simt/tensor_memory/tensor_memory.hpp"

namespace bankshot::simt {

/// What the instruction says by itself.
struct TensorProductForm {
  enum class Kind : uint8_t { f16, tf32, f8f6f4, i8 };
  Kind kind = Kind::f16;
  bool pair = false;        ///< .cta_group::2
  bool stationary = false;  ///< .ws
  bool a_in_tensor_memory = false;
  unsigned shift = 0;  ///< scale-input-d: accumulators are divided by 2^shift first

  uint64_t packed() const;
  static TensorProductForm unpacked(uint64_t bits);
};

/// A product of m × k by k × n. Each row of A and each column of B has 32 bytes.
struct TensorProduct {
  static constexpr unsigned kDepth = 32;  ///< bytes
  unsigned m = 0, n = 0;
  Element d = Element::f32, a = Element::f16, b = Element::f16;
  bool negate_a = false, negate_b = false, mn_major_a = false, mn_major_b = false, saturate = false;
  bool pair = false, stationary = false;

  /// @param descriptor  the 32 bits that the instruction is given @return what is wrong with it; empty if nothing is
  static std::string read(uint32_t descriptor, const TensorProductForm& form, TensorProduct& out);

  unsigned k() const { return kDepth * 8 / bits(a); }
  /// Of each CTA.
  unsigned rows() const { return pair ? m / 2 : m; }
  unsigned columns_of_b() const { return pair ? n / 2 : n; }
  /// In how many parts the columns of D lie, one below the other in tensor memory.
  unsigned parts() const;
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

 private:
  /// 64 rows in the first 16 of each 32 lanes.
  bool spread() const { return rows() == 64 && !pair && !stationary; }
};

}  // namespace bankshot::simt

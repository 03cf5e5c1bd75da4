// zero-column-mask-desc of tcgen05.mma with .ws: which columns of B count as zeros, and by how many columns B is
// shifted. Source: PTX ISA 9.1, 9.7.16.4.3, "Zero-Column Mask Descriptor". Its table says that the skip span counts
// columns of B and the use span zeros; its examples and CUTLASS (mma_sm100_desc.hpp) have it the other way round, and
// so has this.
#pragma once

#include "bankshot/simt/matrices/tensor_product.hpp"

namespace bankshot::simt {

class ZeroColumns {
 public:
  /// @return what is wrong with the descriptor; empty if nothing is
  static std::string read(uint64_t bits, const TensorProduct& product, ZeroColumns& out);

  bool any() const { return masks() || shift() != 0; }
  /// Column i of the product is column i + shift of B.
  unsigned shift() const { return field(56, 6); }
  /// How many columns behind those of B are read: whole cores, also of bytes that are MN-major.
  unsigned columns_behind() const { return (shift() + 15) / 16 * 16; }
  bool zero(unsigned column) const {
    if (!masks()) return false;
    // Spans of zeros and of columns of B take turns. Each part of the columns begins anew.
    const unsigned zeros = field(40, 8) + 1, period = zeros + field(48, 8) + 1, part = column / of_part_;
    const bool zeros_first = field(32 + part, 1) != 0;
    const unsigned at = (column % of_part_ + field(8 * part, 8)) % period;
    return zeros_first ? at < zeros : at >= period - zeros;
  }

 private:
  unsigned field(unsigned first, unsigned count) const {
    return static_cast<unsigned>(bits_ >> first) & ((1u << count) - 1);
  }
  bool masks() const { return field(39, 1) != 0; }

  uint64_t bits_ = 0;
  unsigned of_part_ = 1;  ///< columns
};

}  // namespace bankshot::simt

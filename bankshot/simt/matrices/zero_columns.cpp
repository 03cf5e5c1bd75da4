#include "bankshot/simt/matrices/zero_columns.hpp"

#include <algorithm>

namespace bankshot::simt {

std::string ZeroColumns::read(uint64_t bits, const TensorProduct& product, ZeroColumns& out) {
  out.bits_ = bits;
  out.of_part_ = product.columns();
  if (out.field(36, 3) != 0 || out.field(62, 2) != 0) return "bits 36 to 38, 62 and 63 must be 0";
  const unsigned most = std::min(product.most_shift, product.m == 32 ? 16u : 32u);
  if (out.shift() <= most) return {};
  return "the column shift (bits 56 to 61) is " + std::to_string(out.shift()) + ", but at most " +
         std::to_string(most) + " is possible with M " + std::to_string(product.m) + " and a maximum shift of " +
         std::to_string(product.most_shift) + " (instruction descriptor, bits 30 and 31)";
}

}  // namespace bankshot::simt

#include "bankshot/simt/matrices/tensor_product.hpp"

#include <algorithm>
#include <iterator>

namespace bankshot::simt {
namespace {

constexpr std::string_view kKinds[] = {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};

}  // namespace

TensorProductForm::Kind TensorProductForm::named(std::string_view kind) {
  return static_cast<Kind>(std::find(std::begin(kKinds), std::end(kKinds), kind) - std::begin(kKinds));
}

std::string_view TensorProductForm::name() const { return kKinds[static_cast<size_t>(kind)]; }

uint64_t TensorProductForm::packed() const {
  return static_cast<uint64_t>(kind) | (pair ? 1u << 8 : 0) | (stationary ? 1u << 9 : 0) | (sparse ? 1u << 10 : 0) |
         (a_in_tensor_memory ? 1u << 11 : 0) | (next_rows ? 1u << 12 : 0) | uint64_t{shift} << 16 |
         uint64_t{scales} << 24;
}

TensorProductForm TensorProductForm::unpacked(uint64_t bits) {
  const auto flag = [&](unsigned at) { return (bits >> at & 1) != 0; };
  const auto byte = [&](unsigned at) { return static_cast<unsigned>(bits >> at & 0xff); };
  return {static_cast<Kind>(byte(0)), flag(8), flag(9), flag(10), flag(11), flag(12), byte(24), byte(16)};
}

unsigned TensorProduct::parts() const {
  if (stationary || (pair && !sparse)) return TensorMemory::kLanes / rows();
  return 1;
}

std::string TensorProduct::wrong_lane(unsigned lane) const {
  if (lane == 0 || (spread() && lane == 16)) return {};
  return "D must be at lane 0" + std::string(spread() ? " or 16" : "") + " of tensor memory for M " +
         std::to_string(m) + ", but is at lane " + std::to_string(lane);
}

unsigned TensorProduct::columns_of_scales(bool of_a) const {
  const unsigned lines = of_a ? rows() : columns(), first = of_a ? first_scale_a : first_scale_b;
  return scales == 0 ? 0 : (first + scales - 1) / 4 * scale_step(of_a) + (lines + 31) / 32;
}

TensorAddress TensorProduct::metadata(unsigned row, unsigned lane) const {
  // Lane 4 r + g of mma.sp: of elements of 16 bits and more, group g of k of row r, and of row r + 8 in its upper half;
  // of narrower ones, half g / 2 of k of row r + 8 (g mod 2).
  const unsigned r = lane / kCoreGroups, g = lane % kCoreGroups, first = lane_of_a(row);
  if (bits(a) >= 16) return {first + r + kCoreLines * (g % 2), selector};
  return {first + r + kCoreLines * (g % 2), g / 2};
}

}  // namespace bankshot::simt

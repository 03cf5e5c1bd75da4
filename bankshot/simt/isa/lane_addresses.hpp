// Addresses of a warp access, and what they have in common.
#pragma once

#include "bankshot/simt/isa/lanes.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// address = register + offset for every lane; lanes that are off get the address of the first active one, so that
/// whole rows can be worked on.
template <class Address>
inline void lane_addresses(const Warp& w, const Instr* i, Address* addresses) {
  const auto offset = static_cast<Address>(i->imm);
  if (i->op[0] == OperandRef::kNone) {
    for (int l = 0; l < kLanes; ++l) addresses[l] = offset;
    return;
  }
  if (i->flags & InstrFlag::kWide) {
    const u64* const base = w.row<const u64>(i->op[0]);
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < kLanes; ++l) addresses[l] = static_cast<Address>(base[l]) + offset;
  } else {
    const u32* const base = w.row<const u32>(i->op[0]);
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < kLanes; ++l) addresses[l] = static_cast<Address>(static_cast<u32>(base[l] + static_cast<u32>(offset)));
  }
  if (w.active != kAllLanes) {
    Address first[kLanes];
    const Address one = addresses[__builtin_ctzll(w.active)];
    for (int l = 0; l < kLanes; ++l) first[l] = one;
    blend(addresses, first, ~w.active & kAllLanes);
  }
}

enum class Shape : u8 { contiguous, uniform, scattered };

template <class Address>
struct Extent {
  Address low, high;   ///< lowest and highest address
  bool aligned;        ///< all are multiples of the size
  Shape shape;
};

/// @param bytes  size of each lane's access, a power of two
template <class Address>
inline Extent<Address> extent(const Address* a, unsigned bytes) {
  const Address first = a[0];
  Address step[kLanes];
  for (int l = 0; l < kLanes; ++l) step[l] = static_cast<Address>(l) * bytes;
  Address off_line = 0, off_point = 0;
  for (int l = 0; l < kLanes; ++l) {
    off_line |= (a[l] - first) ^ step[l];
    off_point |= a[l] ^ first;
  }
  if (off_line == 0) {
    const auto last = static_cast<Address>(first + (kLanes - 1) * bytes);
    return {first, last, (first & (bytes - 1)) == 0 && last >= first, Shape::contiguous};
  }
  if (off_point == 0) return {first, first, (first & (bytes - 1)) == 0, Shape::uniform};
  Address low = first, high = first, all = 0;
  for (int l = 0; l < kLanes; ++l) {
    low = a[l] < low ? a[l] : low;
    high = a[l] > high ? a[l] : high;
    all |= a[l];
  }
  return {low, high, (all & (bytes - 1)) == 0, Shape::scattered};
}

}  // namespace bankshot::simt::BANKSHOT_ISA

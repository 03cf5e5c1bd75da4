// Addresses of a warp access, and what they have in common.
#pragma once

#include "bankshot/simt/isa/lanes/lanes.hpp"

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
    for (int l = 0; l < kLanes; ++l)
      addresses[l] = static_cast<Address>(static_cast<u32>(base[l] + static_cast<u32>(offset)));
  }
  if (w.active != kAllLanes) {
    Address first[kLanes];
    const Address one = addresses[__builtin_ctzll(w.active)];
    for (int l = 0; l < kLanes; ++l) first[l] = one;
    blend(addresses, first, ~w.active & kAllLanes);
  }
}

/// Offsets in the shared window that name the CTA itself become those in its own memory.
inline void without_own_rank(const Warp& w, u32* offsets) {
  const u32 own = w.cta->own_window;
  if (own == 0) return;
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    const u32 byte = offsets[l] ^ own;
    offsets[l] = byte < Windows::kSharedBytes ? byte : offsets[l];
  }
}

struct Survey {
  bool fine;        ///< all addresses lie in the range and are multiples of the size
  bool contiguous;  ///< lane l is at the first lane's address + l * size
};

/// @param bytes  size of each lane's access, a power of two
/// @param begin, span  an address is in range if it is at most `span` past `begin`
template <class Address>
inline Survey survey(const Address* a, unsigned bytes, Address begin, Address span) {
  const Address first = a[0], low_bits = bytes - 1;
  Address wrong = 0, off_line = 0;
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    wrong |= (static_cast<Address>(a[l] - begin) > span ? ~Address{0} : Address{0}) | (a[l] & low_bits);
    off_line |= a[l] ^ static_cast<Address>(first + static_cast<Address>(l) * bytes);
  }
  return {wrong == 0, off_line == 0};
}

template <class Address>
struct Extent {
  Address low, high;  ///< lowest and highest address
  bool aligned;       ///< all are multiples of the size
};

/// @param bytes  size of each lane's access, a power of two
template <class Address>
inline Extent<Address> extent(const Address* a, unsigned bytes) {
  Address low = a[0], high = a[0], all = 0;
  for (int l = 0; l < kLanes; ++l) {
    low = a[l] < low ? a[l] : low;
    high = a[l] > high ? a[l] : high;
    all |= a[l];
  }
  return {low, high, (all & (bytes - 1)) == 0};
}

template <class Address>
inline bool all_equal(const Address* a) {
  Address different = 0;
  for (int l = 0; l < kLanes; ++l) different |= a[l] ^ a[0];
  return different == 0;
}

}  // namespace bankshot::simt::BANKSHOT_ISA

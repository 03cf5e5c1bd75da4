// Is a warp access a translation of one seen before?
#pragma once

#include <bit>
#include <cstdint>

#include "bankshot/scratchpad/counting/site.hpp"

namespace bankshot::scratchpad {

/// What tells two accesses apart at a glance.
struct ShapeKey {
  uint64_t mask;
  uint32_t base;    ///< address of the first active lane
  uint32_t last;    ///< distance of the last one
  uint32_t offset;  ///< of the first one in its bank word, in bytes; under a bank hash in the memory

  [[gnu::always_inline]] ShapeKey(const Rules& rules, const uint32_t* addresses, uint64_t active)
      : mask(active),
        base(addresses[std::countr_zero(active)]),
        last(addresses[63 - std::countl_zero(active)] - base),
        offset(rules.hash ? base : base & (rules.bank_bytes - 1)) {}
};

/// Distances of 32 lanes, those of inactive lanes ignored. Plain loops, so that the caller's clones vectorise them.
template <class Address>
[[gnu::always_inline]] inline Address differences(const Address* addresses, Address base, const Address* distance) {
  Address differ = 0;
  for (unsigned lane = 0; lane < 32; ++lane) differ |= (addresses[lane] - base) ^ distance[lane];
  return differ;
}
template <class Address>
[[gnu::always_inline]] inline Address differences(const Address* addresses, Address base, const Address* distance,
                                                  uint32_t mask) {
  Address differ = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    differ |= ((addresses[lane] - base) ^ distance[lane]) & (Address{0} - (mask >> lane & 1));
  }
  return differ;
}
/// The same of all lanes that are in the mask, which may be 64.
template <class Address>
[[gnu::always_inline]] inline bool same_distances(const Address* addresses, Address base, const Address* distance,
                                                  uint64_t mask) {
  if (mask == 0xffffffff) return differences(addresses, base, distance) == 0;
  const auto low = static_cast<uint32_t>(mask), high = static_cast<uint32_t>(mask >> 32);
  if (differences(addresses, base, distance, low) != 0) return false;
  return high == 0 || differences(addresses + 32, base, distance + 32, high) == 0;
}

[[gnu::always_inline]] inline bool same_shape(const ShapeMemo::Entry& entry, const ShapeKey& key,
                                              const uint32_t* addresses) {
  if (entry.mask != key.mask || entry.last != key.last || entry.offset != key.offset) return false;
  return same_distances(addresses, key.base, entry.distance.data(), key.mask);
}

/// Whether an access is the translation of an entry both by a sum (so that they have one shape) and by XOR (so that
/// they cost the same under a linear hash: addresses are multiples of the width, so what a lane accesses moves as a
/// whole). For entries made under a bank hash.
inline bool same_by_xor(const ShapeMemo::Entry& entry, const ShapeKey& key, const uint32_t* addresses) {
  if (entry.mask != key.mask || entry.last != key.last) return false;
  uint32_t differ = 0;
  for (uint64_t rest = key.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    differ |= (addresses[lane] - key.base) ^ entry.distance[lane];
    differ |= (addresses[lane] ^ key.base) ^ ((entry.offset + entry.distance[lane]) ^ entry.offset);
  }
  return differ == 0;
}

}  // namespace bankshot::scratchpad

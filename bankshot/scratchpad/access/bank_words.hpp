// From the bytes of a lane to the words of the banks.
#pragma once

#include <bit>

#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/base/units.hpp"

namespace bankshot::scratchpad {

/// Calls visit(word) for each bank word that a lane touches, in ascending order; words count in units of
/// Rules::bank_bytes, as Rules::bank and hashes take them.
/// @param address  of the lane's first byte, below 2^32 @param width  bytes of the lane, at least 1
template <class Visit>
[[gnu::always_inline]] inline void for_each_bank_word(const Rules& rules, ByteOffset address, unsigned width,
                                                      Visit visit) {
  const int shift = std::countr_zero(rules.bank_bytes);
  const auto first = static_cast<uint32_t>(address.value);
  const uint32_t last = (first + width - 1) >> shift;
  for (uint32_t word = first >> shift; word <= last; ++word) visit(word);
}

}  // namespace bankshot::scratchpad

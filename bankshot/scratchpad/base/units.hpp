// Places in shared memory, by unit. Patterns and traces hold words of 4 bytes, engines count bytes, banks and hashes
// count words of a bank, which have 4 or 8 bytes.
#pragma once

#include <cstdint>

namespace bankshot::scratchpad {

/// Bytes from the start of shared memory, or of an array.
struct ByteOffset {
  explicit constexpr ByteOffset(uint64_t bytes) : value(bytes) {}
  uint64_t value;
};

/// Words of 4 bytes from the start of shared memory.
struct WordAddress {
  explicit constexpr WordAddress(uint32_t word) : value(word) {}
  uint32_t value;
};

}  // namespace bankshot::scratchpad

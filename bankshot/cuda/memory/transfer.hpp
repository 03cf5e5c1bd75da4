// Copies and fills between host and device memory, with the checks the real driver makes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/simt/memory/memory.hpp"

namespace bankshot::cuda {

inline uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

/// What kind of address the caller claims to pass.
enum class Side : uint8_t {
  host,    ///< the program's own memory, pinned or managed memory; not device memory, not a place between allocations
  device,  ///< a live allocation that kernels can reach, and the whole range within it
  either,  ///< looked up
};

/// @return success, or invalid_value if [address, address + bytes) is not what `side` says; success if it is empty
Status check_range(const simt::Memory& memory, uint64_t address, uint64_t bytes, Side side);

/// A range of rows: `height` rows of `width` bytes, `pitch` bytes apart, in slices `slice` bytes apart, `depth` of
/// them.
struct Region {
  uint64_t address = 0;
  uint64_t pitch = 0;
  uint64_t slice = 0;
  Side side = Side::either;
};

struct Extent {
  uint64_t width = 0, height = 1, depth = 1;  ///< width in bytes
};

/// Copies an extent; overlapping rows as memmove would. Both regions are checked before the first byte moves.
/// @return success, invalid_value (range), or invalid_pitch (width greater than a pitch)
Status copy(const simt::Memory& memory, const Region& to, const Region& from, const Extent& extent);

/// Fills an extent of device memory with a value of `element` bytes: 1, 2 or 4. Width in bytes.
/// @return success, or invalid_value (range, or address or pitch not a multiple of `element`)
Status fill(const simt::Memory& memory, const Region& to, const Extent& extent, uint32_t value, unsigned element = 1);

}  // namespace bankshot::cuda

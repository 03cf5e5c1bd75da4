// Functions of a loaded file, written over with jumps to others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bankshot::cuda::embedded {

/// Bytes that a jump takes: `jmp *(%rip)` and the address that it reads.
constexpr size_t kJumpBytes = 14;

struct Jump {
  std::byte* from;  ///< code with room for kJumpBytes
  const void* to;
};

/// Writes them all, or none: the pages they lie in are made writable meanwhile, and executable again afterwards.
/// @return false if the system does not allow it
bool write_jumps(std::span<const Jump> jumps);

/// Whether there is a jump to somewhere written by write_jumps.
bool is_jump(const std::byte* code);

/// A function that only returns, followed only by padding: it also has room for a jump.
bool is_empty_function(const std::byte* code);

}  // namespace bankshot::cuda::embedded

// Cycles of an SM around single atomics on shared memory, for programs that measure them.
//
// On the simulated GPU a warp issues in order, and an instruction waits for its operands: the clock is read when the value
// is there. On hardware the assembler could read the clock earlier, as the value is not an operand of that; the branch,
// which it cannot foresee, forbids it. Under `bankshot run` the clock counts instructions, so differences mean nothing.
#pragma once

#include "check.hpp"

/// The SM's clock as soon as `value`, which must not be 2^32 - 1, is known.
static __device__ __forceinline__ unsigned clock_when_there(unsigned value) {
  unsigned cycle;
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0xffffffff; @p trap; mov.u32 %0, %%clock; }"
               : "=r"(cycle)
               : "r"(value)
               : "memory");
  return cycle;
}

/// Adds to a word of shared memory. In assembly, so that nothing is computed between two readings of the clock but this.
/// @param address  of shared_address
/// @return         what was there
static __device__ __forceinline__ unsigned shared_add(unsigned address, unsigned amount) {
  unsigned old;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(address), "r"(amount) : "memory");
  return old;
}

/// The same without the old value, which nothing waits for then.
static __device__ __forceinline__ void shared_add_only(unsigned address, unsigned amount) {
  asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(address), "r"(amount) : "memory");
}

static __device__ __forceinline__ unsigned shared_address(const unsigned* word) {
  return static_cast<unsigned>(__cvta_generic_to_shared(word));
}

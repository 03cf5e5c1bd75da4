// Between which accesses of shared memory ptxas sees nothing that could change what they read.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/optimise/values.hpp"
#include "bankshot/ptx/access.hpp"

namespace bankshot::optimise {

/// A load or store of shared memory by addresses of lanes that may be joined: weak or relaxed, of the CTA's own memory.
bool is_plain_shared(const ptx::Access& access);

/// What an instruction may do to shared memory, as far as others must not be moved over it.
struct Effect {
  /// Or orders: a store, an atomic, a copy, a barrier, a fence; a call, also of a subroutine that ptxas divides with.
  bool writes = false;
  bool reads = false;
};
Effect effect_of(const ptx::Instruction& instruction, const ptx::Access& access);

/// Whether ptxas makes branches of it, which end a basic block: stores are joined within one. Guarded instructions are
/// such, and operations that treat some operands apart.
bool splits_block(const ptx::Instruction& instruction);

/// By step: equal numbers mean that on no path between the two steps shared memory is written or ordered. A step that
/// writes ends the time before it; its own number is that of the time behind it. 0 for steps that are never reached.
std::vector<uint32_t> memory_times(const ptx::KernelCode& code, const Control& control,
                                   const std::vector<Effect>& effects);

}  // namespace bankshot::optimise

// Memory that threads take of their stacks: alloca, stacksave, stackrestore. Source: PTX ISA 9.0, "Stack Manipulation
// Instructions". Frames of calls grow from the start of a thread's local memory, this from its end. It is given back by
// stackrestore, by the return of the function that took it, or with the thread. What a lane had taken before a call is
// kept in the frame of the callee, where lanes that part and functions that call themselves each have their own;
// functions without alloca have no room for it.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"
#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {

/// op[0]: destination, an offset in local memory; op[1]: bytes; imm: alignment, a power of two. Both rows have elements
/// of op[2] bytes
const Instr* run_alloca(Warp& w, const Instr* i);
/// op[0]: destination of op[2] bytes
const Instr* run_stack_save(Warp& w, const Instr* i);
/// op[1]: what was saved, of op[2] bytes
const Instr* run_stack_restore(Warp& w, const Instr* i);

/// Bytes that the lanes that execute have taken, at the most.
uint32_t stack_used(const Warp& w);

/// Last bytes of the frame of a function that has alloca, in which each lane keeps what it had taken before the call.
constexpr uint32_t kKeptStackBytes = 16;
/// At the call and at the return of such a function, for the lanes that execute. @param end  of its frame, an offset in
/// local memory
void keep_stack_used(const Warp& w, uint32_t end);
void give_back_stack(Warp& w, uint32_t end);

void lower_alloca(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_stack_save(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_stack_restore(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

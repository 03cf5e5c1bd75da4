// Memory that threads take of their stacks: alloca, stacksave, stackrestore. Source: PTX ISA 9.0, "Stack Manipulation Instructions".
// Frames of calls grow from the start of a thread's local memory, this from its end. It is given back by stackrestore, or with the
// thread: not by a return, so that a function that is called often takes more and more until the stack is exhausted, which is told.
#pragma once

#include "bankshot/simt/decode.hpp"
#include "bankshot/simt/warp.hpp"

namespace bankshot::simt {

/// op[0]: destination, an offset in local memory; op[1]: bytes; imm: alignment. Both rows have elements of op[2] bytes
const Instr* run_alloca(Warp& w, const Instr* i);
/// op[0]: destination of op[2] bytes
const Instr* run_stack_save(Warp& w, const Instr* i);
/// op[1]: what was saved, of op[2] bytes
const Instr* run_stack_restore(Warp& w, const Instr* i);

/// Bytes that the lanes that execute have taken, at the most.
uint32_t stack_used(const Warp& w);

void lower_alloca(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_stack_save(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_stack_restore(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

// multimem.ld_reduce, st and red: accesses through multicast objects, here of one device, so that ld_reduce gives what
// is there, and st and red write one copy. Source: PTX ISA 9.0, multimem. What the handler finds: op[0], imm and kWide,
// the address; op[1], a list of rows, those of d or b; op[2], bytes of an element; op[3], how many; op[4], a Reduction,
// kMultimemLoad or kMultimemStore; fp, the Type of a reduction.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"
#include "bankshot/simt/state/instr.hpp"

namespace bankshot::simt {

constexpr uint32_t kMultimemLoad = 100, kMultimemStore = 101;

const Instr* run_multimem(Warp& w, const Instr* i);
void lower_multimem(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

/// Whether multimem has this operation with this type and vector. Source: PTX ISA 9.0, multimem; ptxas 13.0.
bool is_multimem_form(const Match& m);

}  // namespace bankshot::simt

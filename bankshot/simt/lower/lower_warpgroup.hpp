// How the instructions of warpgroups are laid out in an Instr, the same for every instruction set of the host.
//
//   wgmma.mma_async   op[0] = list of the registers of d, and of a if it is in registers, one after the other;
//                     op[1] = descriptor of a, or kNone; op[2] = descriptor of b; op[3] = scale-d, a predicate;
//                     op[4] = metadata of a sparse a, or kNone; imm = WarpgroupForm; aux = site
//   wgmma.wait_group  imm = groups that may be pending
#pragma once

#include "bankshot/simt/matrices/warpgroup_form.hpp"
#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

/// Multiply-adds of 16-bit factors of one warp: what wgmma.mma_async keeps its tensor core busy for.
uint32_t warpgroup_work(const Match& m);

void lower_warpgroup_product(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_warpgroup_wait(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

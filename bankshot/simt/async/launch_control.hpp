// Taking over clusters of the launch that have not started. Source: PTX ISA 9.0, clusterlaunchcontrol.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"
#include "bankshot/simt/state/instr.hpp"

namespace bankshot::simt {

/// What try_cancel writes and query_cancel reads: a register of 128 bits.
struct CancelResponse {
  uint32_t x = 0, y = 0, z = 0;  ///< index of the first CTA of the cluster
  uint32_t canceled = 0;         ///< 1 if there is one
};
static_assert(sizeof(CancelResponse) == 16);

/// op[0], imm, small, kWide: the address; op[5], the index in LoadedProgram::copies: the same, its barrier, and a mask
/// of CTAs if it goes to all of the cluster; aux: site. In a timing model, which starts CTAs by itself, there never is
/// one that has not started.
const Instr* run_try_cancel(Warp& w, const Instr* i);
/// op[0]: predicate, op[1]: response
const Instr* run_is_canceled(Warp& w, const Instr* i);
/// op[0]: list of three rows, kNone where one is not wanted; op[1]: response
const Instr* run_first_cta(Warp& w, const Instr* i);

void lower_try_cancel(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_is_canceled(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_first_cta(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

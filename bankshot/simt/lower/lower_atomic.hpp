// How atom and red are laid out in an Instr.
//
//   op[0] = address register, kNone if `imm` is the whole address; imm = offset; flags: kWide if it has 64 bits
//   op[1] = d, kNone for red and for atom with `_`
//   op[2] = b, op[3] = c (cas: compare with b, store c)
//   small = ptx::Space: shared, global or generic
//   aux   = the site, of shared and generic ones
//   flags = kPolls if d is used
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

/// Also tells the decoder when other CTAs may see the order of what happens: when the old value is used, or when the
/// operation does not commute with itself (floating-point addition, exch, cas, inc, dec).
void lower_atomic(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

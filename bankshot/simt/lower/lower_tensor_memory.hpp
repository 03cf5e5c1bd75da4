// How the instructions of tensor memory (tcgen05) are laid out in an Instr, the same for every instruction set of the
// host.
//
//   mma   op[0] = row of addresses of d; op[1] = row of descriptors of a, or of its addresses in tensor memory;
//         op[2] = row of descriptors of b; op[3] = enable-input-d, a predicate; op[4] = list: TensorOperands
//         (tensor_product.hpp); imm = TensorProductForm, and in its upper half what is added to the address of a; op[5]
//         = what is added to that of d; aux = site
//   The others: simt/tensor_access/access.hpp.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

void lower_tensor_allocate(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_tensor_free(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// tcgen05.ld and .st
void lower_tensor_load(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// tcgen05.ld.red: as a load, and op[4] = row of results
void lower_tensor_reduce(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_tensor_store(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_tensor_commit(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_tensor_product(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_tensor_copy_in(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_tensor_shift(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

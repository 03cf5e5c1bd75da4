// Lowering of asynchronous copies and mbarriers, the same for every instruction set of the host.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

// What the handlers find is said in async_copy.hpp and mbarrier.hpp.

void lower_async_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// wait_group: imm, how many groups need not be there; wait_all: all bits, as what was not committed has to be, too.
void lower_async_wait(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_async_arrive(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cp.async.bulk between global and shared memory, or from shared memory to shared memory.
void lower_bulk_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// The same, which combines what it copies with what is there.
void lower_bulk_reduce(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cp.async.bulk.prefetch: [address], bytes.
void lower_bulk_prefetch(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor: what the handlers find is said in tensor_copy.hpp.
void lower_tensor_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cp.async.bulk.prefetch.tensor: [map, {coordinates}]
void lower_tensor_prefetch(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// st.async, red.async: what the handlers find is said in async_store.hpp.
void lower_async_store(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// init, inval, expect_tx, complete_tx: [address], or [address] and a count.
void lower_mbarrier(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_mbarrier_arrive(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_mbarrier_test(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_mbarrier_pending(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

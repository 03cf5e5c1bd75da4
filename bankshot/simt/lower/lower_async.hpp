// Lowering of asynchronous copies and mbarriers, the same for every instruction set of the host.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

// async_copy.hpp and mbarrier.hpp say what the handlers find.

void lower_async_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// wait_group: imm, how many groups may be pending; wait_all: all bits, because copies that were not committed must be
/// complete, too.
void lower_async_wait(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_async_arrive(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cp.async.bulk between global and shared memory, or from shared memory to shared memory.
void lower_bulk_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// The same, but combines the copied data with the old contents.
void lower_bulk_reduce(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cp.async.bulk.prefetch: [address], bytes.
void lower_bulk_prefetch(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor: tensor_copy.hpp says what the handlers find.
void lower_tensor_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cp.async.bulk.prefetch.tensor: [map, {coordinates}]
void lower_tensor_prefetch(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// st.async, red.async: async_store.hpp says what the handlers find.
void lower_async_store(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// init, inval, expect_tx, complete_tx: [address], or [address] and a count.
void lower_mbarrier(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_mbarrier_arrive(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_mbarrier_test(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_mbarrier_pending(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

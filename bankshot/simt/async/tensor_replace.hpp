// Changing descriptors of tensors in memory, and copying them. Source: PTX ISA 9.0, tensormap.replace and
// tensormap.cp_fenceproxy.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"
#include "bankshot/simt/state/instr.hpp"

namespace bankshot::simt {

/// The fields that tensormap.replace changes; those that exist per dimension have it in op[1].
enum class TensorField : uint8_t {
  global_address,
  rank,
  elemtype,
  interleave_layout,
  swizzle_mode,
  swizzle_atomicity,
  fill_mode,
  box_dim,
  global_dim,
  global_stride,
  element_stride
};

/// 128 bytes of zeros are a descriptor that is begun: Triton makes its own so.
/// op[0], imm, small, kWide: the descriptor's address; op[1]: dimension; op[2]: row of values, op[3]: bytes of one;
/// op[4]: TensorField
const Instr* run_tensor_replace(Warp& w, const Instr* i);
/// The same address: where it goes; op[5], the index in LoadedProgram::copies: `from`. Lanes do it together, once.
const Instr* run_tensor_map_copy(Warp& w, const Instr* i);

void lower_tensor_replace(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_tensor_map_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

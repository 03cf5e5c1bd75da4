// How the matrix instructions are laid out in an Instr, the same for every instruction set of the host. "list" is an
// index of LoadedProgram::lists.
//
//   mma, wmma.mma   op[0] = list of the registers of d, a, b and c, one after the other; op[1] = MatrixShape;
//                   op[2] = elements, a byte each: a, b, c, d; op[3] = numbers of registers, a byte each: d, a, b, c;
//                   small: MmaSmall
//   mma.sp          the same; op[4] = metadata; imm = MmaVariant
//   mma with        the same; op[5] = list of six operands: data, byte and thread of the scales of A, then of B; imm =
//   .block_scale    MmaVariant
//   wmma.load,      op[0], imm, small, kWide: the address, as in lower_memory.hpp; op[1] = list of the registers;
//   wmma.store      op[2] = stride; op[3] = Fragment; op[4] = Fragment::Way; aux = site
//   ldmatrix,       the same; op[2] = 1 if .trans
//   stmatrix
//   movmatrix       op[0] = d, op[1] = a
#pragma once

#include "bankshot/simt/matrices/fragment.hpp"
#include "bankshot/simt/matrices/mma_variant.hpp"
#include "bankshot/simt/matrices/sparse_selection.hpp"
#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

struct MmaSmall {
  static constexpr uint8_t kSaturate = 1;  ///< .satfinite
  static constexpr uint8_t kAnd = 2;       ///< b1: .and, not .xor
  static constexpr uint8_t kAColumns = 4;  ///< m8n8k4 of f16: A is .col
  static constexpr uint8_t kBRows = 8;     ///< … B is .row
};

/// Of mma and wmma.mma: multiply-adds of 16-bit factors that take as long. Half as wide factors take half of the time,
/// tf32 twice as long as f16, and f64 sixteen times; of a sparse A the elements that are kept count. Source: H100
/// whitepaper, peak rates.
uint32_t product_work(const Match& m);

/// Matrix instructions are defined for warps of 32 lanes. @return false after an error
bool fits_the_warp(Decoder& decoder, const ptx::Instruction& instruction);
/// The registers of one matrix, written `{…}`, or plain if it is one. Appended to `rows`. @return false after an error
bool lower_registers(Decoder& decoder, const ptx::Operand& operand, unsigned count, unsigned bytes, bool writes,
                     std::vector<uint32_t>& rows);
/// The operand of a sparse product that says which lanes hold the metadata. @return false after an error
bool lower_selector(Decoder& decoder, const ptx::Operand& operand, const SparseSelection& of, unsigned& selector);
MatrixShape shape_of(const Match& m);
/// The element types among the modifiers, in order.
std::vector<Element> elements_of(const Match& m);

void lower_mma(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_wmma_mma(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_wmma_load(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_wmma_store(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_ldmatrix(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_stmatrix(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_movmatrix(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

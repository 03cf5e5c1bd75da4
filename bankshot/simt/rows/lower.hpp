// What several `lower` functions of rows need.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

/// Forms that are lowered by hand check their operand count themselves.
/// @return false after an error
bool expect_operands(Decoder& decoder, const ptx::Instruction& instruction, size_t least, size_t most);
inline bool expect_operands(Decoder& decoder, const ptx::Instruction& instruction, size_t count) {
  return expect_operands(decoder, instruction, count, count);
}

/// A destination that may be `_`: kNone then.
inline uint32_t destination_or_none(Decoder& decoder, const ptx::Operand& operand, ptx::Type type,
                                    bool wider_ok = false, ptx::Type* actual = nullptr) {
  return operand.kind == ptx::Operand::Kind::sink ? OperandRef::kNone
                                                  : decoder.destination(operand, type, wider_ok, actual);
}

/// Puts an address where handlers of instructions on memory find it: op[0], imm, kWide and small. A name says by itself
/// where it is, if the instruction does not. @param space  what the instruction says
void put_address(const Decoder::Address& address, ptx::Space space, Instr& out);
/// Lowers an address operand so. @return false after an error
bool lower_address(Decoder& decoder, const ptx::Operand& operand, ptx::Space space, Instr& out);
/// The same of memory that threads share: global, shared or generic. @param what  "atomics work on", for the message
bool lower_shared_address(Decoder& decoder, const ptx::Operand& operand, ptx::Space space, const char* what,
                          Instr& out);

/// Whether an operand names a predicate.
bool is_predicate(const Decoder& decoder, const ptx::Operand& operand);
/// Appends the rows of an operand that is one register, or a vector of `count`. @return false after an error
bool lower_rows(Decoder& decoder, const ptx::Operand& operand, unsigned count, ptx::Type type, bool writes,
                std::vector<uint32_t>& rows);
/// Keeps a list of rows with the program. @return its number, for an operand
uint32_t keep_rows(Decoder& decoder, std::vector<uint32_t> rows);

/// A source that is not a number: 16-bit floats and packed integers have no immediates.
uint32_t register_source(Decoder& decoder, const ptx::Operand& operand, ptx::Type type);

/// Packed integers: op[k] = operand k, all of 32 bits and in registers.
void lower_packed(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

/// d or d|p: a destination row of `type` and a predicate, kNone where one is missing or `_`.
struct Destinations {
  uint32_t row = OperandRef::kNone, predicate = OperandRef::kNone;
};
Destinations destination_and_predicate(Decoder& decoder, const ptx::Operand& operand, ptx::Type type);

/// %clock, %clock64, %globaltimer and their halves.
bool is_clock_register(std::string_view name);

}  // namespace bankshot::simt

// What several `lower` functions of rows need.
#pragma once

#include "bankshot/simt/rows/decode.hpp"

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

/// A source that is no number: of 16-bit floats and packed integers there are none.
uint32_t register_source(Decoder& decoder, const ptx::Operand& operand, ptx::Type type);

/// Packed integers: op[k] = operand k, all of 32 bits and in registers.
void lower_packed(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

/// d or d|p: a destination row of `type` and a predicate, kNone where one is missing or `_`.
struct Destinations {
  uint32_t row = OperandRef::kNone, predicate = OperandRef::kNone;
};
Destinations destination_and_predicate(Decoder& decoder, const ptx::Operand& operand, ptx::Type type);

}  // namespace bankshot::simt

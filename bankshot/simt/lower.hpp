// What several `lower` functions of rows need.
#pragma once

#include "bankshot/simt/decode.hpp"

namespace bankshot::simt {

/// Forms that are lowered by hand check their operand count themselves.
/// @return false after an error
bool expect_operands(Decoder& decoder, const ptx::Instruction& instruction, size_t least, size_t most);
inline bool expect_operands(Decoder& decoder, const ptx::Instruction& instruction, size_t count) {
  return expect_operands(decoder, instruction, count, count);
}

/// d or d|p: a destination row of `type` and a predicate, kNone where one is missing or `_`.
struct Destinations {
  uint32_t row = OperandRef::kNone, predicate = OperandRef::kNone;
};
Destinations destination_and_predicate(Decoder& decoder, const ptx::Operand& operand, ptx::Type type);

}  // namespace bankshot::simt

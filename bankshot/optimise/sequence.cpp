#include "bankshot/optimise/sequence.hpp"

#include <string>
#include <vector>

#include "bankshot/optimise/values.hpp"
#include "bankshot/optimise/words.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::optimise {
namespace {

using ptx::Type;

Sequence integer_division(Type type) {
  if (ptx::bits(type) == 64) return {70, 40, 1};  // a subroutine
  // Two conversions and a reciprocal, two estimates of the quotient that are corrected; signs are put apart and back.
  // Published chains take 71 cycles (TITAN V) and 79 (TITAN RTX): with the conversions as three of the chain 70 and 71.
  return type == Type::s32 ? Sequence{20, 16, 1} : Sequence{14, 14, 1};
}

/// Between integers and floating point, or of doubles.
bool converts_number(const ptx::Instruction& instruction) {
  Type types[2] = {Type::none, Type::none};
  size_t found = 0;
  for (const std::string& modifier : instruction.modifiers) {
    const Type type = ptx::type_named(modifier);
    if (type != Type::none && found < 2) types[found++] = type;
  }
  if (found < 2) return false;
  return ptx::is_float(types[0]) != ptx::is_float(types[1]) || types[0] == Type::f64 || types[1] == Type::f64;
}

/// Of integers, where ptxas 13.0 has no single instruction.
Sequence of_integers(const ptx::Instruction& instruction) {
  const std::string& op = instruction.opcode;
  if (op == "cvt" && converts_number(instruction)) return {.converts = true};
  if (op == "mul24" || op == "mad24") return has(instruction, "hi") ? Sequence{5, 4, 0} : Sequence{2, 2, 0};
  if (is_one_of(op, "cnot", "bfi")) return {2, 2, 0};
  if (op == "clz") return {2, 1, 1};
  if (op != "bfe") return {};
  // Read before its operands are checked: it may have any number of them.
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const bool known = operands.size() == 4 && operands[2].kind == ptx::Operand::Kind::integer &&
                     operands[3].kind == ptx::Operand::Kind::integer;
  return known ? Sequence{2, 2, 0} : Sequence{5, 4, 0};
}

}  // namespace

Sequence sequence_of(const ptx::Instruction& instruction) {
  const std::string& op = instruction.opcode;
  if (!is_one_of(op, "div", "rem", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos")) return of_integers(instruction);
  const Type type = type_of(instruction);
  if (!ptx::is_float(type)) return integer_division(type);
  const bool is_f64 = type == Type::f64, approximate = has(instruction, "approx"), flushes = has(instruction, "ftz");
  if (op == "div") {
    if (is_f64) return {16, 9, 1};
    if (has(instruction, "full")) return {8, 4, 1};
    if (approximate) return flushes ? Sequence{2, 1, 1} : Sequence{5, 3, 1};
    return {14, 7, 1};
  }
  if (op == "rcp") {
    if (is_f64) return approximate ? Sequence{} : Sequence{12, 5, 1};
    if (!approximate) return {13, 8, 1};
    return flushes ? Sequence{} : Sequence{7, 5, 1};
  }
  if (op == "sqrt") {
    if (is_f64) return {14, 8, 1};
    if (!approximate) return {8, 5, 1};
    return flushes ? Sequence{} : Sequence{4, 3, 1};
  }
  if (op == "rsqrt" && is_f64) return flushes ? Sequence{} : Sequence{18, 4, 1};
  if (op == "sin" || op == "cos") return {2, 1, 1};
  return flushes || type != Type::f32 ? Sequence{} : Sequence{4, 3, 1};
}

}  // namespace bankshot::optimise

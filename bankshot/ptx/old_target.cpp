#include "bankshot/ptx/old_target.hpp"

#include <algorithm>
#include <array>

#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/special_registers.hpp"

namespace bankshot::ptx {
namespace {

bool is_for_old_target(const Module& module) {
  return std::ranges::any_of(
      module.targets, [](const std::string& target) { return target.size() == 5 && target.starts_with("sm_1"); });
}

/// Whether subnormal numbers count in f32 forms of it unless .ftz says otherwise.
bool may_flush(std::string_view opcode) {
  static constexpr auto kOpcodes =
      std::to_array<std::string_view>({"abs", "add", "cos", "cvt",   "div", "ex2",  "lg2", "mad",  "max",  "min",
                                       "mul", "neg", "rcp", "rsqrt", "set", "setp", "sin", "slct", "sqrt", "sub"});
  return std::ranges::find(kOpcodes, opcode) != kOpcodes.end();
}

/// The last type is that of the sources. Conversions to integers of 64 bits do not flush, nor did those to f64 up to
/// PTX 1.4.
bool flushes(const Instruction& instruction, Type first, bool to_double) {
  const std::string& last = instruction.modifiers.back();
  if (instruction.opcode != "cvt") return last == "f32";
  return (last == "f32" || last == "f64") && (first == Type::f64 ? to_double : bits(first) != 64);
}

/// %tid and its like had 16 bits.
bool reads_half_of_special_register(const Instruction& instruction) {
  return instruction.opcode == "mov" && has(instruction, "u16") && instruction.operands.size() == 2 &&
         instruction.operands[1].kind == Operand::Kind::identifier && is_special_register(instruction.operands[1].name);
}

void spell_out(Instruction& instruction, bool to_double) {
  std::vector<std::string>& modifiers = instruction.modifiers;
  if (reads_half_of_special_register(instruction)) {
    instruction.opcode = "cvt";
    modifiers = {"u16", "u32"};
  }
  if (!has(instruction, "f32") || !may_flush(instruction.opcode)) return;
  const auto type = std::ranges::find_if(modifiers, [](const std::string& m) { return type_named(m) != Type::none; });
  if (!has(instruction, "ftz") && flushes(instruction, type_named(*type), to_double)) modifiers.insert(type, "ftz");
  const bool rounds =
      has(instruction, "rn") || has(instruction, "rz") || has(instruction, "rm") || has(instruction, "rp");
  if (instruction.opcode != "mad" || rounds) return;
  instruction.opcode = "fma";
  modifiers.insert(modifiers.begin(), "rn");
}

void spell_out(Block& block, bool to_double) {
  for (Statement& statement : block.statements) {
    if (auto* const instruction = std::get_if<Instruction>(&statement)) spell_out(*instruction, to_double);
    if (auto* const inner = std::get_if<std::unique_ptr<Block>>(&statement)) spell_out(**inner, to_double);
  }
}

}  // namespace

void spell_out_old_target(Module& module) {
  if (!is_for_old_target(module)) return;
  const bool to_double = std::pair(module.version_major, module.version_minor) > std::pair(1u, 4u);
  for (Item& item : module.items) {
    if (auto* const variable = std::get_if<Variable>(&item); variable != nullptr && variable->space == Space::tex) {
      variable->space = Space::global;
      variable->type = Type::opaque;
      variable->opaque = "texref";
    }
    if (auto* const function = std::get_if<Function>(&item); function != nullptr && function->body)
      spell_out(*function->body, to_double);
  }
}

}  // namespace bankshot::ptx

#include "bankshot/ptx/lookup.hpp"

#include <algorithm>

namespace bankshot::ptx {
namespace {

/// The item as a kernel with a body, or null.
const Function* kernel_in(const Item& item) {
  const auto* function = std::get_if<Function>(&item);
  return function != nullptr && function->is_entry && function->body != nullptr ? function : nullptr;
}

}  // namespace

const Function* find_kernel(const Module& module, std::string_view name) {
  for (const Item& item : module.items) {
    const Function* kernel = kernel_in(item);
    if (kernel != nullptr && kernel->name == name) return kernel;
  }
  return nullptr;
}

std::vector<std::string> kernel_names(const Module& module) {
  std::vector<std::string> names;
  for (const Item& item : module.items) {
    if (const Function* kernel = kernel_in(item)) names.push_back(kernel->name);
  }
  return names;
}

bool any_name_begins(const Block& block, std::string_view prefix) {
  return std::any_of(block.statements.begin(), block.statements.end(), [&](const Statement& statement) {
    if (const auto* variable = std::get_if<Variable>(&statement)) return variable->name.starts_with(prefix);
    if (const auto* label = std::get_if<Label>(&statement)) return label->name.starts_with(prefix);
    if (const auto* targets = std::get_if<Targets>(&statement)) return targets->label.starts_with(prefix);
    if (const auto* prototype = std::get_if<CallPrototype>(&statement)) return prototype->label.starts_with(prefix);
    const auto* inner = std::get_if<std::unique_ptr<Block>>(&statement);
    return inner != nullptr && any_name_begins(**inner, prefix);
  });
}

std::string mnemonic(const Instruction& instruction) {
  std::string text = instruction.opcode;
  for (const std::string& modifier : instruction.modifiers) text += '.' + modifier;
  return text;
}

std::string as_written(const Instruction& instruction) {
  return instruction.written.empty() ? mnemonic(instruction) : instruction.written;
}

bool writes_first_operand(const Instruction& instruction) {
  if (instruction.operands.empty()) return false;
  const Operand::Kind kind = instruction.operands[0].kind;
  if (instruction.opcode == "call") return kind == Operand::Kind::list && instruction.operands.size() > 1;
  if (kind != Operand::Kind::identifier && kind != Operand::Kind::vector && kind != Operand::Kind::pair) return false;
  static constexpr std::string_view kWithoutResult[] = {"bar",     "barrier",    "bra",          "brx",    "nanosleep",
                                                        "pmevent", "setmaxnreg", "stackrestore", "tcgen05"};
  const bool none =
      std::find(std::begin(kWithoutResult), std::end(kWithoutResult), instruction.opcode) != std::end(kWithoutResult);
  return !none || has(instruction, "red") || (instruction.opcode == "tcgen05" && has(instruction, "ld"));
}

bool reads_first_operand(const Instruction& instruction) {
  return !writes_first_operand(instruction) || instruction.opcode == "wgmma";
}

bool has(const Instruction& instruction, std::string_view modifier) {
  return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), modifier) != instruction.modifiers.end();
}

Type type_of(const Instruction& instruction) {
  Type last = Type::none;
  for (const std::string& modifier : instruction.modifiers) {
    const Type type = type_named(modifier);
    if (type != Type::none) last = type;
  }
  return last;
}

}  // namespace bankshot::ptx

#include "bankshot/ptx/shared_layout.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "bankshot/support/round_up.hpp"

namespace bankshot::ptx {
namespace {

using Names = std::unordered_set<std::string>;

void add_names(const Operand& operand, Names& names) {
  if (!operand.name.empty()) names.insert(operand.name);
  for (const Operand& element : operand.elements) add_names(element, names);
}

bool is_dynamic(const Variable& variable) { return variable.space == Space::shared && variable.linkage == "extern"; }
bool is_static(const Variable& variable) { return variable.space == Space::shared && variable.linkage != "extern"; }

/// What the instructions of a body mention.
struct Mentioned {
  Names names;
  bool calls = false;

  void add(const Block& block) {
    for (const Statement& statement : block.statements) {
      if (const auto* instruction = std::get_if<Instruction>(&statement)) {
        calls |= instruction->opcode == "call";
        for (const Operand& operand : instruction->operands) add_names(operand, names);
      } else if (const auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) {
        add(**inner);
      }
    }
  }
};

void place(const Variable& variable, SharedLayout::Kernel& to) {
  to.end = round_up(to.end, alignment_of(variable));
  to.offsets[&variable] = to.end;
  to.end += size_of(variable);
}

/// Each variable that is declared in the block or in one inside.
template <class Visit>
void each_variable(const Block& block, const Visit& visit) {
  for (const Statement& statement : block.statements) {
    if (const auto* variable = std::get_if<Variable>(&statement)) visit(*variable);
    if (const auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) each_variable(**inner, visit);
  }
}

void place_all(const Block& block, SharedLayout::Kernel& to) {
  each_variable(block, [&](const Variable& variable) {
    if (is_static(variable)) place(variable, to);
  });
}

}  // namespace

SharedLayout::SharedLayout(const Module& module) {
  Names initialisers;
  const auto look_at = [&](const Variable& variable) {
    if (is_dynamic(variable)) dynamic_alignment_ = std::max<uint64_t>(dynamic_alignment_, alignment_of(variable));
  };
  for (const Item& item : module.items) {
    if (const auto* variable = std::get_if<Variable>(&item)) {
      look_at(*variable);
      for (const Operand& element : variable->initialiser) add_names(element, initialisers);
      if (is_static(*variable)) variables_.push_back(variable);
      if (is_dynamic(*variable)) dynamic_.push_back(variable);
    } else if (const auto* function = std::get_if<Function>(&item); function != nullptr && function->body != nullptr) {
      each_variable(*function->body, look_at);
    }
  }
  for (const Variable* variable : variables_) {
    pinned_ |= initialisers.contains(variable->name);
    place(*variable, module_);
  }
  functions_ = module_;
  for (const Item& item : module.items) {
    const auto* function = std::get_if<Function>(&item);
    if (function != nullptr && !function->is_entry && function->body != nullptr) place_all(*function->body, functions_);
  }
}

SharedLayout::Kernel SharedLayout::of(const Function& function) const {
  if (!function.is_entry) return functions_;
  Mentioned mentioned;
  mentioned.add(*function.body);
  Kernel kernel;
  if (mentioned.calls) {
    kernel = functions_;
  } else if (pinned_) {
    kernel = module_;
  } else {
    for (const Variable* variable : variables_) {
      if (mentioned.names.contains(variable->name)) place(*variable, kernel);
    }
  }
  place_all(*function.body, kernel);
  return kernel;
}

uint64_t SharedLayout::dynamic_base(const Kernel& kernel) const { return round_up(kernel.end, dynamic_alignment_); }

std::map<const Variable*, uint32_t> SharedLayout::offsets(const Function& function) const {
  const Kernel kernel = of(function);
  std::map<const Variable*, uint32_t> all;
  for (const auto& [variable, offset] : kernel.offsets) all[variable] = static_cast<uint32_t>(offset);
  const auto dynamic = static_cast<uint32_t>(dynamic_base(kernel));
  for (const Variable* variable : dynamic_) all[variable] = dynamic;
  each_variable(*function.body, [&](const Variable& variable) {
    if (is_dynamic(variable)) all[&variable] = dynamic;
  });
  return all;
}

}  // namespace bankshot::ptx

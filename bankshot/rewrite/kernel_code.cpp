#include "bankshot/rewrite/kernel_code.hpp"

#include <algorithm>
#include <charconv>

namespace bankshot::rewrite {
namespace {

/// Whether a name is one of `%r<10>`: %r0 to %r9.
bool in_range(const ptx::Variable& family, std::string_view name) {
  if (!name.starts_with(family.name)) return false;
  name.remove_prefix(family.name.size());
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = error == std::errc{} && end == name.data() + name.size();
  return whole && number < family.range && (name.size() == 1 || name[0] != '0');
}

}  // namespace

std::string to_string(const Place& place) {
  if (place.line == 0) return "PTX line " + std::to_string(place.ptx_line);
  const size_t slash = place.file.rfind('/');
  return place.file.substr(slash == std::string::npos ? 0 : slash + 1) + ":" + std::to_string(place.line);
}

KernelCode::KernelCode(const ptx::Module& module, const ptx::Function& function) : files_(ptx::files_of(module)) {
  scopes_.emplace_back();
  for (const ptx::Item& item : module.items) {
    if (const auto* variable = std::get_if<ptx::Variable>(&item)) declare(0, *variable);
  }
  scopes_.push_back({.outer = 0});
  for (const ptx::Variable& parameter : function.parameters) declare(1, parameter);
  for (const ptx::Variable& result : function.returns) declare(1, result);
  places_.start(*function.body, files_);
  walk(*function.body, 1);
  for (const Step& step : steps_) {
    for (const ptx::Operand& operand : step.instruction->operands) number(step, operand);
  }
}

void KernelCode::declare(size_t scope, const ptx::Variable& variable) {
  if (variable.range == 0) {
    scopes_[scope].names.emplace(variable.name, &variable);
  } else {
    scopes_[scope].ranges.push_back(&variable);
  }
}

void KernelCode::walk(const ptx::Block& block, size_t outer) {
  const size_t scope = scopes_.size();
  scopes_.push_back({.outer = outer});
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* variable = std::get_if<ptx::Variable>(&statement)) declare(scope, *variable);
  }
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
      steps_.push_back({instruction, scope, places_.file, places_.line});
    } else if (const auto* location = std::get_if<ptx::Location>(&statement)) {
      places_.set(*location, files_);
    } else if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
      walk(**inner, scope);
    }
  }
}

Place KernelCode::place(const Step& step) const {
  Place place{step.instruction->position.line, {}, 0};
  if (step.file < files_.size()) place.file = files_[step.file];
  if (!place.file.empty()) place.line = step.line;
  return place;
}

std::pair<const ptx::Variable*, size_t> KernelCode::find(size_t scope, const std::string& name) const {
  for (;; scope = scopes_[scope].outer) {
    const Scope& here = scopes_[scope];
    if (const auto found = here.names.find(name); found != here.names.end()) return {found->second, scope};
    for (const ptx::Variable* family : here.ranges) {
      if (in_range(*family, name)) return {family, scope};
    }
    if (scope == here.outer) return {nullptr, 0};
  }
}

void KernelCode::number(const Step& step, const ptx::Operand& operand) {
  for (const ptx::Operand& element : operand.elements) number(step, element);
  const auto [variable, scope] = find(step.scope, operand.name);
  if (variable == nullptr) return;
  if (numbers_.emplace(std::pair(scope, operand.name), static_cast<int>(entities_.size())).second) {
    entities_.push_back(variable);
  }
}

int KernelCode::entity(const Step& step, const std::string& name) const {
  const auto [variable, scope] = find(step.scope, name);
  if (variable == nullptr) return -1;
  const auto number = numbers_.find(std::pair(scope, name));
  return number == numbers_.end() ? -1 : number->second;
}

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
  return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), modifier) != instruction.modifiers.end();
}

ptx::Type type_of(const ptx::Instruction& instruction) {
  ptx::Type last = ptx::Type::none;
  for (const std::string& modifier : instruction.modifiers) {
    const ptx::Type type = ptx::type_named(modifier);
    if (type != ptx::Type::none) last = type;
  }
  return last;
}

}  // namespace bankshot::rewrite

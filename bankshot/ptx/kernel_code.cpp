#include "bankshot/ptx/kernel_code.hpp"

#include <algorithm>
#include <charconv>

namespace bankshot::ptx {
namespace {

/// Whether a name is one of `%r<10>`: %r0 to %r9.
bool in_range(const Variable& family, std::string_view name) {
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

KernelCode::KernelCode(const Module& module, const Function& function) : sources_(module) {
  scopes_.emplace_back();
  for (const Item& item : module.items) {
    if (const auto* variable = std::get_if<Variable>(&item)) declare(0, *variable);
  }
  scopes_.push_back({.outer = 0});
  for (const Variable& parameter : function.parameters) declare(1, parameter);
  for (const Variable& result : function.returns) declare(1, result);
  Places places(sources_);
  places.start(*function.body);
  walk(*function.body, 1, places);
  for (const Step& step : steps_) {
    for (const Operand& operand : step.instruction->operands) number(step, operand);
  }
}

void KernelCode::declare(size_t scope, const Variable& variable) {
  if (variable.range == 0) {
    scopes_[scope].names.emplace(variable.name, &variable);
  } else {
    scopes_[scope].ranges.push_back(&variable);
  }
}

void KernelCode::walk(const Block& block, size_t outer, Places& places) {
  const size_t scope = scopes_.size();
  scopes_.push_back({.outer = outer});
  for (const Statement& statement : block.statements) {
    if (const auto* variable = std::get_if<Variable>(&statement)) declare(scope, *variable);
  }
  for (const Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<Instruction>(&statement)) {
      steps_.push_back({instruction, scope, places.file, places.line});
    } else if (const auto* location = std::get_if<Location>(&statement)) {
      places.set(*location);
    } else if (const auto* label = std::get_if<Label>(&statement)) {
      scopes_[scope].labels.emplace(label->name, static_cast<uint32_t>(steps_.size()));
    } else if (const auto* targets = std::get_if<Targets>(&statement)) {
      scopes_[scope].tables.emplace(targets->label, targets);
    } else if (const auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) {
      walk(**inner, scope, places);
    }
  }
}

Place KernelCode::place(const Step& step) const {
  Place place{step.instruction->position.line, {}, 0};
  place.file = sources_.file(step.file);
  if (!place.file.empty()) place.line = step.line;
  return place;
}

std::pair<const Variable*, size_t> KernelCode::find(size_t scope, const std::string& name) const {
  for (;; scope = scopes_[scope].outer) {
    const Scope& here = scopes_[scope];
    if (const auto found = here.names.find(name); found != here.names.end()) return {found->second, scope};
    for (const Variable* family : here.ranges) {
      if (in_range(*family, name)) return {family, scope};
    }
    if (scope == here.outer) return {nullptr, 0};
  }
}

void KernelCode::number(const Step& step, const Operand& operand) {
  for (const Operand& element : operand.elements) number(step, element);
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

uint32_t KernelCode::label(size_t scope, const std::string& name) const {
  for (;; scope = scopes_[scope].outer) {
    const auto found = scopes_[scope].labels.find(name);
    if (found != scopes_[scope].labels.end()) return found->second;
    if (scope == scopes_[scope].outer) return static_cast<uint32_t>(steps_.size());
  }
}

const Targets* KernelCode::table(size_t scope, const std::string& name) const {
  for (;; scope = scopes_[scope].outer) {
    const auto found = scopes_[scope].tables.find(name);
    if (found != scopes_[scope].tables.end()) return found->second;
    if (scope == scopes_[scope].outer) return nullptr;
  }
}

std::vector<FlowNode> KernelCode::flow() const {
  const auto end = static_cast<uint32_t>(steps_.size());
  std::vector<FlowNode> nodes(steps_.size() + 1);
  nodes.back().falls_through = false;
  for (size_t k = 0; k < steps_.size(); ++k) {
    const Step& step = steps_[k];
    const Instruction& instruction = *step.instruction;
    const std::string& op = instruction.opcode;
    FlowNode& node = nodes[k];
    if (op == "bra" && !instruction.operands.empty()) {
      node.targets = {label(step.scope, instruction.operands[0].name)};
    } else if (op == "brx" && instruction.operands.size() == 2) {
      const Targets* const targets = table(step.scope, instruction.operands[1].name);
      for (const std::string& name : targets == nullptr ? std::vector<std::string>{} : targets->names)
        node.targets.push_back(label(step.scope, name));
    } else if (op == "ret" || op == "exit" || op == "trap") {
      node.targets = {end};
    } else {
      continue;
    }
    node.falls_through = instruction.guard.has_value();
    node.conditional = node.falls_through || node.targets.size() > 1;
  }
  return nodes;
}

}  // namespace bankshot::ptx

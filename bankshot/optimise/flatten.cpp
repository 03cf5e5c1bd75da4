#include "bankshot/optimise/flatten.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bankshot/ptx/lookup.hpp"

namespace bankshot::optimise {
namespace {

using ptx::Block;
using ptx::Instruction;
using ptx::Operand;
using ptx::Statement;
using ptx::Variable;

bool dissolves(const Statement& statement) {
  if (const auto* variable = std::get_if<Variable>(&statement))
    return variable->space == ptx::Space::reg && variable->vector == 1;
  return std::holds_alternative<Instruction>(statement) || std::holds_alternative<ptx::Location>(statement);
}

class Flattener {
 public:
  explicit Flattener(const ptx::Function& function) {
    while (ptx::any_name_begins(*function.body, stem_)) stem_ += '_';
  }

  void block(Block& block) {
    std::vector<Statement> statements;
    for (Statement& statement : block.statements) {
      auto* inner = std::get_if<std::unique_ptr<Block>>(&statement);
      if (inner == nullptr) {
        statements.push_back(std::move(statement));
        continue;
      }
      this->block(**inner);
      if (!std::ranges::all_of((*inner)->statements, dissolves)) {
        statements.push_back(std::move(statement));
        continue;
      }
      dissolve(**inner, statements);
    }
    block.statements = std::move(statements);
  }

  std::vector<Statement>& declarations() { return declarations_; }

 private:
  void dissolve(Block& inner, std::vector<Statement>& out) {
    std::map<std::string, std::string> names;
    for (Statement& statement : inner.statements) {
      auto* variable = std::get_if<Variable>(&statement);
      if (variable == nullptr) continue;
      const std::string stem = stem_ + std::to_string(scopes_) + '_' + std::to_string(names.size()) + '_';
      if (variable->range == 0) names[variable->name] = stem;
      for (uint32_t k = 0; k < variable->range; ++k)
        names[variable->name + std::to_string(k)] = stem + std::to_string(k);
      variable->name = stem;
      declarations_.push_back(std::move(statement));
    }
    ++scopes_;
    for (Statement& statement : inner.statements) {
      if (auto* instruction = std::get_if<Instruction>(&statement)) {
        if (instruction->guard) rename(instruction->guard->name, names);
        for (Operand& operand : instruction->operands) rename(operand, names);
      } else if (std::holds_alternative<Variable>(statement)) {
        continue;
      }
      out.push_back(std::move(statement));
    }
  }

  static void rename(std::string& name, const std::map<std::string, std::string>& names) {
    if (const auto found = names.find(name); found != names.end()) name = found->second;
  }
  static void rename(Operand& operand, const std::map<std::string, std::string>& names) {
    rename(operand.name, names);
    for (Operand& element : operand.elements) rename(element, names);
  }

  std::string stem_ = "%inner_";
  unsigned scopes_ = 0;
  std::vector<Statement> declarations_;
};

}  // namespace

void flatten(ptx::Function& function) {
  Flattener flattener(function);
  flattener.block(*function.body);
  std::vector<Statement>& declarations = flattener.declarations();
  function.body->statements.insert(function.body->statements.begin(), std::make_move_iterator(declarations.begin()),
                                   std::make_move_iterator(declarations.end()));
}

}  // namespace bankshot::optimise

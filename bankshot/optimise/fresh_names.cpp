#include "bankshot/optimise/fresh_names.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include "bankshot/ptx/lookup.hpp"

namespace bankshot::optimise {
namespace {

std::string register_stem(const std::string& stem, ptx::Type type) {
  return '%' + stem + std::string(ptx::name(type)) + '_';
}

}  // namespace

FreshNames::FreshNames(const ptx::Function& function, std::string stem) : stem_(std::move(stem)) {
  const ptx::Block& body = *function.body;
  while (ptx::any_name_begins(body, '%' + stem_) || ptx::any_name_begins(body, '$' + stem_)) stem_ += '_';
}

ptx::Operand FreshNames::of_type(ptx::Type type) {
  return identifier(register_stem(stem_, type) + std::to_string(registers_[type]++));
}

std::string FreshNames::label() { return '$' + stem_ + std::to_string(labels_++); }

void FreshNames::declare(ptx::Block& body) const {
  std::vector<ptx::Statement> declarations;
  for (const auto& [type, count] : registers_) {
    ptx::Variable variable;
    variable.space = ptx::Space::reg;
    variable.type = type;
    variable.name = register_stem(stem_, type);
    variable.range = count;
    declarations.emplace_back(std::move(variable));
  }
  body.statements.insert(body.statements.begin(), std::make_move_iterator(declarations.begin()),
                         std::make_move_iterator(declarations.end()));
}

ptx::Operand identifier(std::string name) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::identifier;
  operand.name = std::move(name);
  return operand;
}

}  // namespace bankshot::optimise

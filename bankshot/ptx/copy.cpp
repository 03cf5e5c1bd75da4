#include "bankshot/ptx/copy.hpp"

#include <type_traits>

namespace bankshot::ptx {

Statement copy(const Statement& statement) {
  return std::visit(
      [](const auto& what) -> Statement {
        if constexpr (std::is_same_v<std::decay_t<decltype(what)>, std::unique_ptr<Block>>) {
          return std::make_unique<Block>(copy(*what));
        } else {
          return what;
        }
      },
      statement);
}

Block copy(const Block& block) {
  Block made{.position = block.position, .end = block.end, .statements = {}};
  made.statements.reserve(block.statements.size());
  for (const Statement& statement : block.statements) made.statements.push_back(copy(statement));
  return made;
}

Function copy(const Function& function) {
  Function made;
  made.position = function.position;
  made.is_entry = function.is_entry;
  made.linkage = function.linkage;
  made.name = function.name;
  made.attributes = function.attributes;
  made.returns = function.returns;
  made.parameters = function.parameters;
  made.performance = function.performance;
  made.noreturn = function.noreturn;
  made.pragmas = function.pragmas;
  made.live_registers = function.live_registers;
  if (function.body != nullptr) made.body = std::make_unique<Block>(copy(*function.body));
  return made;
}

}  // namespace bankshot::ptx

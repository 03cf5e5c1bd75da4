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

}  // namespace bankshot::ptx

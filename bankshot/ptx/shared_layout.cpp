#include "bankshot/ptx/shared_layout.hpp"

#include <algorithm>
#include <vector>

#include "bankshot/support/round_up.hpp"

namespace bankshot::ptx {
namespace {

constexpr uint32_t kSharedAlignment = 16;  // of dynamic shared memory, at least

bool calls(const Block& block) {
  return std::any_of(block.statements.begin(), block.statements.end(), [](const Statement& statement) {
    if (const auto* instruction = std::get_if<Instruction>(&statement)) return instruction->opcode == "call";
    const auto* inner = std::get_if<std::unique_ptr<Block>>(&statement);
    return inner != nullptr && calls(**inner);
  });
}

class SharedLayout {
 public:
  SharedLayout(const Module& module, const Function& kernel) {
    for (const Item& item : module.items) {
      if (const auto* variable = std::get_if<Variable>(&item)) add(*variable);
    }
    const uint64_t own = end_;
    for (const Item& item : module.items) {
      const auto* function = std::get_if<Function>(&item);
      if (function != nullptr && !function->is_entry && function->body != nullptr) add(*function->body);
    }
    if (!calls(*kernel.body)) end_ = own;
    add(*kernel.body);
    end_ = round_up(end_, alignment_);
    for (const Variable* variable : dynamic_) offsets[variable] = static_cast<uint32_t>(end_);
  }
  std::map<const Variable*, uint32_t> offsets;

 private:
  void add(const Variable& variable) {
    if (variable.space != Space::shared) return;
    if (variable.linkage == "extern") {
      dynamic_.push_back(&variable);
      alignment_ = std::max<uint64_t>(alignment_, alignment_of(variable));
      return;
    }
    end_ = round_up(end_, alignment_of(variable));
    offsets[&variable] = static_cast<uint32_t>(end_);
    end_ += size_of(variable);
  }
  void add(const Block& block) {
    for (const Statement& statement : block.statements) {
      if (const auto* variable = std::get_if<Variable>(&statement)) add(*variable);
      if (const auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) add(**inner);
    }
  }
  uint64_t end_ = 0, alignment_ = kSharedAlignment;
  std::vector<const Variable*> dynamic_;
};

}  // namespace

std::map<const Variable*, uint32_t> shared_offsets(const Module& module, const Function& kernel) {
  return SharedLayout(module, kernel).offsets;
}

}  // namespace bankshot::ptx

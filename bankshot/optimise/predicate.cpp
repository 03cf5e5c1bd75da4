#include "bankshot/optimise/predicate.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/optimise/memory_order.hpp"
#include "bankshot/optimise/slots.hpp"
#include "bankshot/optimise/words.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/kernel_code.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::optimise {
namespace {

using ptx::Access;
using ptx::Instruction;
using ptx::Statement;

constexpr unsigned kMost = 8, kMostWithLoad = 20;  // machine instructions of a body, with the branch at its end

/// How often each name stands in an instruction or a list of targets.
using References = std::map<std::string, size_t, std::less<>>;

void count(const ptx::Operand& operand, References& references) {
  if (!operand.name.empty()) ++references[operand.name];
  for (const ptx::Operand& element : operand.elements) count(element, references);
}

void count(const ptx::Block& block, References& references) {
  for (const Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<Instruction>(&statement)) {
      for (const ptx::Operand& operand : instruction->operands) count(operand, references);
    } else if (const auto* targets = std::get_if<ptx::Targets>(&statement)) {
      for (const std::string& name : targets->names) ++references[name];
    } else if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
      count(**inner, references);
    }
  }
}

bool is_branch(const Instruction& instruction) {
  return instruction.opcode == "bra" && instruction.operands.size() == 1 &&
         instruction.operands[0].kind == ptx::Operand::Kind::identifier;
}

/// May be guarded in place of a branch around it.
bool can_be_guarded(const Instruction& instruction) {
  if (instruction.guard) return false;
  const Access access = ptx::access_of(instruction);
  const std::string& op = instruction.opcode;
  if (is_one_of(op, "bra", "brx", "call", "ret", "exit", "trap", "brkpt", "shfl", "vote", "match", "redux",
                "activemask", "bar", "barrier", "nanosleep", "alloca", "stackrestore", "stacksave", "mma", "wmma",
                "ldmatrix", "stmatrix", "elect", "setmaxnreg", "griddepcontrol", "wgmma", "tcgen05", "pmevent"))
    return false;
  if (op == "div" || op == "rem" || op == "sqrt" || op == "rcp") return !effect_of(instruction, access).writes;
  const bool plain = access.kind == Access::Kind::load || access.kind == Access::Kind::store;
  return access.kind == Access::Kind::none || (plain && access.layout == Access::Layout::lanes && !access.is_strong());
}

class Predicator {
 public:
  Predicator(const std::vector<uint8_t>& slots, References& references) : slots_(slots), references_(references) {}

  /// @return whether anything was changed
  bool block(ptx::Block& block) {
    bool changed = false;
    std::vector<Statement>& all = block.statements;
    const std::vector<size_t> steps = number(all);
    std::vector<char> removed(all.size(), 0);
    for (size_t k = 0; k < all.size(); ++k) {
      const auto* branch = std::get_if<Instruction>(&all[k]);
      if (branch == nullptr || !branch->guard || !is_branch(*branch)) continue;
      if (const std::optional<Shape> shape = shape_at(all, steps, k)) {
        convert(all, *shape, removed);
        changed = true;
        k = shape->end;
      }
    }
    size_t kept = 0;
    for (size_t k = 0; k < all.size(); ++k) {
      if (removed[k] != 0) continue;
      if (kept != k) all[kept] = std::move(all[k]);
      ++kept;
    }
    all.resize(kept);
    return changed;
  }

 private:
  /// Statements of an `if`: a branch, the body behind it, and perhaps a branch over the other side.
  struct Shape {
    size_t branch = 0, over = 0, middle = 0, end = 0;  ///< statements; over and middle: 0 without an `else`
  };

  /// By statement, the step of an instruction.
  std::vector<size_t> number(std::vector<Statement>& all) {
    std::vector<size_t> steps(all.size(), 0);
    for (size_t k = 0; k < all.size(); ++k) {
      if (std::holds_alternative<Instruction>(all[k])) steps[k] = step_++;
      if (auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&all[k])) block(**inner);
    }
    return steps;
  }

  static bool is_label(const Statement& statement, const std::string& name) {
    const auto* label = std::get_if<ptx::Label>(&statement);
    return label != nullptr && label->name == name;
  }

  /// The statement behind a side whose instructions may be guarded by `guard`, if it is short enough.
  std::optional<size_t> behind_side(const std::vector<Statement>& all, const std::vector<size_t>& steps, size_t first,
                                    const std::string& guard, unsigned spare) const {
    unsigned machine = spare;
    bool loads = false;
    for (size_t k = first; k < all.size(); ++k) {
      if (std::holds_alternative<ptx::Location>(all[k])) continue;
      const auto* instruction = std::get_if<Instruction>(&all[k]);
      const bool ends = instruction == nullptr || !can_be_guarded(*instruction);
      if (ends) return machine <= (loads ? kMostWithLoad : kMost) ? std::optional(k) : std::nullopt;
      const Access access = ptx::access_of(*instruction);
      loads |= access.kind == Access::Kind::load &&
               (access.space == ptx::Space::global || access.space == ptx::Space::generic);
      machine += slots_[steps[k]];
      if (ptx::writes_first_operand(*instruction) && names(instruction->operands[0], guard)) return std::nullopt;
    }
    return std::nullopt;
  }
  static bool names(const ptx::Operand& operand, const std::string& name) {
    return operand.name == name || std::any_of(operand.elements.begin(), operand.elements.end(),
                                               [&](const ptx::Operand& element) { return names(element, name); });
  }

  std::optional<Shape> shape_at(const std::vector<Statement>& all, const std::vector<size_t>& steps, size_t k) const {
    const auto& branch = std::get<Instruction>(all[k]);
    const std::string &target = branch.operands[0].name, &guard = branch.guard->name;
    const auto end = behind_side(all, steps, k + 1, guard, 0);
    if (!end || *end == k + 1) return std::nullopt;
    if (is_label(all[*end], target)) return Shape{k, 0, 0, *end};
    const auto* over = std::get_if<Instruction>(&all[*end]);
    if (over == nullptr || over->guard || !is_branch(*over)) return std::nullopt;
    size_t middle = *end + 1;
    while (middle < all.size() && std::holds_alternative<ptx::Location>(all[middle])) ++middle;
    if (middle == all.size() || !is_label(all[middle], target)) return std::nullopt;
    if (over->operands[0].name == target) return Shape{k, *end, 0, middle};  // to where it goes anyway
    const auto found = references_.find(target);
    if (found == references_.end() || found->second != 1) return std::nullopt;
    const auto other = behind_side(all, steps, middle + 1, guard, 1);
    if (!other || !behind_side(all, steps, k + 1, guard, 1) || !is_label(all[*other], over->operands[0].name))
      return std::nullopt;
    return Shape{k, *end, middle, *other};
  }

  void convert(std::vector<Statement>& all, const Shape& shape, std::vector<char>& removed) {
    const auto branch = std::get<Instruction>(all[shape.branch]);
    ptx::Guard guard = *branch.guard;
    const auto take_out = [&](size_t k) {
      removed[k] = 1;
      --references_[std::get<Instruction>(all[k]).operands[0].name];
    };
    take_out(shape.branch);
    if (shape.over != 0) take_out(shape.over);
    guard.negated = !guard.negated;
    for (size_t k = shape.branch + 1; k < shape.end; ++k) {
      if (k == shape.middle && shape.middle != 0) guard.negated = !guard.negated;
      auto* instruction = std::get_if<Instruction>(&all[k]);
      if (instruction != nullptr && removed[k] == 0) instruction->guard = guard;
    }
    if (shape.middle != 0) removed[shape.middle] = 1;
    if (references_[std::get<ptx::Label>(all[shape.end]).name] == 0) removed[shape.end] = 1;
  }

  const std::vector<uint8_t>& slots_;
  References& references_;
  size_t step_ = 0;
};

}  // namespace

void predicate(const ptx::Module& module, ptx::Function& function) {
  const std::vector<uint8_t> slots = machine_slots(ptx::KernelCode(module, function));
  References references;
  count(*function.body, references);
  Predicator(slots, references).block(*function.body);
}

}  // namespace bankshot::optimise

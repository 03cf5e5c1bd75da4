#include "bankshot/optimise/unroll.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/optimise/counted_loops.hpp"
#include "bankshot/optimise/fresh_names.hpp"
#include "bankshot/optimise/join.hpp"
#include "bankshot/optimise/memory_order.hpp"
#include "bankshot/optimise/numbers.hpp"
#include "bankshot/optimise/slots.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/copy.hpp"
#include "bankshot/ptx/kernel_code.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::optimise {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Statement;

/// How a loop is unrolled: `times` copies, and the loop is gone; or `times` copies an iteration.
struct Copies {
  uint64_t times = 1;
  uint64_t before = 0;  ///< copies in front of the loop, so that `times` divides what is left
  bool whole = false;
  bool checked = false;  ///< the number of iterations is not known: smaller loops follow for what is left
};

/// What ptxas 13.0 was seen to do with loops of FFMA and of LDS, LDG, STS, STG, BAR and atomics beside them, for sm_75,
/// sm_80 and sm_90 alike (docs/wavefronts.md).
std::optional<Copies> copies_of(const CountedLoop& loop) {
  const double cost = std::max(loop.cost, 1u);
  if (loop.count) {
    constexpr double kWhole = 9600, kPower = 1.75, kPartial = 350, kCostOfPartial = 73;
    const uint64_t count = *loop.count;
    if (static_cast<double>(count) * std::pow(cost, kPower) <= kWhole) return Copies{.times = count, .whole = true};
    if (cost > kCostOfPartial || loop.has_branches) return std::nullopt;
    for (auto times = std::min(static_cast<uint64_t>(kPartial / cost), count); times > 1; --times) {
      const uint64_t rest = count % times;
      if (static_cast<double>(times + rest) * cost <= kPartial) return Copies{.times = times, .before = rest};
    }
    return std::nullopt;
  }
  if (loop.tested != loop.step) return std::nullopt;  // the comparison is of the counter before it grows
  constexpr double kMost = 96, kWithGlobalLoad = 46, kOther = 18, kForSharedLoad = 5;
  const bool hides = loop.has_global_loads && cost <= kWithGlobalLoad;
  if (cost > kMost || (!hides && cost - kForSharedLoad * loop.shared_loads > kOther)) return std::nullopt;
  return Copies{.checked = true};
}

using Renaming = std::map<std::string, std::string>;

/// Writes the copies of one loop.
class Writer {
 public:
  Writer(const CountedLoop& loop, FreshNames& names) : loop_(loop), names_(names) {
    const auto& all = loop.block->statements;
    branch_ = std::get<Instruction>(all[loop.branch]);
    head_ = std::get<ptx::Label>(all[loop.label]);
    size_t number = 0;
    for (size_t k = loop.label + 1; k < loop.branch; ++k) {
      body_.push_back(&all[k]);
      const auto* instruction = std::get_if<Instruction>(&all[k]);
      if (instruction != nullptr && number++ == loop.test) test_ = *instruction;
    }
  }

  /// What takes the place of the statements from the label to the branch.
  std::vector<Statement> write(const Copies& copies) {
    if (!copies.whole || loop_.is_target) out_.emplace_back(head_);
    if (copies.whole) {
      bodies(copies.times, Behind::nothing);
    } else if (copies.checked) {
      checked();
    } else {
      bodies(copies.before, Behind::nothing);
      const std::string main = copies.before != 0 ? names_.label() : head_.name;
      if (copies.before != 0) label(main);
      mark_unrolled();
      bodies(copies.times, Behind::branch);
      branch(branch_.guard->name, branch_.guard->negated, main, 1);
    }
    return std::move(out_);
  }

 private:
  /// What follows some copies: a branch by their last comparison, or nothing that needs it.
  enum class Behind : bool { nothing, branch };

  void bodies(uint64_t times, Behind behind) {
    Renaming names;  // of registers that were written last in this copy or the one before
    for (uint64_t copy = 0; copy < times; ++copy) {
      const bool last = copy + 1 == times;
      Renaming next;
      for (const auto& [name, type] : loop_.own) next[name] = last ? name : names_.of_type(type).name;
      size_t number = 0;
      for (const Statement* statement : body_) {
        const auto* instruction = std::get_if<Instruction>(statement);
        if (instruction == nullptr) {
          out_.push_back(ptx::copy(*statement));
          continue;
        }
        const size_t k = number++;
        if (k == loop_.test && !last && loop_.test_is_read_once) continue;
        Instruction made = *instruction;
        if (is_free(k, copy, !last || behind == Behind::nothing)) made.slots = 0;
        rename(made, names, next);
        out_.emplace_back(std::move(made));
      }
    }
  }

  static void rename(Instruction& instruction, Renaming& names, const Renaming& next) {
    const size_t reads_from = ptx::writes_first_operand(instruction) ? 1 : 0;
    for (size_t o = reads_from; o < instruction.operands.size(); ++o) read(instruction.operands[o], names);
    if (instruction.guard) {
      const auto found = names.find(instruction.guard->name);
      if (found != names.end()) instruction.guard->name = found->second;
    }
    if (reads_from == 1) written(instruction.operands[0], names, next);
  }
  static void read(Operand& operand, const Renaming& names) {
    if (const auto found = names.find(operand.name); found != names.end()) operand.name = found->second;
    for (Operand& element : operand.elements) read(element, names);
  }

  /// Comparisons and counters take an instruction in front of a branch, what is made of counters takes one in the first
  /// copy; others have it as the constant of an address.
  bool is_free(size_t k, uint64_t copy, bool no_branch) const {
    if (k == loop_.test || loop_.roles[k] == Role::counts) return no_branch;
    return loop_.roles[k] == Role::makes_addresses && copy != 0;
  }

  static void written(Operand& operand, Renaming& names, const Renaming& next) {
    if (const auto found = next.find(operand.name); found != next.end()) {
      names[operand.name] = found->second;
      operand.name = found->second;
    }
    for (Operand& element : operand.elements) written(element, names, next);
  }

  void label(const std::string& name) {
    ptx::Label made = head_;
    made.name = name;
    out_.emplace_back(std::move(made));
  }

  /// So that no other pass unrolls it.
  void mark_unrolled() {
    ptx::Pragma made;
    made.position = head_.position;
    made.texts = {"nounroll"};
    out_.emplace_back(std::move(made));
  }

  Instruction instruction(std::string opcode, std::vector<std::string> modifiers, std::vector<Operand> operands,
                          uint8_t slots) const {
    Instruction made;
    made.position = branch_.position;
    made.opcode = std::move(opcode);
    made.modifiers = std::move(modifiers);
    made.operands = std::move(operands);
    made.slots = slots;
    return made;
  }

  void branch(const std::string& flag, bool negated, const std::string& target, uint8_t slots) {
    Instruction made = instruction("bra", {}, {identifier(target)}, slots);
    made.guard = ptx::Guard{flag, negated};
    out_.emplace_back(std::move(made));
  }

  /// Tests whether so many iterations more will run, of which it is sure that one does, or `flag` says it. Returns the
  /// flag: set if so, or clear if so where the loop's branch is negated.
  /// @param flag  of a comparison that was made before; empty: none was
  std::string will_run(uint64_t iterations, std::string flag, uint8_t slots) {
    const std::string combine = branch_.guard->negated ? "or" : "and";
    const std::string type = test_.modifiers.back();
    const auto bits = ptx::bits(ptx::type_named(type));
    for (uint64_t k = 0; k + 1 < iterations; ++k) {
      const std::string value = names_.of_type(bits == 64 ? ptx::Type::b64 : ptx::Type::b32).name;
      Operand offset;
      offset.kind = Operand::Kind::integer;
      offset.integer = wrapped(plus(loop_.tested, times(static_cast<int64_t>(k), loop_.step)), bits);
      out_.emplace_back(
          instruction("add", {bits == 64 ? "s64" : "s32"}, {identifier(value), identifier(loop_.counter), offset}, 0));
      Instruction compare = test_;
      compare.position = branch_.position;
      compare.slots = k + 2 == iterations ? slots : 0;
      const std::string next = names_.of_type(ptx::Type::pred).name;
      compare.operands[0] = identifier(next);
      compare.operands[loop_.counter_operand] = identifier(value);
      if (!flag.empty()) {
        compare.modifiers.insert(compare.modifiers.begin() + 1, combine);
        compare.operands.push_back(identifier(flag));
      }
      out_.emplace_back(std::move(compare));
      flag = next;
    }
    return flag;
  }

  /// Four iterations at once while there are four, then two, then one. Before any it is sure that one runs.
  void checked() {
    constexpr uint64_t kTimes = 4;
    const std::string own = branch_.guard->name;
    const bool until = branch_.guard->negated;
    const std::string main = names_.label(), rest = names_.label(), one = names_.label(), end = names_.label();
    branch(will_run(kTimes, "", 1), !until, rest, 1);
    label(main);
    mark_unrolled();
    bodies(kTimes, Behind::branch);
    branch(will_run(kTimes, own, 0), until, main, 1);
    branch(own, !until, end, 1);
    label(rest);
    const std::string more = names_.of_type(ptx::Type::pred).name;
    Operand yes;
    yes.kind = Operand::Kind::integer;
    yes.integer = until ? 0 : 1;
    out_.emplace_back(instruction("mov", {"pred"}, {identifier(more), yes}, 0));
    branch(will_run(2, "", 1), !until, one, 1);
    bodies(2, Behind::branch);
    out_.emplace_back(instruction("mov", {"pred"}, {identifier(more), identifier(own)}, 0));
    label(one);
    branch(more, !until, end, 1);
    bodies(1, Behind::nothing);
    label(end);
  }

  const CountedLoop& loop_;
  FreshNames& names_;
  Instruction branch_, test_;
  ptx::Label head_;
  std::vector<const Statement*> body_;
  std::vector<Statement> out_;
};

bool has_line(const CountedLoop& loop, const std::set<uint32_t>& lines) {
  const auto& statements = loop.block->statements;
  const uint32_t from = std::get<ptx::Label>(statements[loop.label]).position.line;
  const uint32_t to = std::get<Instruction>(statements[loop.branch]).position.line;
  const auto found = lines.lower_bound(from);
  return found != lines.end() && *found <= to;
}

/// By step, loads and stores that are there once those of the text have been joined.
std::vector<uint8_t> accesses_of(const JoinPlan& plan) {
  std::vector<uint8_t> accesses;
  for (const char removed : plan.removed) accesses.push_back(removed != 0 ? 0 : 1);
  for (const auto* pieces : {&plan.loads, &plan.stores}) {
    for (const Piece& piece : *pieces) ++accesses[piece.at];
  }
  return accesses;
}

bool has_loop_of_one_block(const Control& control) {
  for (size_t k = 0; k < control.nodes.size(); ++k) {
    for (const uint32_t target : control.nodes[k].targets) {
      if (target <= k && control.blocks.of[target] == control.blocks.of[k]) return true;
    }
  }
  return false;
}

std::vector<CountedLoop> loops_of(const ptx::Module& module, const ptx::SharedLayout& layout, ptx::Function& function,
                                  unsigned architecture) {
  const ptx::KernelCode code(module, function);
  const Control control(code);
  if (!has_loop_of_one_block(control)) return {};
  const bool shared = std::any_of(code.steps().begin(), code.steps().end(), [](const ptx::Step& step) {
    return is_plain_shared(ptx::access_of(*step.instruction));
  });
  std::vector<uint8_t> accesses(code.steps().size(), 1);
  if (shared) {
    const std::map<const ptx::Variable*, uint32_t> offsets = layout.offsets(function);
    accesses = accesses_of(plan_joins(code, control, Values(code, control, offsets, architecture), nullptr));
  }
  return counted_loops(function, code, control, slots_one_by_one(code), accesses);
}

/// What may still be added to a function, so that no text takes more than some seconds.
struct Budget {
  uint64_t statements = 10'000;
  unsigned checked = 100;  ///< loops of which the number of iterations is not known: they add six blocks each

  bool allows(const CountedLoop& loop, const Copies& copies) {
    const uint64_t all = copies.checked ? 7 : copies.times + copies.before;
    const uint64_t added = (loop.branch - loop.label) * all;
    if (added > statements || (copies.checked && checked == 0)) return false;
    statements -= added;
    if (copies.checked) --checked;
    return true;
  }
};

bool unroll_once(const ptx::Module& module, const ptx::SharedLayout& layout, ptx::Function& function,
                 const UnrollOptions& options, Budget& budget) {
  std::vector<CountedLoop> loops = loops_of(module, layout, function, options.architecture);
  if (loops.empty()) return false;
  FreshNames names(function, "unrolled_");
  bool any = false;
  // From the end on, so that the statements of those before stay where they are.
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    const std::optional<Copies> copies = copies_of(*loop);
    if (!copies || (options.whole_only && !copies->whole) ||
        (options.lines != nullptr && !has_line(*loop, *options.lines)) || !budget.allows(*loop, *copies))
      continue;
    std::vector<Statement> made = Writer(*loop, names).write(*copies);
    auto& all = loop->block->statements;
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(loop->label);
    const auto to = all.begin() + static_cast<std::ptrdiff_t>(loop->branch) + 1;
    all.insert(all.erase(from, to), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
    any = true;
  }
  if (any) names.declare(*function.body);
  return any;
}

}  // namespace

bool unroll(const ptx::Module& module, const ptx::SharedLayout& layout, ptx::Function& function,
            const UnrollOptions& options) {
  Budget budget;
  bool any = false;
  // An outer loop may be an innermost one then.
  while (unroll_once(module, layout, function, options, budget)) any = true;
  return any;
}

}  // namespace bankshot::optimise

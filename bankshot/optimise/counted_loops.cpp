#include "bankshot/optimise/counted_loops.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "bankshot/optimise/numbers.hpp"
#include "bankshot/optimise/words.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::optimise {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;
using Kind = ptx::Operand::Kind;

constexpr uint64_t kMostCounted = uint64_t{1} << 16;  // loops with more iterations count as unknown

/// ptxas does not unroll a loop with one of these: what orders the lanes of a warp, or memory, and calls, those of the
/// routines for rounded quotients and roots included. Nor do we one with `activemask`, whose result might change.
bool forbids(const Instruction& instruction) {
  const std::string& op = instruction.opcode;
  if (is_one_of(op, "shfl", "vote", "match", "redux", "elect", "wgmma", "activemask", "membar", "fence", "call", "ret",
                "exit", "trap", "brkpt", "bra", "brx"))
    return true;
  if (op == "bar") return has(instruction, "warp");
  if (op == "barrier") return !has(instruction, "aligned");
  if (!is_one_of(op, "div", "rcp", "sqrt") || !ptx::is_float(type_of(instruction))) return false;
  return !has(instruction, "approx") && !has(instruction, "full");
}

bool becomes_branches(const Instruction& instruction) {
  if (instruction.guard && ptx::access_of(instruction).kind == ptx::Access::Kind::store) return true;
  const bool divides = is_one_of(instruction.opcode, "div", "rem") && !ptx::is_float(type_of(instruction));
  return divides && instruction.operands.back().kind != Kind::integer;
}

/// Of 32 or 64 bits.
bool is_integer(const Instruction& instruction) {
  const Type type = type_of(instruction);
  return !ptx::is_float(type) && (ptx::bits(type) == 32 || ptx::bits(type) == 64);
}

/// Sums and products: of a counter and what stays the same they grow by a constant, too.
bool is_linear(const Instruction& instruction) {
  return is_one_of(instruction.opcode, "mov", "add", "sub", "shl", "mul", "mad", "cvt") && is_integer(instruction);
}

/// Nullopt: not a comparison of integers.
std::optional<bool> compare(std::string_view what, bool is_signed, int64_t a, int64_t b) {
  const bool less = is_signed ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
  if (what == "eq") return a == b;
  if (what == "ne") return a != b;
  if (is_one_of(what, "lt", "lo")) return less;
  if (is_one_of(what, "ge", "hs")) return !less;
  if (is_one_of(what, "le", "ls")) return less || a == b;
  if (is_one_of(what, "gt", "hi")) return !less && a != b;
  return std::nullopt;
}

/// What all loops of a function are judged by.
struct Code {
  const ptx::KernelCode& code;
  const Control& control;
  const std::vector<uint8_t>&slots, &accesses;
  RegisterUses uses;
  std::vector<unsigned> branches_to;  ///< by step

  Code(const ptx::KernelCode& of, const Control& its, const std::vector<uint8_t>& machine,
       const std::vector<uint8_t>& joined)
      : code(of), control(its), slots(machine), accesses(joined), uses(of), branches_to(its.nodes.size()) {
    for (const ptx::FlowNode& node : its.nodes) {
      for (const uint32_t target : node.targets) ++branches_to[target];
    }
  }
  const Instruction& at(size_t step) const { return *code.steps()[step].instruction; }
  /// Of a register or variable by itself; -1 for anything else.
  int entity(size_t step, const Operand& operand) const {
    return operand.kind == Kind::identifier ? code.entity(code.steps()[step], operand.name) : -1;
  }
};

/// The instructions from the head of a loop to the branch back, `last`.
class Body {
 public:
  Body(const Code& code, size_t first, size_t last) : code_(code), first_(first), last_(last) {
    for (size_t k = first; k < last; ++k) {
      for (const int entity : written_by(code.code, code.code.steps()[k])) written_.insert(entity);
    }
    end_ = growth(last);
    for (const int entity : written_) {
      const Growth at_end = grown(entity, end_);
      if (at_end.root == entity && at_end.by != 0) counters_.insert(entity);
    }
  }

  std::optional<CountedLoop> counted() const {
    const auto& blocks = code_.control.blocks;
    if (blocks.of[first_] != blocks.of[last_] || blocks.first[blocks.of[first_]] != first_) return std::nullopt;
    for (size_t k = first_; k < last_; ++k) {
      if (forbids(code_.at(k))) return std::nullopt;
    }
    const int flag = code_.code.entity(code_.code.steps()[last_], code_.at(last_).guard->name);
    const std::optional<size_t> test = comparison(flag);
    CountedLoop loop;
    if (!test || !find_counter(loop, *test)) return std::nullopt;
    loop.test = *test - first_;
    loop.test_is_read_once = code_.uses.readers[static_cast<size_t>(flag)].size() == 1;
    loop.is_target = code_.branches_to[first_] > 1;
    find_roles(loop);
    measure(loop);
    find_own(loop, flag);
    return loop;
  }

 private:
  /// What a register holds, by what another one held at the head: that plus a constant.
  struct Growth {
    int root = -1;  ///< -1: not known
    int64_t by = 0;
  };
  using State = std::map<int, Growth>;

  Growth grown(int entity, const State& state) const {
    if (entity < 0) return {};
    const auto found = state.find(entity);
    return found == state.end() ? Growth{entity, 0} : found->second;
  }

  /// In front of a step.
  State growth(size_t step) const {
    State state;
    for (size_t k = first_; k < step; ++k) {
      const Growth value = result(k, state);
      for (const int entity : written_by(code_.code, code_.code.steps()[k])) state[entity] = value;
    }
    return state;
  }

  Growth result(size_t k, const State& state) const {
    const Instruction& i = code_.at(k);
    if (i.guard || i.modifiers.size() != 1 || !is_integer(i) || i.operands.empty()) return {};
    if (i.operands[0].kind != Kind::identifier) return {};
    if (i.opcode == "mov" && i.operands.size() == 2) return grown(code_.entity(k, i.operands[1]), state);
    if (!is_one_of(i.opcode, "add", "sub") || i.operands.size() != 3) return {};
    const bool subtracts = i.opcode == "sub";
    const size_t number = subtracts || i.operands[2].kind == Kind::integer ? 2 : 1;
    if (i.operands[number].kind != Kind::integer) return {};
    Growth value = grown(code_.entity(k, i.operands[3 - number]), state);
    const int64_t by = i.operands[number].integer;
    value.by = subtracts ? minus(value.by, by) : plus(value.by, by);
    return value;
  }

  /// The only instruction of the body that writes the flag, if it compares integers.
  std::optional<size_t> comparison(int flag) const {
    std::optional<size_t> found;
    for (size_t k = first_; k < last_; ++k) {
      const std::vector<int> written = written_by(code_.code, code_.code.steps()[k]);
      if (std::find(written.begin(), written.end(), flag) == written.end()) continue;
      if (found) return std::nullopt;
      found = k;
    }
    if (!found) return std::nullopt;
    const Instruction& test = code_.at(*found);
    const bool usable = test.opcode == "setp" && !test.guard && test.modifiers.size() == 2 &&
                        test.operands.size() == 3 && test.operands[0].kind == Kind::identifier && is_integer(test) &&
                        compare(test.modifiers[0], true, 0, 0).has_value();
    return usable ? found : std::nullopt;
  }

  bool stays(size_t step, const Operand& operand) const {
    if (operand.kind == Kind::integer) return true;
    const int entity = code_.entity(step, operand);
    return entity >= 0 && !written_.contains(entity);
  }

  bool find_counter(CountedLoop& loop, size_t test) const {
    const Instruction& compares = code_.at(test);
    const State state = growth(test);
    for (const size_t operand : {size_t{1}, size_t{2}}) {
      const Growth value = grown(code_.entity(test, compares.operands[operand]), state);
      if (!counters_.contains(value.root) || !stays(test, compares.operands[3 - operand])) continue;
      if (ptx::bits(code_.code.variable(value.root).type) != ptx::bits(type_of(compares))) continue;
      loop.counter_operand = operand;
      loop.counter = name_of(value.root);
      const unsigned bits = ptx::bits(type_of(compares));
      loop.tested = wrapped(value.by, bits);
      loop.step = wrapped(end_.at(value.root).by, bits);
      const bool differs = is_one_of(compares.modifiers[0], "eq", "ne");
      const auto stride = static_cast<uint64_t>(loop.step < 0 ? minus(0, loop.step) : loop.step);
      if (loop.step == 0 || (differs && !std::has_single_bit(stride))) return false;
      loop.count = count(loop, test, value.root);
      return true;
    }
    return false;
  }

  std::string name_of(int entity) const {
    const auto writes = [&](size_t k) { return k >= first_ && k < last_; };
    const std::vector<size_t>& writers = code_.uses.writers[static_cast<size_t>(entity)];
    return code_.at(*std::find_if(writers.begin(), writers.end(), writes)).operands[0].name;
  }

  /// The step that gives a register a number, if no other one outside of the loop writes it; it comes before the loop.
  std::optional<size_t> sets_number(int entity) const {
    std::optional<size_t> writer;
    for (const size_t k : code_.uses.writers[static_cast<size_t>(entity)]) {
      if (k >= first_ && k < last_) continue;
      if (writer) return std::nullopt;
      writer = k;
    }
    if (!writer || !code_.control.dominates(*writer, first_)) return std::nullopt;
    const Instruction& writes = code_.at(*writer);
    const bool sets = writes.opcode == "mov" && !writes.guard && writes.operands.size() == 2 &&
                      writes.operands[0].kind == Kind::identifier && writes.operands[1].kind == Kind::integer;
    return sets ? writer : std::nullopt;
  }
  int64_t number_at(size_t step) const { return code_.at(step).operands[1].integer; }

  /// What the counter is whenever the loop is entered: no way leads from behind the loop to its head but by the step
  /// that sets it.
  std::optional<int64_t> start_of(int counter) const {
    const std::optional<size_t> writer = sets_number(counter);
    if (!writer) return std::nullopt;
    const ptx::Blocks& blocks = code_.control.blocks;
    const uint32_t head = blocks.of[first_], sets = blocks.of[*writer];
    std::vector<uint32_t> next(blocks.successors[head]);
    std::set<uint32_t> seen{head};
    while (!next.empty()) {
      const uint32_t block = next.back();
      next.pop_back();
      if (block == sets || !seen.insert(block).second) continue;
      for (const uint32_t after : blocks.successors[block]) {
        if (after == head) return std::nullopt;
        next.push_back(after);
      }
    }
    return number_at(*writer);
  }
  std::optional<int64_t> bound_of(size_t test, const Operand& operand) const {
    if (operand.kind == Kind::integer) return operand.integer;
    const std::optional<size_t> writer = sets_number(code_.entity(test, operand));
    return writer ? std::optional(number_at(*writer)) : std::nullopt;
  }

  std::optional<uint64_t> count(const CountedLoop& loop, size_t test, int counter) const {
    const Instruction& compares = code_.at(test);
    const std::optional<int64_t> start = start_of(counter);
    const std::optional<int64_t> bound = bound_of(test, compares.operands[3 - loop.counter_operand]);
    if (!start || !bound) return std::nullopt;
    const unsigned bits = ptx::bits(type_of(compares));
    const bool is_signed = ptx::name(type_of(compares)).starts_with('s');
    const int64_t other = wrapped(*bound, bits, is_signed);
    int64_t value = plus(*start, loop.tested);
    for (uint64_t iterations = 1; iterations <= kMostCounted; ++iterations) {
      const int64_t its = wrapped(value, bits, is_signed);
      const bool holds = loop.counter_operand == 1 ? *compare(compares.modifiers[0], is_signed, its, other)
                                                   : *compare(compares.modifiers[0], is_signed, other, its);
      if (holds == code_.at(last_).guard->negated) return iterations;
      value = plus(value, loop.step);
    }
    return std::nullopt;
  }

  void measure(CountedLoop& loop) const {
    for (size_t k = first_; k < last_; ++k) {
      const Instruction& instruction = code_.at(k);
      const size_t in_body = k - first_;
      if (in_body == loop.test || loop.roles[in_body] == Role::counts) continue;
      const ptx::Access access = ptx::access_of(instruction);
      const bool loads = access.kind == ptx::Access::Kind::load && code_.slots[k] != 0;
      const bool global = access.space == ptx::Space::global || access.space == ptx::Space::generic;
      if (loads || access.kind == ptx::Access::Kind::store) {
        loop.cost += 2u * code_.accesses[k];
      } else if (access.kind == ptx::Access::Kind::atomic || access.kind == ptx::Access::Kind::reduction) {
        loop.cost += 10;
      } else {
        loop.cost += is_one_of(instruction.opcode, "bar", "barrier") ? 2 : code_.slots[k];
      }
      if (loads && access.space == ptx::Space::shared) loop.shared_loads += code_.accesses[k];
      loop.has_global_loads |= loads && global;
      loop.has_branches |= becomes_branches(instruction);
    }
  }

  void find_roles(CountedLoop& loop) const {
    std::set<int> moving = counters_;
    State state;
    for (size_t k = first_; k < last_; ++k) {
      const Instruction& instruction = code_.at(k);
      const std::vector<int> written = written_by(code_.code, code_.code.steps()[k]);
      bool moves = false, changes = false;  // by counters; by anything else of the body
      for (const int entity : read_by(code_.code, code_.code.steps()[k])) {
        moves |= moving.contains(entity);
        changes |= !moving.contains(entity) && written_.contains(entity);
      }
      const Growth value = result(k, state);
      for (const int entity : written) state[entity] = value;
      const bool makes = is_linear(instruction) && !instruction.guard && moves && !changes && written.size() == 1 &&
                         is_read_for_addresses(written[0]);
      if (makes) moving.insert(written[0]);
      loop.roles.push_back(!makes ? Role::work : counters_.contains(value.root) ? Role::counts : Role::makes_addresses);
    }
  }

  /// In the body a register is read as an address, to count, and to make addresses of it.
  bool is_read_for_addresses(int entity) const {
    const std::vector<size_t>& readers = code_.uses.readers[static_cast<size_t>(entity)];
    return std::all_of(readers.begin(), readers.end(), [&](size_t k) {
      if (k < first_ || k >= last_) return true;
      const Instruction& reader = code_.at(k);
      if (!ptx::access_of(reader).touches_memory())
        return is_linear(reader) || (reader.opcode == "setp" && is_integer(reader));
      return std::all_of(reader.operands.begin(), reader.operands.end(), [&](const Operand& operand) {
        return operand.kind == Kind::address || !names(k, operand, entity);
      });
    });
  }
  bool names(size_t step, const Operand& operand, int entity) const {
    return code_.entity(step, operand) == entity ||
           std::any_of(operand.elements.begin(), operand.elements.end(),
                       [&](const Operand& element) { return names(step, element, entity); });
  }

  void find_own(CountedLoop& loop, int flag) const {
    std::map<std::string, ptx::Type> all;
    std::set<std::string> uncertain;
    for (size_t k = first_; k < last_; ++k) {
      const Instruction& instruction = code_.at(k);
      if (!ptx::writes_first_operand(instruction)) continue;
      std::set<std::string> names;
      collect(instruction.operands[0], names);
      for (const std::string& name : names) {
        const int entity = code_.code.entity(code_.code.steps()[k], name);
        if (entity < 0) continue;
        all.emplace(name, code_.code.variable(entity).type);
        const bool counts = counters_.contains(entity) || counters_.contains(grown(entity, end_).root);
        if (instruction.guard || has_mask(instruction.operands[0]) || counts || entity == flag) uncertain.insert(name);
      }
    }
    for (const auto& [name, type] : all) {
      if (!uncertain.contains(name)) loop.own.emplace(name, type);
    }
  }
  static bool has_mask(const Operand& operand) {
    return operand.mask != 0 || std::any_of(operand.elements.begin(), operand.elements.end(), has_mask);
  }
  static void collect(const Operand& operand, std::set<std::string>& names) {
    if (!operand.name.empty()) names.insert(operand.name);
    for (const Operand& element : operand.elements) collect(element, names);
  }

  const Code& code_;
  size_t first_, last_;
  std::set<int> written_;   ///< in the body
  State end_;               ///< at the branch
  std::set<int> counters_;  ///< that an iteration adds a constant to
};

/// Only instructions and their places: no label, no block with variables of its own.
bool may_be_copied(const ptx::Block& block, size_t from, size_t to) {
  return std::all_of(block.statements.begin() + static_cast<std::ptrdiff_t>(from),
                     block.statements.begin() + static_cast<std::ptrdiff_t>(to), [](const ptx::Statement& statement) {
                       return std::holds_alternative<Instruction>(statement) ||
                              std::holds_alternative<ptx::Location>(statement);
                     });
}

void collect_targets(const ptx::Block& block, std::set<std::string>& names) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* targets = std::get_if<ptx::Targets>(&statement))
      names.insert(targets->names.begin(), targets->names.end());
    if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) collect_targets(**inner, names);
  }
}

class Finder {
 public:
  Finder(const Code& code, const ptx::Block& body) : code_(code) { collect_targets(body, targets_); }

  void block(ptx::Block& block) {
    std::map<std::string, std::pair<size_t, size_t>> heads;  // label: statement, step
    for (size_t k = 0; k < block.statements.size(); ++k) {
      ptx::Statement& statement = block.statements[k];
      if (auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) this->block(**inner);
      if (const auto* label = std::get_if<ptx::Label>(&statement)) heads[label->name] = {k, step_};
      const auto* branch = std::get_if<Instruction>(&statement);
      if (branch == nullptr) continue;
      const size_t step = step_++;
      if (branch->opcode != "bra" || !branch->guard || branch->operands.size() != 1) continue;
      const auto head = heads.find(branch->operands[0].name);
      if (head == heads.end() || !may_be_copied(block, head->second.first + 1, k)) continue;
      std::optional<CountedLoop> loop = Body(code_, head->second.second, step).counted();
      if (!loop) continue;
      loop->is_target |= targets_.contains(head->first);
      loop->block = &block;
      loop->label = head->second.first;
      loop->branch = k;
      found_.push_back(std::move(*loop));
    }
  }

  std::vector<CountedLoop> found() && { return std::move(found_); }

 private:
  const Code& code_;
  std::set<std::string> targets_;  ///< labels in lists
  std::vector<CountedLoop> found_;
  size_t step_ = 0;
};

}  // namespace

std::vector<CountedLoop> counted_loops(ptx::Function& function, const ptx::KernelCode& code, const Control& control,
                                       const std::vector<uint8_t>& slots, const std::vector<uint8_t>& accesses) {
  const Code its(code, control, slots, accesses);
  Finder finder(its, *function.body);
  finder.block(*function.body);
  return std::move(finder).found();
}

}  // namespace bankshot::optimise

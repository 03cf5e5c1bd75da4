#include "bankshot/optimise/optimise.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/optimise/flatten.hpp"
#include "bankshot/optimise/fresh_names.hpp"
#include "bankshot/optimise/join.hpp"
#include "bankshot/optimise/liveness.hpp"
#include "bankshot/optimise/order.hpp"
#include "bankshot/optimise/predicate.hpp"
#include "bankshot/optimise/slots.hpp"
#include "bankshot/optimise/unroll.hpp"
#include "bankshot/ptx/copy.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/pragmas.hpp"
#include "bankshot/ptx/shared_layout.hpp"

namespace bankshot::optimise {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// The instructions of a function after the plan.
class Editor {
 public:
  Editor(const ptx::Function& function, const ptx::KernelCode& code, const Values& values, const JoinPlan& plan)
      : code_(code), values_(values), plan_(plan), in_place_(code.steps().size()), names_(function, "joined_") {
    for (const Piece& piece : plan.loads) load(piece);
    for (const Piece& piece : plan.stores) store(piece);
    for (const JoinPlan::Forward& forward : plan.forwards) {
      const Operand& value = data_operand(at(forward.store.step), forward.store.index);
      move(forward.load.step, data_operand(at(forward.load.step), 0), value);
    }
  }

  void carry_out(ptx::Function& function) {
    size_t step = 0;
    carry_out(*function.body, step);
    names_.declare(*function.body);
  }

 private:
  const Instruction& at(size_t step) const { return *code_.steps()[step].instruction; }
  int entity(size_t step, const Operand& operand) const {
    return operand.kind == Operand::Kind::identifier ? code_.entity(code_.steps()[step], operand.name) : -1;
  }
  ptx::Type type_of_register(const Element& element) const {
    return code_.variable(entity(element.step, data_operand(at(element.step), element.index))).type;
  }

  /// `mov to, from` where the step stands, under its guard.
  void move(size_t step, const Operand& to, const Operand& from) {
    const unsigned bits = ptx::bits(code_.variable(entity(step, to)).type);
    Instruction instruction;
    instruction.position = at(step).position;
    instruction.guard = at(step).guard;
    instruction.opcode = "mov";
    instruction.modifiers = {"b" + std::to_string(bits)};
    instruction.operands = {to, from};
    in_place_[step].push_back(std::move(instruction));
  }

  /// The access of a piece without its data.
  Instruction access(const Piece& piece) const {
    const Instruction& model = at(piece.at);
    Instruction made = model;
    made.guard.reset();
    // All types are alike, or the bits are taken as they are.
    bool alike = true;
    std::set<size_t> steps;
    for (const Element& element : piece.elements) {
      alike &= type_of(at(element.step)) == type_of(model);
      steps.insert(element.step);
    }
    std::erase_if(made.modifiers, [](const std::string& m) { return m == "v2" || m == "v4"; });
    const auto type = std::find_if(made.modifiers.begin(), made.modifiers.end(),
                                   [](const std::string& m) { return ptx::type_named(m) != ptx::Type::none; });
    if (!alike) *type = "b" + std::to_string(8 * piece.bytes);
    if (piece.slots > 1) made.modifiers.insert(type, "v" + std::to_string(piece.slots));
    const bool stores = ptx::access_of(model).kind == ptx::Access::Kind::store;
    Operand& address = made.operands[stores ? 0 : 1];
    address.integer += piece.start - values_.address(piece.at, address_operand(model)).offset;
    made.joined = static_cast<uint32_t>(steps.size());
    made.written = mnemonic(model);
    return made;
  }

  static void put_data(Operand& target, std::vector<Operand> slots) {
    if (slots.size() == 1) {
      target = std::move(slots[0]);
      return;
    }
    target = Operand{};
    target.kind = Operand::Kind::vector;
    target.elements = std::move(slots);
  }

  void load(const Piece& piece) {
    Instruction made = access(piece);
    std::vector<Operand> slots(piece.slots);  // sinks
    std::vector<std::vector<const Element*>> readers(piece.slots);
    for (const Element& element : piece.elements)
      readers[static_cast<size_t>(element.address.offset - piece.start) / piece.bytes].push_back(&element);
    std::vector<std::pair<const Element*, Operand>> moves;
    for (size_t k = 0; k < slots.size(); ++k) {
      if (readers[k].empty()) continue;
      const Element& first = *readers[k][0];
      const Operand& target = data_operand(at(first.step), first.index);
      const int written = entity(first.step, target);
      const bool lasts = values_.writes(written) == 1 || (piece.at == first.step && readers[k].size() == 1);
      const bool direct = lasts && !at(first.step).guard && entity(piece.at, target) == written;
      slots[k] = direct ? target : names_.of_type(type_of_register(first));
      for (const Element* reader : readers[k]) {
        if (!direct || reader != &first) moves.emplace_back(reader, slots[k]);
      }
    }
    put_data(made.operands[0], std::move(slots));
    in_place_[piece.at].push_back(std::move(made));
    for (const auto& [reader, from] : moves) move(reader->step, data_operand(at(reader->step), reader->index), from);
  }

  void store(const Piece& piece) {
    Instruction made = access(piece);
    std::vector<Operand> slots;
    for (const Element& element : piece.elements) slots.push_back(data_operand(at(element.step), element.index));
    put_data(made.operands[1], std::move(slots));
    in_place_[piece.at].push_back(std::move(made));
  }

  void carry_out(ptx::Block& block, size_t& step) {
    std::vector<ptx::Statement> statements;
    for (ptx::Statement& statement : block.statements) {
      if (auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) carry_out(**inner, step);
      if (!std::holds_alternative<Instruction>(statement)) {
        statements.push_back(std::move(statement));
        continue;
      }
      for (Instruction& instruction : in_place_[step]) statements.emplace_back(std::move(instruction));
      if (plan_.removed[step] == 0) statements.push_back(std::move(statement));
      ++step;
    }
    block.statements = std::move(statements);
  }

  const ptx::KernelCode& code_;
  const Values& values_;
  const JoinPlan& plan_;
  std::vector<std::vector<Instruction>> in_place_;  ///< by step: what stands in front of it, or in its place
  FreshNames names_;
};

template <class What, class Test>
bool any_statement(const ptx::Block& block, const Test& test) {
  return std::any_of(block.statements.begin(), block.statements.end(), [&](const ptx::Statement& statement) {
    if (const auto* found = std::get_if<What>(&statement)) return test(*found);
    const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement);
    return inner != nullptr && any_statement<What>(**inner, test);
  });
}

bool accesses_shared(const ptx::Block& body) {
  return any_statement<Instruction>(body, [](const Instruction& i) { return is_plain_shared(ptx::access_of(i)); });
}

bool has_transactions(const ptx::Block& body) {
  return any_statement<ptx::Pragma>(body, [](const ptx::Pragma& pragma) {
    return std::any_of(pragma.texts.begin(), pragma.texts.end(),
                       [](const std::string& text) { return text.starts_with(ptx::kOurPragmas); });
  });
}

/// Lines of accesses that are joined with themselves in another iteration.
std::set<uint32_t> joined_over_iterations(const ptx::KernelCode& code, const JoinPlan& plan) {
  std::set<uint32_t> lines;
  const auto add = [&](const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) {
      std::set<std::pair<uint32_t, uint32_t>> seen;
      std::set<size_t> steps;
      for (const Element& element : piece.elements) {
        const Position at = code.steps()[element.step].instruction->position;
        if (steps.insert(element.step).second && !seen.emplace(at.line, at.column).second) lines.insert(at.line);
      }
    }
  };
  add(plan.loads);
  add(plan.stores);
  return lines;
}

/// Loops that machine code has unrolled: for a timing model all, else those whose accesses it joins over iterations.
void unroll_function(const ptx::Module& module, const ptx::SharedLayout& layout, ptx::Function& function,
                     const Options& options) {
  if (options.timing) {
    unroll(module, layout, function, {.architecture = options.architecture});
    return;
  }
  ptx::Block before = ptx::copy(*function.body);
  const UnrollOptions whole{.architecture = options.architecture, .whole_only = true, .lines = nullptr};
  if (!unroll(module, layout, function, whole)) return;
  std::set<uint32_t> lines;
  {
    const ptx::KernelCode code(module, function);
    const Control control(code);
    const std::map<const ptx::Variable*, uint32_t> shared = layout.offsets(function);
    const Values values(code, control, shared, options.architecture);
    lines = joined_over_iterations(code, plan_joins(code, control, values, options.seen));
  }
  *function.body = std::move(before);
  if (lines.empty()) return;
  unroll(module, layout, function, {.architecture = options.architecture, .whole_only = true, .lines = &lines});
}

void optimise_function(const ptx::Module& module, const ptx::SharedLayout& layout, ptx::Function& function,
                       const Options& options) {
  const ptx::KernelCode code(module, function);
  const Control control(code);
  const std::map<const ptx::Variable*, uint32_t> shared = layout.offsets(function);
  const Values values(code, control, shared, options.architecture);
  const JoinPlan plan = plan_joins(code, control, values, options.seen);
  Editor editor(function, code, values, plan);
  editor.carry_out(function);
}

void set_slots(ptx::Block& block, const std::vector<uint8_t>& slots, const std::vector<bool>& products, size_t& step) {
  for (ptx::Statement& statement : block.statements) {
    if (auto* instruction = std::get_if<Instruction>(&statement)) {
      instruction->slots = slots[step];
      instruction->multiplies = products[step++];
    }
    if (auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) set_slots(**inner, slots, products, step);
  }
}

void time_function(const ptx::Module& module, const ptx::SharedLayout& layout, ptx::Function& function,
                   const Options& options) {
  {
    const ptx::KernelCode code(module, function);
    const Control control(code);
    function.live_registers = most_in_use(code, control, Liveness(code, control));
  }
  predicate(module, function);
  const ptx::KernelCode code(module, function);
  const Control control(code);
  const std::map<const ptx::Variable*, uint32_t> shared = layout.offsets(function);
  const Values values(code, control, shared, options.architecture);
  const std::vector<uint8_t> slots = machine_slots(code);
  size_t step = 0;
  set_slots(*function.body, slots, additions_of_products(code, slots), step);
  order(function, code, control, values, slots, {});
}

}  // namespace

void optimise(ptx::Module& module, const Options& options) {
  const ptx::SharedLayout layout(module);
  for (ptx::Item& item : module.items) {
    auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr || function->body == nullptr) continue;
    if (has_transactions(*function->body)) continue;
    flatten(*function);
    const bool shared = accesses_shared(*function->body);
    if (shared || options.timing) unroll_function(module, layout, *function, options);
    if (shared) optimise_function(module, layout, *function, options);
    if (options.timing) time_function(module, layout, *function, options);
  }
}

}  // namespace bankshot::optimise

#include "bankshot/analysis/code.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/places.hpp"
#include "bankshot/ptx/pragmas.hpp"
#include "bankshot/ptx/shared_layout.hpp"

namespace bankshot::analysis {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;
using scratchpad::AccessKind;

class Builder {
 public:
  Builder(const ptx::Module& module, const ptx::Function& kernel)
      : shared_offsets_(ptx::SharedLayout(module).offsets(kernel)) {
    code_.sources = ptx::SourceMap(module);
    scopes_.emplace_back();
    for (const ptx::Item& item : module.items) {
      if (const auto* variable = std::get_if<ptx::Variable>(&item)) declare(*variable);
    }
    scopes_.emplace_back();
    for (const ptx::Variable& parameter : kernel.parameters) {
      code_.parameters.push_back(parameter.name);
      scopes_.back().variables[parameter.name] = {&parameter, true};
    }
    count_names(*kernel.body);
    places_.start(*kernel.body);
    block(*kernel.body);
    Step end;
    end.ptx_line = kernel.body->end.line;
    code_.steps.push_back(std::move(end));
    for (Step& step : code_.steps) {
      for (uint32_t& target : step.targets) {
        if (target != kEnd) target = label_steps_[target];
        target = std::min(target, code_.end());
      }
    }
    find_loops(code_);
    find_transactions();
  }
  Code take() { return std::move(code_); }

 private:
  static constexpr uint32_t kEnd = ~0u;

  struct Name {
    const ptx::Variable* variable = nullptr;
    bool entry_parameter = false;
  };
  struct Scope {
    std::unordered_map<std::string, Name> variables;
    std::unordered_map<std::string, uint32_t> registers;  ///< those that were used, by their full names
    std::unordered_map<std::string, uint32_t> labels;
    std::unordered_map<std::string, const ptx::Targets*> tables;
  };

  void declare(const ptx::Variable& variable) {
    Scope& scope = scopes_.back();
    if (variable.space == Space::reg && variable.vector > 1) {
      for (const char* part : {".x", ".y", ".z", ".w", ".r", ".g", ".b", ".a"})
        scope.variables[variable.name + part] = {&variable, false};
    }
    scope.variables[variable.name] = {&variable, false};
    if (const auto offset = shared_offsets_.find(&variable); offset != shared_offsets_.end()) {
      array_numbers_[&variable] = static_cast<uint32_t>(code_.arrays.size());
      const uint64_t bytes = variable.linkage == "extern" ? 0 : size_of(variable);
      code_.arrays.push_back({variable.name, offset->second, bytes});
    }
  }

  /// The variable of a name and the scope that declares it; registers of a range are found by their stem.
  const Name* find(const std::string& name, Scope** where = nullptr) {
    const std::string stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (where != nullptr) *where = &*scope;
      if (const auto at = scope->variables.find(name); at != scope->variables.end()) return &at->second;
      if (const auto at = scope->variables.find(stem); at != scope->variables.end() && at->second.variable->range != 0)
        return &at->second;
    }
    return nullptr;
  }

  std::optional<uint32_t> register_of(const std::string& name) {
    Scope* scope = nullptr;
    const Name* found = find(name, &scope);
    if (found == nullptr || found->variable->space != Space::reg) return std::nullopt;
    const auto [at, added] = scope->registers.try_emplace(name, static_cast<uint32_t>(code_.register_bits.size()));
    if (added) code_.register_bits.push_back(std::max(1u, std::min(64u, ptx::bits(found->variable->type))));
    return at->second;
  }

  /// All that follows a begin, up to the commit that ends it. Nested ones are counted.
  void find_transactions() {
    if (marks_.empty()) return;
    constexpr unsigned kDeepest = 8;
    std::set<std::pair<uint32_t, unsigned>> seen;  // steps, and how many begins are open there
    std::vector<std::pair<uint32_t, unsigned>> reached = {{0, 0}};
    while (!reached.empty()) {
      auto [at, open] = reached.back();
      reached.pop_back();
      if (const auto marks = marks_.find(at); marks != marks_.end()) {
        for (const bool begins : marks->second)
          open = begins ? std::min(open + 1, kDeepest) : open - std::min(open, 1u);
      }
      if (!seen.insert({at, open}).second) continue;
      code_.steps[at].in_transaction |= open != 0;
      for (const uint32_t next : code_.next[at]) reached.emplace_back(next, open);
    }
  }

  Source source(const Operand& operand) {
    Source s;
    s.negated = operand.negated;
    if (operand.kind == Operand::Kind::integer || operand.kind == Operand::Kind::f32 ||
        operand.kind == Operand::Kind::f64) {
      s.kind = Source::Kind::constant;
      s.bits = static_cast<uint64_t>(operand.integer);
      return s;
    }
    if (operand.kind != Operand::Kind::identifier && operand.kind != Operand::Kind::sum &&
        operand.kind != Operand::Kind::address) {
      s.name = "an operand of a kind that is not followed";
      return s;
    }
    if (operand.name.empty()) {
      s.kind = Source::Kind::constant;
      return s;
    }
    if (const auto reg = register_of(operand.name)) {
      s.kind = Source::Kind::reg;
      s.reg = *reg;
    } else if (const Name* name = find(operand.name)) {
      s.kind = Source::Kind::constant;
      if (const auto array = array_numbers_.find(name->variable); array != array_numbers_.end()) {
        s.bits = code_.arrays[array->second].offset;
        s.arrays = array->second < Value::kArrayBits ? 1u << array->second : Value::kMoreArrays;
      } else {
        s.kind = Source::Kind::special;  // where a variable of another memory lies is not known, but it is one place
        s.name = operand.name;
      }
    } else {
      s.kind = Source::Kind::special;
      s.name = operand.name.substr(operand.name.front() == '%' ? 1 : 0);
    }
    if (operand.kind == Operand::Kind::sum) s.bits += static_cast<uint64_t>(operand.integer);
    return s;
  }

  void add_destinations(const Operand& operand, Step& step) {
    for (const Operand& element : operand.elements) add_destinations(element, step);
    if (operand.kind != Operand::Kind::identifier) return;
    if (const auto reg = register_of(operand.name)) step.destinations.push_back(*reg);
  }

  uint32_t label(const Operand& operand) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto at = scope->labels.find(operand.name); at != scope->labels.end()) return at->second;
    }
    return kEnd;
  }

  void collect_labels(const ptx::Block& block) {
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* label = std::get_if<ptx::Label>(&statement)) {
        scopes_.back().labels[label->name] = static_cast<uint32_t>(label_steps_.size());
        label_steps_.push_back(kEnd);
      } else if (const auto* targets = std::get_if<ptx::Targets>(&statement)) {
        scopes_.back().tables[targets->label] = targets;
      }
    }
  }

  void block(const ptx::Block& block) {
    scopes_.emplace_back();
    collect_labels(block);
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* variable = std::get_if<ptx::Variable>(&statement)) {
        declare(*variable);
      } else if (const auto* label = std::get_if<ptx::Label>(&statement)) {
        label_steps_[scopes_.back().labels[label->name]] = static_cast<uint32_t>(code_.steps.size());
      } else if (const auto* location = std::get_if<ptx::Location>(&statement)) {
        places_.set(*location);
      } else if (const auto* pragma = std::get_if<ptx::Pragma>(&statement)) {
        for (const std::string& text : pragma->texts) {
          if (text == ptx::kTxBegin || text == ptx::kTxCommit)
            marks_[static_cast<uint32_t>(code_.steps.size())].push_back(text == ptx::kTxBegin);
        }
      } else if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
        this->block(**inner);
      } else if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
        add(*instruction);
      }
    }
    scopes_.pop_back();
  }

  Step new_step(const ptx::Instruction& instruction) {
    Step step;
    step.instruction = &instruction;
    step.file = code_.sources.file(places_.file);
    step.line = step.file.empty() ? 0 : places_.line;
    step.ptx_line = instruction.position.line;
    step.chain = places_.chain;
    if (!instruction.guard) return step;
    if (const auto reg = register_of(instruction.guard->name)) step.guard = static_cast<int32_t>(*reg);
    step.guard_negated = instruction.guard->negated;
    return step;
  }

  void add(const ptx::Instruction& instruction) {
    const std::string& op = instruction.opcode;
    Step step = new_step(instruction);
    if (op == "bra" && !instruction.operands.empty()) {
      step.act = Step::Act::branch;
      step.targets = {label(instruction.operands[0])};
    } else if (op == "brx" && instruction.operands.size() == 2) {
      step.act = Step::Act::branch;
      step.sources = {source(instruction.operands[0])};
      for (auto scope = scopes_.rbegin(); scope != scopes_.rend() && step.targets.empty(); ++scope) {
        const auto table = scope->tables.find(instruction.operands[1].name);
        if (table == scope->tables.end()) continue;
        for (const std::string& name : table->second->names) {
          Operand target;
          target.name = name;
          step.targets.push_back(label(target));
        }
      }
    } else if (op == "ret") {
      step.act = Step::Act::branch;
      step.targets = {kEnd};
    } else if (op == "exit" || op == "trap") {
      leave(instruction, std::move(step));
      return;
    } else if (const ptx::Access what = ptx::access_of(instruction); is_followed(what, instruction)) {
      // Where a value comes back it is written first.
      const size_t at = what.kind == ptx::Access::Kind::load || what.kind == ptx::Access::Kind::atomic ? 1 : 0;
      step.writes = what.writes();
      step.kind = kind_of(what, instruction);
      if (at == 1) add_destinations(instruction.operands[0], step);
      access(what, instruction.operands[at], step);
      if (what.layout != ptx::Access::Layout::lanes) {
        step.unknown =
            what.layout == ptx::Access::Layout::matrix
                ? "lanes of " + ptx::mnemonic(instruction) + " access lines of matrices, which is not followed"
                : ptx::mnemonic(instruction) + " reads by matrix descriptors, which is not followed";
        if (step.width == 0) step.width = 1;  // bits
      }
    } else {
      compute(instruction, std::move(step));
      return;
    }
    code_.steps.push_back(std::move(step));
  }

  AccessKind kind_of(const ptx::Access& access, const ptx::Instruction& instruction) const {
    const bool returns = access.kind == ptx::Access::Kind::atomic && !instruction.operands.empty();
    const bool used = returns && is_named_again(instruction.operands[0]);
    if (!used && ptx::adds_one(access, instruction)) return AccessKind::increment;
    if (access.operation == ptx::Access::Operation::cas) return AccessKind::cas;
    if (access.is_atomic()) return AccessKind::atomic;
    if (access.writes()) return AccessKind::store;
    return access.layout == ptx::Access::Layout::lanes ? AccessKind::load : AccessKind::ldmatrix;
  }

  /// A register in two places: a result in one of them is used, as far as the engine looks.
  bool is_named_again(const Operand& operand) const {
    const auto it = names_.find(operand.name);
    return it != names_.end() && it->second > 1;
  }

  void count_names(const Operand& operand) {
    if (!operand.name.empty()) ++names_[operand.name];
    for (const Operand& element : operand.elements) count_names(element);
  }

  void count_names(const ptx::Block& block) {
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
        count_names(**inner);
      } else if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
        for (const Operand& operand : instruction->operands) count_names(operand);
        if (instruction->guard) ++names_[instruction->guard->name];
      }
    }
  }

  /// Loads, stores and atomics by addresses of lanes, or of the lines of matrices; reads by matrix descriptors.
  static bool is_followed(const ptx::Access& access, const ptx::Instruction& instruction) {
    using Kind = ptx::Access::Kind;
    using Layout = ptx::Access::Layout;
    const bool by_descriptor = access.layout == Layout::operands && access.kind == Kind::load;
    if (access.layout != Layout::lanes && access.layout != Layout::matrix && !by_descriptor) return false;
    const size_t least = access.kind == Kind::store || access.kind == Kind::reduction ? 1 : 2;
    return access.touches_memory() && access.kind != Kind::copy && instruction.operands.size() >= least;
  }

  /// `@p exit` is `@!p bra behind; exit; behind:`, as the engine has it: a side that never comes back joins nothing.
  void leave(const ptx::Instruction& instruction, Step step) {
    if (step.guard >= 0) {
      Step around = step;
      around.act = Step::Act::branch;
      around.guard_negated = !step.guard_negated;
      around.targets = {static_cast<uint32_t>(label_steps_.size())};
      label_steps_.push_back(static_cast<uint32_t>(code_.steps.size()) + 2);
      code_.steps.push_back(std::move(around));
    }
    Step out = new_step(instruction);
    out.guard = -1;
    out.act = Step::Act::exit;
    code_.steps.push_back(std::move(out));
  }

  void access(const ptx::Access& access, const Operand& address, Step& step) {
    const Name* name = address.name.empty() || register_of(address.name) ? nullptr : find(address.name);
    step.space = access.space == Space::generic && name != nullptr ? name->variable->space : access.space;
    step.offset = address.integer;
    step.atomic = access.is_atomic();
    step.is_volatile = access.is_volatile || access.order != ptx::Access::Order::weak;
    step.act = Step::Act::access;
    if (step.space == Space::param && name != nullptr && name->entry_parameter) {
      step.act = Step::Act::parameter;
      step.name = address.name;
    }
    step.width = ptx::bits(access.type) / 8 * access.elements;
    step.shape.is_signed = access.type == Type::s8 || access.type == Type::s16 || access.type == Type::s32;
    step.shape.bits = ptx::bits(access.type);
    step.sources = {source(address)};
  }

  void compute(const ptx::Instruction& instruction, Step step) {
    static constexpr std::string_view kWithoutResult[] = {
        "bar",   "barrier",        "membar",     "fence",   "nanosleep",     "prefetch", "prefetchu", "pmevent",
        "brkpt", "griddepcontrol", "setmaxnreg", "discard", "applypriority", "cp",       "sust",      "sured"};
    const bool result =
        std::find(std::begin(kWithoutResult), std::end(kWithoutResult), instruction.opcode) == std::end(kWithoutResult);
    if ((!result && !has(instruction, "red")) || instruction.operands.empty()) {
      code_.steps.push_back(std::move(step));
      return;
    }
    step.act = Step::Act::compute;
    const Operand& first = instruction.operands[0];
    if (split(instruction, step) || two_predicates(instruction, step)) return;
    add_destinations(first, step);
    for (size_t k = 1; k < instruction.operands.size(); ++k) step.sources.push_back(source(instruction.operands[k]));
    step.operation = operation_of(instruction, step.shape);
    const size_t fewest = step.operation == nullptr ? 0 : step.operation->sources;
    const bool combined = step.shape.combine != Shape::Combine::none;
    if (step.destinations.size() != 1 || step.sources.size() < fewest || (combined && step.sources.size() < 3))
      step.operation = nullptr;
    code_.steps.push_back(std::move(step));
  }

  /// setp.lt.s32 p|q, a, b: q is the opposite comparison.
  bool two_predicates(const ptx::Instruction& instruction, const Step& step) {
    if (instruction.opcode != "setp" || instruction.operands.size() < 3 ||
        instruction.operands[0].kind != Operand::Kind::pair)
      return false;
    using Compare = Shape::Compare;
    for (size_t k = 0; k < 2; ++k) {
      Step one = step;
      add_destinations(instruction.operands[0].elements[k], one);
      for (size_t n = 1; n < instruction.operands.size(); ++n) one.sources.push_back(source(instruction.operands[n]));
      one.operation = one.destinations.size() == 1 ? operation_of(instruction, one.shape) : nullptr;
      if (one.shape.combine != Shape::Combine::none && one.sources.size() < 3) one.operation = nullptr;
      static constexpr Compare kOpposite[] = {Compare::ne, Compare::eq, Compare::ge,
                                              Compare::gt, Compare::le, Compare::lt};
      if (k == 1) one.shape.compare = kOpposite[static_cast<size_t>(one.shape.compare)];
      code_.steps.push_back(std::move(one));
    }
    return true;
  }

  /// mov.b64 {a, b}, c and mov.b64 c, {a, b}: fields of a register.
  bool split(const ptx::Instruction& instruction, const Step& step) {
    if (instruction.opcode != "mov" || instruction.operands.size() != 2) return false;
    const Operand &to = instruction.operands[0], &from = instruction.operands[1];
    const bool unpacks = to.kind == Operand::Kind::vector && to.elements.size() == 2;
    const bool packs = from.kind == Operand::Kind::vector && from.elements.size() == 2;
    if (unpacks == packs) return false;
    ptx::Instruction field = instruction;
    field.opcode = unpacks ? "bfe" : "bfi";
    const auto number = [](uint64_t bits) {
      Source s;
      s.kind = Source::Kind::constant;
      s.bits = bits;
      return s;
    };
    for (size_t k = 0; k < (unpacks ? 2u : 1u); ++k) {
      Step one = step;
      one.operation = operation_of(field, one.shape);
      const unsigned half = one.shape.bits / 2;
      add_destinations(unpacks ? to.elements[k] : to, one);
      if (unpacks) {
        one.sources = {source(from), number(k * half), number(half)};
      } else {
        one.sources = {source(from.elements[1]), source(from.elements[0]), number(half), number(half)};
      }
      if (one.destinations.size() != 1) one.operation = nullptr;
      code_.steps.push_back(std::move(one));
    }
    return true;
  }

  std::map<const ptx::Variable*, uint32_t> shared_offsets_;
  Code code_;
  ptx::Places places_{code_.sources};
  std::vector<Scope> scopes_;
  std::unordered_map<std::string, uint32_t> names_;  ///< how often operands name each
  std::vector<uint32_t> label_steps_;                ///< by label number
  std::map<uint32_t, std::vector<bool>> marks_;      ///< steps before which transactions end, or begin: true
  std::map<const ptx::Variable*, uint32_t> array_numbers_;
};

}  // namespace

Code code_of(const ptx::Module& module, const ptx::Function& kernel) { return Builder(module, kernel).take(); }

}  // namespace bankshot::analysis

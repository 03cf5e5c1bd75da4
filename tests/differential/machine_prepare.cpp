// A parsed module made ready: names become registers, addresses and steps.
#include <algorithm>
#include <set>

#include "tests/differential/machine.hpp"

namespace bankshot::differential {
namespace {

using ptx::Operand;
using ptx::Space;

uint32_t aligned(uint64_t size, uint32_t alignment) {
  return static_cast<uint32_t>((size + alignment - 1) / alignment * alignment);
}

const std::set<std::string> kCollectives = {"shfl", "vote", "match", "redux", "elect"};
const std::set<std::string> kNothing = {"membar", "fence", "prefetch", "prefetchu", "nanosleep", "pmevent"};

class FunctionMaker {
 public:
  FunctionMaker(Prepared& program, Function& out, std::string& error) : program_(program), out_(out), error_(error) {}

  void make(const ptx::Function& function) {
    scopes_.emplace_back();
    for (const ptx::Variable& variable : function.parameters) out_.parameters.push_back(place(variable));
    for (const ptx::Variable& variable : function.returns) out_.returns.push_back(place(variable));
    find_labels(*function.body, count_);
    statements(*function.body);
    Step last;
    last.what = What::give_back;
    out_.steps.push_back(last);
    out_.frame_bytes = aligned(out_.frame_bytes, 16);
  }

 private:
  struct Name {
    int reg = -1;
    Copied place;
  };

  void fail(const std::string& what) {
    if (error_.empty()) error_ = "the reference does not know " + what;
  }

  Copied place(const ptx::Variable& variable) {
    const auto bytes = static_cast<uint32_t>(ptx::size_of(variable));
    out_.frame_bytes = aligned(out_.frame_bytes, std::max<uint32_t>(ptx::alignment_of(variable), 8));
    const Copied where{out_.frame_bytes, bytes};
    scopes_.back()[variable.name] = {-1, where};
    out_.frame_bytes += bytes;
    return where;
  }

  /// Labels are steps, counted as they will be made.
  void find_labels(const ptx::Block& block, uint32_t& count) {
    for (const ptx::Statement& statement : block.statements) {
      if (std::holds_alternative<ptx::Instruction>(statement)) ++count;
      if (const auto* label = std::get_if<ptx::Label>(&statement)) labels_[label->name] = count;
      if (const auto* targets = std::get_if<ptx::Targets>(&statement)) tables_[targets->label] = targets->names;
      if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) find_labels(**inner, count);
    }
  }

  void statements(const ptx::Block& block) {
    scopes_.emplace_back();
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* variable = std::get_if<ptx::Variable>(&statement)) declare(*variable);
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) step(*instruction);
      if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) statements(**inner);
    }
    scopes_.pop_back();
  }

  void declare(const ptx::Variable& variable) {
    if (variable.space == Space::reg) {
      const unsigned bits = variable.type == Type::pred ? 1 : std::max(ptx::bits(variable.type), 16u);
      const uint32_t count = std::max(variable.range, 1u);
      for (uint32_t k = 0; k < count; ++k) {
        scopes_.back()[variable.range == 0 ? variable.name : variable.name + std::to_string(k)] = {
            static_cast<int>(out_.bits.size()), {}};
        out_.bits.push_back(bits);
      }
    } else if (variable.space == Space::local || variable.space == Space::param) {
      place(variable);
    } else {
      fail("variables of this space in functions: " + variable.name);
    }
  }

  const Name* find(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->find(name);
      if (found != scope->end()) return &found->second;
    }
    return nullptr;
  }

  Source source(const Operand& operand) {
    Source out;
    out.negated = operand.negated;
    if (operand.kind == Operand::Kind::integer || operand.kind == Operand::Kind::f32 ||
        operand.kind == Operand::Kind::f64) {
      out.value = static_cast<uint64_t>(operand.integer);
      return out;
    }
    if (operand.kind != Operand::Kind::identifier) {
      fail("such an operand");
      return out;
    }
    if (const Name* name = find(operand.name)) {
      out.kind = name->reg >= 0 ? Source::Kind::reg : Source::Kind::frame;
      out.index = static_cast<uint32_t>(name->reg);
      out.value = name->place.offset;
    } else if (program_.shared.count(operand.name) != 0) {
      out.value = program_.shared[operand.name];
    } else if (program_.global.count(operand.name) != 0) {
      out.value = program_.global[operand.name];
    } else if (program_.function_of.count(operand.name) != 0) {
      out.value = kFunctionBase + static_cast<uint64_t>(program_.function_of[operand.name]);
    } else {
      out.kind = Source::Kind::special;
      out.name = operand.name;
    }
    return out;
  }

  int target(const Operand& operand) {
    if (operand.kind == Operand::Kind::sink) return -1;
    const Name* name = operand.kind == Operand::Kind::identifier ? find(operand.name) : nullptr;
    if (name == nullptr || name->reg < 0) fail("such a destination");
    return name == nullptr ? -1 : name->reg;
  }
  /// A register, `d|p`, or registers in braces.
  std::vector<int> targets(const Operand& operand) {
    std::vector<int> out;
    if (operand.kind != Operand::Kind::pair && operand.kind != Operand::Kind::vector) return {target(operand)};
    for (const Operand& element : operand.elements) out.push_back(target(element));
    return out;
  }
  std::vector<Source> sources(const Operand& operand) {
    std::vector<Source> out;
    if (operand.kind != Operand::Kind::vector) return {source(operand)};
    for (const Operand& element : operand.elements) out.push_back(source(element));
    return out;
  }

  Source address(const Operand& operand) {
    Source out;
    out.value = static_cast<uint64_t>(operand.integer);
    if (operand.name.empty()) return out;
    Operand base;
    base.kind = Operand::Kind::identifier;
    base.name = operand.name;
    Source at = source(base);
    if (at.kind == Source::Kind::reg) at.kind = Source::Kind::address, at.value = 0;
    at.value += out.value;
    return at;
  }

  void step(const ptx::Instruction& text) {
    Step step;
    step.text = &text;
    if (text.guard) {
      const Name* guard = find(text.guard->name);
      if (guard == nullptr) return fail("a guard");
      step.guard = guard->reg;
      step.guard_negated = text.guard->negated;
    }
    fill(text, step);
    out_.steps.push_back(std::move(step));
  }

  void fill(const ptx::Instruction& text, Step& step) {
    const std::string& op = text.opcode;
    for (const std::string& modifier : text.modifiers) {
      const Type type = ptx::type_named(modifier);
      if (type != Type::none) step.type = type;
    }
    step.op = op;
    if (op == "ld" || op == "ldu" || op == "st") return memory(text, step);
    if (op == "atom" || op == "red") return atomic(text, step);
    if (op == "cvta" || op == "isspacep") return generic(text, step);
    if (op == "bra" || op == "brx") return branch(text, step);
    if (op == "call") return call(text, step);
    if (op == "ret") return void(step.what = What::give_back);
    if (op == "exit") return void(step.what = What::leave);
    if (op == "bar" && step.has("warp")) return collective(text, step, 0);
    if (op == "bar" || op == "barrier") return barrier(text, step);
    if (kCollectives.count(op) != 0) return collective(text, step, 1);
    if (kNothing.count(op) != 0) return;
    if (op == "cp" && (step.has("ca") || step.has("cg"))) return copy(text, step);
    if (op == "cp" && step.has("async") && !step.has("bulk")) return;  // copies are done at once
    if (op == "ldmatrix" || op == "stmatrix" || op == "movmatrix") return matrix(text, step);
    if (op == "mov" && text.operands[1].kind == Operand::Kind::vector) return pack(text, step, What::pack);
    if (op == "mov" && text.operands[0].kind == Operand::Kind::vector) return pack(text, step, What::unpack);
    step.what = What::meaning;
    step.targets = targets(text.operands[0]);
    for (size_t k = 1; k < text.operands.size(); ++k) step.sources.push_back(source(text.operands[k]));
    step.meaning = meaning_of(op, text.modifiers, step.sources.size());
    if (!step.meaning) fail(whole_name(text));
  }

  static std::string whole_name(const ptx::Instruction& text) {
    std::string name = text.opcode;
    for (const std::string& modifier : text.modifiers) name += "." + modifier;
    return name;
  }

  void pack(const ptx::Instruction& text, Step& step, What what) {
    step.what = what;
    step.targets = targets(text.operands[0]);
    step.sources = sources(text.operands[1]);
  }

  static Space space_of(const ptx::Instruction& text) {
    for (const std::string& modifier : text.modifiers) {
      if (modifier.rfind("shared", 0) == 0) return Space::shared;
      if (modifier == "global") return Space::global;
      if (modifier == "local") return Space::local;
      if (modifier == "const") return Space::constant;
      if (modifier.rfind("param", 0) == 0) return Space::param;
    }
    return Space::generic;
  }

  void memory(const ptx::Instruction& text, Step& step) {
    const bool stores = text.opcode == "st";
    step.what = stores ? What::store : What::load;
    step.space = space_of(text);
    step.address = address(text.operands[stores ? 0 : 1]);
    if (stores) {
      step.sources = sources(text.operands[1]);
    } else {
      step.targets = targets(text.operands[0]);
    }
  }

  void atomic(const ptx::Instruction& text, Step& step) {
    const size_t first = text.opcode == "atom" ? 1 : 0;
    step.what = What::atomic;
    step.space = space_of(text);
    for (const std::string op : {"add", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas"}) {
      if (step.has(op)) step.op = op;
    }
    step.address = address(text.operands[first]);
    if (first == 1) step.targets = targets(text.operands[0]);
    for (size_t k = first + 1; k < text.operands.size(); ++k) step.sources.push_back(source(text.operands[k]));
  }

  void generic(const ptx::Instruction& text, Step& step) {
    step.what = text.opcode == "isspacep" ? What::is_in_space : step.has("to") ? What::of_generic : What::to_generic;
    step.space = space_of(text);
    step.targets = targets(text.operands[0]);
    step.sources = sources(text.operands[1]);
  }

  /// [to], [from], bytes, bytes to be read
  void copy(const ptx::Instruction& text, Step& step) {
    step.what = What::copy;
    step.address = address(text.operands[0]);
    step.from = address(text.operands[1]);
    for (size_t k = 2; k < text.operands.size(); ++k) step.sources.push_back(source(text.operands[k]));
  }

  /// What a lane brings: an address, or the registers of its part; then the mask of all lanes.
  void matrix(const ptx::Instruction& text, Step& step) {
    step.what = What::collective;
    const bool stores = text.opcode == "stmatrix";
    if (!stores) step.targets = targets(text.operands[0]);
    step.sources = text.opcode == "movmatrix" ? sources(text.operands[1])
                                              : std::vector<Source>{address(text.operands[stores ? 0 : 1])};
    if (stores) {
      for (const Source& part : sources(text.operands[1])) step.sources.push_back(part);
    }
    Source all;
    all.value = 0xffffffff;
    step.sources.push_back(all);
  }

  void branch(const ptx::Instruction& text, Step& step) {
    step.what = text.opcode == "bra" ? What::branch : What::branch_by_table;
    if (text.opcode == "bra") {
      step.places = {labels_[text.operands[0].name]};
      return;
    }
    step.sources = sources(text.operands[0]);
    for (const std::string& name : tables_[text.operands[1].name]) step.places.push_back(labels_[name]);
  }

  std::vector<Copied> places(const Operand& list) {
    std::vector<Copied> out;
    for (const Operand& element : list.elements) {
      const Name* name = find(element.name);
      if (name == nullptr || name->reg >= 0) {
        fail("arguments that are not .param variables");
        return out;
      }
      out.push_back(name->place);
    }
    return out;
  }

  /// call (results), function, (arguments), prototype
  void call(const ptx::Instruction& text, Step& step) {
    step.what = What::call;
    size_t k = 0;
    if (text.operands[k].kind == Operand::Kind::list) step.results = places(text.operands[k++]);
    const Operand& callee = text.operands[k++];
    const auto direct = program_.function_of.find(callee.name);
    if (find(callee.name) == nullptr && direct != program_.function_of.end()) {
      step.function = direct->second;
    } else {
      step.sources = {source(callee)};
    }
    if (k < text.operands.size() && text.operands[k].kind == Operand::Kind::list)
      step.arguments = places(text.operands[k]);
  }

  void barrier(const ptx::Instruction& text, Step& step) {
    step.what = What::barrier;
    step.op = step.has("arrive") ? "arrive" : step.has("red") ? "red" : "sync";
    size_t k = 0;
    if (step.op == "red") step.targets = targets(text.operands[k++]);
    for (; k < text.operands.size(); ++k) step.sources.push_back(source(text.operands[k]));
  }

  void collective(const ptx::Instruction& text, Step& step, size_t written) {
    step.what = What::collective;
    if (written != 0) step.targets = targets(text.operands[0]);
    for (size_t k = written; k < text.operands.size(); ++k) step.sources.push_back(source(text.operands[k]));
  }

  Prepared& program_;
  Function& out_;
  std::string& error_;
  std::vector<std::map<std::string, Name>> scopes_;
  std::map<std::string, uint32_t> labels_;
  std::map<std::string, std::vector<std::string>> tables_;
  uint32_t count_ = 0;
};

/// The bytes of an initialiser of scalars or of names of functions.
void initialise(Prepared& program, const ptx::Variable& variable, uint64_t at) {
  const unsigned bytes = ptx::bits(variable.type) / 8;
  for (const Operand& element : variable.initialiser) {
    auto value = static_cast<uint64_t>(element.integer);
    const auto function = program.function_of.find(element.name);
    if (!element.name.empty() && function != program.function_of.end()) {
      value = kFunctionBase + static_cast<uint64_t>(function->second);
    }
    for (unsigned k = 0; k < bytes; ++k) program.memory[at - kGlobalBase + k] = static_cast<uint8_t>(value >> 8 * k);
    at += bytes;
  }
}

}  // namespace

bool Step::has(const std::string& modifier) const {
  return text != nullptr &&
         std::find(text->modifiers.begin(), text->modifiers.end(), modifier) != text->modifiers.end();
}

Prepared prepare(const ptx::Module& module, std::string& error) {
  Prepared program;
  std::vector<const ptx::Function*> bodies;
  for (const ptx::Item& item : module.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr || !function->body || program.function_of.count(function->name) != 0) continue;
    program.function_of[function->name] = static_cast<int>(bodies.size());
    bodies.push_back(function);
  }
  for (const ptx::Item& item : module.items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable == nullptr) continue;
    const auto bytes = static_cast<uint32_t>(ptx::size_of(*variable));
    if (variable->space == Space::shared) {
      program.shared_bytes = aligned(program.shared_bytes, 16);
      program.shared[variable->name] = program.shared_bytes;
      program.shared_bytes += bytes;
    } else {
      const uint64_t at = kGlobalBase + aligned(program.memory.size(), 16);
      program.memory.resize(at - kGlobalBase + bytes);
      program.global[variable->name] = at;
      initialise(program, *variable, at);
    }
  }
  program.functions.resize(bodies.size());
  for (size_t k = 0; k < bodies.size(); ++k) {
    program.functions[k].name = bodies[k]->name;
    FunctionMaker(program, program.functions[k], error).make(*bodies[k]);
  }
  return program;
}

}  // namespace bankshot::differential

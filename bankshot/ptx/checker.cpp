#include "bankshot/ptx/checker.hpp"

#include "bankshot/ptx/lexer.hpp"
#include "bankshot/ptx/scope.hpp"
#include "bankshot/ptx/special_registers.hpp"

namespace bankshot::ptx {
namespace {

using Kind = Operand::Kind;
using What = Declared::What;

/// Before 1.4 kernels declared their parameters in their bodies, and more modifiers could be left out.
constexpr std::pair<uint32_t, uint32_t> kOldestVersion = {1, 4};
/// Looking for a similar name reads all names, so the number of proposals is limited.
constexpr size_t kMostProposals = 20;

std::string in_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

class Checker {
 public:
  Diagnostics run(const Module& module) {
    versions(module);
    for (const Item& item : module.items) {
      if (const auto* variable = std::get_if<Variable>(&item)) declare(module_, *variable);
      if (const auto* function = std::get_if<Function>(&item)) declare(*function);
    }
    for (const Item& item : module.items) {
      if (const auto* variable = std::get_if<Variable>(&item)) initialiser(module_, *variable);
      if (const auto* function = std::get_if<Function>(&item)) body(*function);
      if (const auto* alias = std::get_if<Alias>(&item)) check_alias(*alias);
    }
    return std::move(diagnostics_);
  }

 private:
  void report(Position position, std::string message, std::string remedy = {}) {
    if (diagnostics_.size() < kMostDiagnostics)
      diagnostics_.push_back({position, std::move(message), std::move(remedy)});
  }

  void versions(const Module& module) {
    if (module.version_major == 0) {
      report({1, 1}, "the module has no .version", "begin it with .version 8.0, .target sm_80 and .address_size 64");
    } else if (std::pair(module.version_major, module.version_minor) < kOldestVersion) {
      report({1, 1},
             "PTX " + std::to_string(module.version_major) + "." + std::to_string(module.version_minor) + " is too old",
             "compile for .version 1.4 or later; 6.0 and later is tested");
    }
    if (module.address_size == 32) {
      report({1, 1}, "32-bit addresses are not supported", "compile with .address_size 64 (nvcc -m64)");
    }
  }

  void declare(Scope& scope, std::string_view name, uint32_t range, Declared declared) {
    const std::optional<Declared> before = scope.declare(name, range, declared);
    if (!before) return;
    const bool is_label = declared.what == What::label && before->what == What::label;
    std::string message = is_label ? "the label " : "";
    message += in_quotes(name) + (is_label ? " stands" : " is declared") + " twice in one scope";
    if (before->position.line != 0) message += ", first in line " + std::to_string(before->position.line);
    report(declared.position, std::move(message), "rename one of them, or put it into a { } block of its own");
  }

  void declare(Scope& scope, const Variable& variable) {
    if (variable.name == "_") return;
    declare(scope, variable.name, variable.range, {What::variable, variable.linkage == "extern", variable.position});
  }

  void declare(const Function& function) {
    declare(module_, function.name, 0, {What::function, !function.body, function.position});
  }

  void check_alias(const Alias& alias) {
    for (const std::string& name : {alias.name, alias.target}) known(module_, name, alias.position, What::function);
  }

  void body(const Function& function) {
    Scope scope(&module_);
    for (const Variable& variable : function.returns) declare(scope, variable);
    for (const Variable& variable : function.parameters) declare(scope, variable);
    if (function.body) block(scope, *function.body);  // parameters and body are one scope
  }

  /// Labels are known in the whole block, variables from their declaration on.
  void block(Scope& scope, const Block& block) {
    for (const Statement& statement : block.statements) {
      if (const auto* label = std::get_if<Label>(&statement)) {
        declare(scope, label->name, 0, {What::label, false, label->position});
      } else if (const auto* targets = std::get_if<Targets>(&statement)) {
        declare(scope, targets->label, 0, {What::targets, false, targets->position});
      } else if (const auto* prototype = std::get_if<CallPrototype>(&statement)) {
        declare(scope, prototype->label, 0, {What::prototype, false, prototype->position});
      }
    }
    for (const Statement& statement : block.statements) check_statement(scope, statement);
  }

  void check_statement(Scope& scope, const Statement& statement) {
    if (const auto* instruction = std::get_if<Instruction>(&statement)) {
      check_instruction(scope, *instruction);
    } else if (const auto* variable = std::get_if<Variable>(&statement)) {
      declare(scope, *variable);
      initialiser(scope, *variable);
    } else if (const auto* targets = std::get_if<Targets>(&statement)) {
      for (const std::string& name : targets->names) {
        known(scope, name, targets->position, targets->calls ? What::function : What::label);
      }
    } else if (const auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) {
      Scope inside(&scope);
      block(inside, **inner);
    }
  }

  void check_instruction(const Scope& scope, const Instruction& instruction) {
    if (instruction.guard) known(scope, instruction.guard->name, instruction.position, What::variable);
    const bool is_branch = instruction.opcode == "bra";
    const What expected = is_branch ? What::label : instruction.opcode == "call" ? What::function : What::variable;
    for (const Operand& operand : instruction.operands) {
      check_operand(scope, operand, operand.kind == Kind::identifier ? expected : What::variable);
    }
    if (!is_branch || instruction.operands.empty()) return;
    const Operand& target = instruction.operands[0];
    const std::optional<Declared> found = scope.find(target.name);
    if (target.kind != Kind::identifier || (found && found->what != What::label)) {
      report(target.position, "the target of a branch is a label", "use brx.idx to branch through a table");
    }
  }

  void check_operand(const Scope& scope, const Operand& operand, What expected) {
    const bool has_name =
        operand.kind == Kind::identifier || operand.kind == Kind::address || operand.kind == Kind::sum;
    if (has_name && !operand.name.empty()) known(scope, operand.name, operand.position, expected);
    if (operand.kind == Kind::field) return;  // words like clamp_to_border
    for (const Operand& element : operand.elements) check_operand(scope, element, What::variable);
  }

  void initialiser(const Scope& scope, const Variable& variable) {
    for (const Operand& operand : variable.initialiser) check_operand(scope, operand, What::variable);
  }

  /// Complains if the name means nothing. @param expected  what it should be, for the message and the proposal
  void known(const Scope& scope, std::string_view name, Position position, What expected) {
    if (scope.find(name)) return;
    if (name[0] == '%' ? is_special_register(name) : is_predefined_constant(name)) return;
    if (const size_t dot = name.rfind('.'); dot != std::string_view::npos && scope.find(name.substr(0, dot))) return;
    const std::string what = expected == What::label ? "the label " : expected == What::function ? "the function " : "";
    report(position, what + in_quotes(name) + (expected == What::label ? " is not in this scope" : " is not declared"),
           remedy(scope, name, expected));
  }

  std::string remedy(const Scope& scope, std::string_view name, What expected) {
    if (const std::optional<uint32_t> count = scope.range_of(name)) {
      return "its range ends with number " + std::to_string(*count - 1) + "; make the .reg range larger";
    }
    if (++proposals_ > kMostProposals) return {};
    const std::string_view near = scope.near(name, expected);
    if (!near.empty()) return "did you mean " + in_quotes(near) + "?";
    if (expected == What::label) return "a label is written before its instruction, as " + std::string(name) + ":";
    return name[0] == '%' ? "declare it with .reg" : "";
  }

  Scope module_;
  Diagnostics diagnostics_;
  size_t proposals_ = 0;
};

}  // namespace

Diagnostics check(const Module& module) { return Checker().run(module); }

}  // namespace bankshot::ptx

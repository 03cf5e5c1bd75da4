// parse ∘ print is the identity on modules, for modules of every shape the printer may be given.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"
#include "bankshot/ptx/same.hpp"

namespace bankshot::ptx {
namespace {

int below(int limit) { return *rc::gen::resize(100, rc::gen::inRange(0, limit)); }
bool coin() { return below(2) == 1; }

template <class T>
T one_of(std::initializer_list<T> list) {
  return list.begin()[below(static_cast<int>(list.size()))];
}

uint64_t any_word() {
  const auto word = *rc::gen::resize(100, rc::gen::arbitrary<uint64_t>());
  return one_of<uint64_t>({word, word >> 40, 0, 1, UINT64_MAX, uint64_t{1} << 63, 4294967295u});
}

uint32_t any_u32() { return static_cast<uint32_t>(any_word()); }

std::string any_name() {
  return one_of<std::string>({"%", "_", "$", "a", "%p"}) +
         one_of<std::string>({"r", "L__BB", "x_1", "generic", "add"}) + std::to_string(below(1000));
}

Operand any_operand(int depth);

void add_elements(Operand& operand, int depth, int least) {
  const int count = least + below(3);
  for (int i = 0; i < count; ++i) operand.elements.push_back(any_operand(depth - 1));
}

Operand any_leaf() {
  Operand operand;
  operand.kind = one_of({Operand::Kind::identifier, Operand::Kind::integer, Operand::Kind::f32, Operand::Kind::f64,
                         Operand::Kind::address, Operand::Kind::sum, Operand::Kind::sink, Operand::Kind::string});
  if (operand.kind == Operand::Kind::identifier) {
    operand.name = any_name() + one_of<std::string>({"", "", ".x", ".w"});
    if (operand.name.find('.') == std::string::npos && below(4) == 0)
      operand.mask = one_of<uint64_t>({0xff, 0xff00, 0xff000000, 0xffff0000});
    operand.negated = below(4) == 0;
  } else if (operand.kind == Operand::Kind::integer) {
    operand.integer = static_cast<int64_t>(any_word());
    operand.is_unsigned = coin();
  } else if (operand.kind == Operand::Kind::f32) {
    operand.integer = any_u32();
  } else if (operand.kind == Operand::Kind::f64) {
    operand.integer = static_cast<int64_t>(any_word());
  } else if (operand.kind == Operand::Kind::address) {
    operand.name = coin() ? any_name() : "";
    operand.integer = static_cast<int64_t>(any_word());
  } else if (operand.kind == Operand::Kind::sum) {
    operand.name = any_name();
    operand.integer = static_cast<int64_t>(any_word());
    operand.generic = coin();
    operand.mask = coin() ? any_word() : 0;
  } else if (operand.kind == Operand::Kind::string) {
    operand.name = one_of<std::string>({"", "a b", "\\\"", "// no comment", "gr\xc3\xbc\xc3\x9f"});
  }
  return operand;
}

Operand any_operand(int depth) {
  if (depth == 0 || below(3) != 0) return any_leaf();
  Operand operand;
  operand.kind = one_of({Operand::Kind::vector, Operand::Kind::pair, Operand::Kind::address});
  if (operand.kind == Operand::Kind::pair) {
    operand.elements = {any_leaf(), any_leaf()};
    // Nothing that a constant expression or a sum could swallow stands before the bar.
    operand.elements[0] = Operand{};
    operand.elements[0].kind = Operand::Kind::identifier;
    operand.elements[0].name = any_name();
  } else if (operand.kind == Operand::Kind::address) {
    operand.name = any_name();
    add_elements(operand, depth, 1);
  } else {
    add_elements(operand, depth, 0);
  }
  return operand;
}

Instruction any_instruction() {
  Instruction instruction;
  if (below(3) == 0) instruction.guard = Guard{any_name(), coin()};
  instruction.opcode = one_of<std::string>({"add", "ld", "call", "tex", "cp", "wgmma"});
  const int modifiers = below(4);
  for (int i = 0; i < modifiers; ++i) {
    instruction.modifiers.push_back(
        one_of<std::string>({"f32", "2d", "shared::cta", "L2::128B", "m16n8k16", "v4", "1d"}));
  }
  const int operands = below(5);
  for (int i = 0; i < operands; ++i) instruction.operands.push_back(any_operand(3));
  if (instruction.opcode == "call") {
    Operand list;
    list.kind = Operand::Kind::list;
    add_elements(list, 2, 0);
    instruction.operands.push_back(list);
  }
  return instruction;
}

std::vector<Performance> any_performance() {
  std::vector<Performance> out;
  const int count = below(3);
  for (int i = 0; i < count; ++i) {
    Performance& directive = out.emplace_back();
    directive.name = one_of<std::string>({"maxntid", "reqntid", "explicitcluster", "abi_preserve"});
    const int values = below(4);
    for (int k = 0; k < values; ++k) directive.values.push_back(any_word());
  }
  return out;
}

void initialise(Variable& variable) {
  variable.has_initialiser = true;
  uint64_t most = 1;
  for (const auto& dimension : variable.dimensions) most *= *dimension;
  const uint64_t count = variable.dimensions.empty() ? 1 : static_cast<uint64_t>(below(static_cast<int>(most) + 1));
  for (uint64_t i = 0; i < count; ++i) {
    Operand value = any_leaf();
    if (variable.vector != 1) {
      value = Operand{};
      value.kind = Operand::Kind::vector;
      for (uint32_t k = 0; k < variable.vector; ++k) value.elements.push_back(any_leaf());
    }
    variable.initialiser.push_back(value);
  }
}

Variable any_variable(bool is_parameter) {
  Variable variable;
  variable.name = any_name();
  variable.space =
      is_parameter ? Space::param : one_of({Space::reg, Space::shared, Space::global, Space::constant, Space::local});
  if (!is_parameter) variable.linkage = one_of<std::string>({"", "", "extern", "weak", "visible", "common"});
  variable.align = one_of<uint32_t>({0, 0, 1, 16, 128});
  variable.vector = one_of<uint32_t>({1, 1, 2, 4});
  variable.type = static_cast<Type>(1 + below(static_cast<int>(Type::opaque)));
  if (variable.type == Type::opaque) variable.opaque = one_of<std::string>({"texref", "samplerref", "surfref"});
  if (is_parameter && coin()) {
    variable.is_pointer = true;
    variable.pointer_space = one_of({Space::generic, Space::global, Space::shared});
    variable.pointer_align = one_of<uint32_t>({0, 4});
  }
  if (!is_parameter && coin()) variable.attributes = {"managed", "unified(1,2)"};
  const int dimensions = below(4);
  for (int i = 0; i < dimensions; ++i) variable.dimensions.push_back(static_cast<uint64_t>(1 + below(4)));
  if (!is_parameter && coin()) {
    initialise(variable);
  } else {
    if (dimensions > 0 && coin()) variable.dimensions[0] = std::nullopt;
    if (!is_parameter && dimensions == 0 && coin()) variable.range = static_cast<uint32_t>(1 + below(1 << 20));
  }
  return variable;
}

Location any_location() {
  Location location;
  location.file = any_u32(), location.line = any_u32(), location.column = any_u32();
  if (coin()) {
    Location::Inlined& inlined = location.inlined.emplace();
    inlined.file = any_u32(), inlined.line = any_u32(), inlined.column = any_u32();
    if (coin()) {
      inlined.function_label = any_name();
      inlined.function_offset = static_cast<int64_t>(any_word());
    }
  }
  return location;
}

Pragma any_pragma() { return {{}, {"nounroll", one_of<std::string>({"", "used_bytes_mask 15", "; }"})}}; }
Section any_section() {
  return {{}, one_of<std::string>({".debug_info", "x"}), one_of<std::string>({"", "\n.b8 1,2 // }\n{}\n"})};
}
File any_file() {
  return {{}, any_u32(), "a/b.cu", coin() ? std::vector<uint64_t>{any_word(), any_word()} : std::vector<uint64_t>{}};
}

std::vector<Variable> any_parameters() {
  std::vector<Variable> out;
  const int count = below(3);
  for (int i = 0; i < count; ++i) out.push_back(any_variable(true));
  return out;
}

std::unique_ptr<Block> any_block(int depth);

Statement any_statement(int depth) {
  switch (below(depth > 0 ? 10 : 9)) {
    case 0: return Label{{}, any_name()};
    case 1: return any_variable(false);
    case 2: return any_location();
    case 3: return any_pragma();
    case 4: return Targets{{}, any_name(), coin(), {any_name(), any_name()}};
    case 5: return CallPrototype{{}, any_name(), any_parameters(), any_parameters(), any_performance(), coin()};
    case 6: return any_section();
    case 7: return any_file();
    case 8: return any_instruction();
    default: return any_block(depth - 1);
  }
}

std::unique_ptr<Block> any_block(int depth) {
  auto block = std::make_unique<Block>();
  const int count = below(6);
  for (int i = 0; i < count; ++i) block->statements.push_back(any_statement(depth));
  return block;
}

Function any_function() {
  Function function;
  function.is_entry = coin();
  function.linkage = one_of<std::string>({"", "visible", "extern", "weak"});
  function.name = any_name();
  if (coin()) function.attributes = {"unified(3,4)"};
  if (!function.is_entry) function.returns = any_parameters();
  function.parameters = any_parameters();
  function.performance = any_performance();
  function.noreturn = coin();
  if (coin()) function.pragmas.push_back(any_pragma());
  if (coin()) function.body = any_block(2);
  return function;
}

Module any_module() {
  Module module;
  module.version_major = static_cast<uint32_t>(1 + below(12));
  module.version_minor = static_cast<uint32_t>(below(12));
  if (coin()) module.targets = {"sm_90a", "debug"};
  module.address_size = one_of<uint32_t>({32, 64});
  const int count = below(5);
  for (int i = 0; i < count; ++i) {
    switch (below(8)) {
      case 0: module.items.emplace_back(any_variable(false)); break;
      case 1: module.items.emplace_back(any_file()); break;
      case 2: module.items.emplace_back(any_section()); break;
      case 3: module.items.emplace_back(any_pragma()); break;
      case 4: module.items.emplace_back(Alias{{}, any_name(), any_name()}); break;
      case 5: module.items.emplace_back(any_location()); break;
      default: module.items.emplace_back(any_function()); break;
    }
  }
  return module;
}

RC_GTEST_PROP(PtxRoundtrip, a_printed_module_parses_to_itself, ()) {
  const Module module = any_module();
  const std::string text = print(module);
  const Result<Module, Diagnostics> again = parse(text);
  if (!again) RC_FAIL(text + "\n" + format_diagnostics(again.error(), "printed", text));
  if (!same(module, *again)) RC_FAIL(text + "\nparsed and printed:\n" + print(*again));
  RC_ASSERT(print(*again) == text);
}

RC_GTEST_PROP(PtxRoundtrip, a_printed_instruction_parses_to_itself, ()) {
  const Instruction instruction = any_instruction();
  const std::string text = ".func f() {" + print(instruction) + "}";
  const Result<Module, Diagnostics> module = parse(text);
  if (!module) RC_FAIL(text + "\n" + format_diagnostics(module.error(), "printed", text));
  const Block& body = *std::get<Function>(module->items[0]).body;
  RC_ASSERT(body.statements.size() == 1u);
  if (!same(instruction, std::get<Instruction>(body.statements[0])))
    RC_FAIL(text + "\nparsed and printed:\n" + print(*module));
}

RC_GTEST_PROP(PtxRoundtrip, any_damage_gives_a_module_or_complaints_with_places, ()) {
  std::string text = print(any_module());
  const int cuts = 1 + below(4);
  for (int i = 0; i < cuts; ++i) {
    const auto at = static_cast<size_t>(below(static_cast<int>(text.size()) + 1));
    if (coin())
      text.erase(at, static_cast<size_t>(below(8)));
    else
      text.insert(
          at, one_of<std::string>({"{", "}", ";", "\"", "/*", "[", ",", ".", "<9", "\xff", "99999999999999999999"}));
  }
  const Result<Module, Diagnostics> module = parse(text);
  if (module) {
    check(*module);
    const Result<Module, Diagnostics> again = parse(print(*module));
    RC_ASSERT(again && same(*module, *again));
    return;
  }
  RC_ASSERT(!module.error().empty());
  for (const Diagnostic& diagnostic : module.error()) {
    RC_ASSERT(diagnostic.position.line >= 1u);
    RC_ASSERT(diagnostic.position.column >= 1u);
    RC_ASSERT(!diagnostic.message.empty());
  }
}

}  // namespace
}  // namespace bankshot::ptx

// Bodies of functions. Source: PTX ISA manual, §4.3 (statements), chapter 9 (instructions), §11.3 (control flow).
#include "bankshot/ptx/grammar.hpp"

namespace bankshot::ptx {
namespace {

/// More labels than any jump table of a compiler.
constexpr int64_t kLongestLabelRange = 1024;

/// label: .branchtargets a, b;  label: .calltargets f, g;  The list may say L<3> for L0, L1, L2.
bool parse_targets(Cursor& cursor, Targets& out) {
  out.calls = cursor.at_dotted("calltargets");
  cursor.take();
  do {
    std::string name;
    if (!cursor.expect_name(name, out.calls ? "the name of a function" : "a label")) return false;
    if (!cursor.accept('<')) {
      out.names.push_back(std::move(name));
      continue;
    }
    const Position position = cursor.position();
    Operand count;
    if (!parse_literal(cursor, count)) return false;
    if (count.kind != Operand::Kind::integer || count.integer < 0 || count.integer > kLongestLabelRange) {
      return cursor.fail_at(position, "a range of labels is an integer up to " + std::to_string(kLongestLabelRange));
    }
    for (int64_t i = 0; i < count.integer; ++i) out.names.push_back(name + std::to_string(i));
    if (!cursor.expect('>', "after a range")) return false;
  } while (cursor.accept(','));
  return cursor.expect_end_of_statement("or ',' in a list of targets");
}

/// label: .callprototype (returns) _ (parameters) .noreturn;
bool parse_prototype(Cursor& cursor, CallPrototype& out) {
  cursor.take();
  if (cursor.at('(') && !parse_parameters(cursor, out.returns)) return false;
  if (cursor.text() != "_") return cursor.fail("'_' in the place of the function's name");
  cursor.take();
  if (cursor.at('(') && !parse_parameters(cursor, out.parameters)) return false;
  while (cursor.at(TokenKind::dotted)) {
    if (cursor.at_dotted("noreturn")) {
      out.noreturn = true;
      cursor.take();
    } else if (!parse_performance(cursor, out.performance)) {
      return false;
    }
  }
  return cursor.expect_end_of_statement("after a prototype");
}

bool parse_label(Cursor& cursor, Block& block) {
  const Position position = cursor.position();
  std::string name(cursor.text(cursor.take()));
  cursor.take();  // the colon
  if (cursor.at_dotted("branchtargets") || cursor.at_dotted("calltargets")) {
    Targets& targets = std::get<Targets>(block.statements.emplace_back(Targets{}));
    targets.position = position;
    targets.label = std::move(name);
    return parse_targets(cursor, targets);
  }
  if (cursor.at_dotted("callprototype")) {
    CallPrototype& prototype = std::get<CallPrototype>(block.statements.emplace_back(CallPrototype{}));
    prototype.position = position;
    prototype.label = std::move(name);
    return parse_prototype(cursor, prototype);
  }
  block.statements.emplace_back(Label{position, std::move(name)});
  return true;
}

template <class T>
bool parse_as(Cursor& cursor, Block& block, bool (*rule)(Cursor&, T&)) {
  return rule(cursor, std::get<T>(block.statements.emplace_back(T{})));
}

bool parse_directive(Cursor& cursor, Block& block) {
  const std::string_view word = cursor.text().substr(1);
  if (word == "loc") return parse_as<Location>(cursor, block, parse_location);
  if (word == "pragma") return parse_as<Pragma>(cursor, block, parse_pragma);
  if (word == "file") return parse_as<File>(cursor, block, parse_file);
  if (word == "section") return parse_as<Section>(cursor, block, parse_section);
  if (!is_linkage(word) && !space_named(word)) {
    return cursor.fail("an instruction, a declaration or a label",
                       word == "entry" || word == "func" ? "is the closing } of the previous function missing?" : "");
  }
  std::string linkage;
  std::vector<Variable> variables;
  if (!parse_linkage(cursor, linkage) || !parse_variables(cursor, linkage, variables)) return false;
  for (Variable& variable : variables) block.statements.emplace_back(std::move(variable));
  return true;
}

bool parse_statement(Cursor& cursor, Block& block, unsigned depth) {
  switch (cursor.peek().kind) {
    case TokenKind::identifier:
      if (cursor.at(':', 1)) return parse_label(cursor, block);
      return parse_as<Instruction>(cursor, block, parse_instruction);
    case TokenKind::dotted: return parse_directive(cursor, block);
    case TokenKind::mark: break;
    default: return cursor.fail("an instruction");
  }
  if (cursor.accept(';')) return true;  // an empty statement, as inline assembly leaves behind
  if (cursor.at('@')) {
    if (cursor.at('@', 1)) return parse_as<Section>(cursor, block, parse_dwarf_line);
    return parse_as<Instruction>(cursor, block, parse_instruction);
  }
  if (cursor.at('{')) {
    auto inner = std::make_unique<Block>();
    const bool parsed = parse_block(cursor, *inner, depth + 1);
    block.statements.emplace_back(std::move(inner));
    return parsed;
  }
  return cursor.fail("an instruction");
}

}  // namespace

/// An operand of vmad: the one instruction that may negate registers.
static bool parse_factor(Cursor& cursor, Operand& out) {
  const bool negated = cursor.at('-') && cursor.peek(1).kind == TokenKind::identifier;
  if (negated) cursor.take();
  if (!parse_operand(cursor, out, false)) return false;
  if (negated && out.kind != Operand::Kind::identifier)
    return cursor.fail_at(out.position, "only a register can be negated");
  if (negated) out.integer = -1;
  return true;
}

bool parse_instruction(Cursor& cursor, Instruction& out) {
  out.position = cursor.position();
  if (cursor.accept('@')) {
    Guard& guard = out.guard.emplace();
    guard.negated = cursor.accept('!');
    if (!cursor.expect_name(guard.name, "a predicate after @")) return false;
  }
  if (!cursor.expect_name(out.opcode, "the name of an instruction")) return false;
  out.modifiers.reserve(4);
  while (cursor.at(TokenKind::dotted)) out.modifiers.emplace_back(cursor.text(cursor.take()).substr(1));
  if (cursor.accept(';')) return true;
  const bool is_call = out.opcode == "call";
  out.operands.reserve(4);
  do {
    Operand& operand = out.operands.emplace_back();
    if (!(out.opcode == "vmad" ? parse_factor(cursor, operand) : parse_operand(cursor, operand, is_call))) return false;
  } while (cursor.accept(','));
  return cursor.expect_end_of_statement("or ',' after an operand");
}

bool parse_block(Cursor& cursor, Block& out, unsigned depth) {
  out.position = cursor.position();
  if (depth > kDeepestBlock) {
    return cursor.give_up(out.position, "blocks are nested too deeply", "the rest of the text is not read");
  }
  if (!cursor.expect('{', "before the body of a function")) return false;
  while (!cursor.at_end() && !cursor.at('}')) {
    const size_t begin = cursor.index();
    if (!parse_statement(cursor, out, depth)) cursor.recover_in_body(begin);
  }
  out.end = cursor.position();
  if (cursor.accept('}')) return true;
  return cursor.give_up(out.position, "this { is not closed", "end the block with }");
}

bool parse_performance(Cursor& cursor, std::vector<Performance>& out) {
  if (!cursor.at_directive()) return cursor.fail("a directive like .maxntid");
  Performance& directive = out.emplace_back();
  directive.position = cursor.position();
  directive.name = cursor.text(cursor.take()).substr(1);
  if (!cursor.at(TokenKind::number)) return true;
  do {
    if (!parse_unsigned(cursor, directive.values.emplace_back(), "a number")) return false;
  } while (cursor.accept(','));
  return true;
}

}  // namespace bankshot::ptx

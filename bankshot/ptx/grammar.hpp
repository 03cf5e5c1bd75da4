// The rules of the grammar, one function each. Private to the parser.
// A rule takes tokens and fills `out`; it returns false after it has reported an error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bankshot/ptx/cursor.hpp"
#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

/// Deeper nesting is refused, so that no text can exhaust the stack.
constexpr unsigned kDeepestBlock = 200, kDeepestOperand = 40;

// parse_literal.cpp
/// One literal without sign.
bool parse_literal(Cursor& cursor, Operand& out);

// parse_constant.cpp
/// A constant expression: integers, floats, operators, casts.
bool parse_constant(Cursor& cursor, Operand& out);
/// A constant expression that is an integer of 0 or more. @param what  "an alignment", for the message
bool parse_unsigned(Cursor& cursor, uint64_t& out, std::string_view what);
/// The same, and no more than `most`.
bool parse_u32(Cursor& cursor, uint32_t& out, std::string_view what, uint32_t most = UINT32_MAX);
/// The `+ 8`, `- 8`, `+ -8` that may follow a name, added to `offset`.
bool parse_offset(Cursor& cursor, int64_t& offset);

// parse_operand.cpp
/// @param is_call  a parenthesis opens a list of arguments, not a constant expression
bool parse_operand(Cursor& cursor, Operand& out, bool is_call, unsigned depth = 0);

// parse_variable.cpp
/// Empty if there is none of that name.
std::optional<Space> space_named(std::string_view name);
bool is_linkage(std::string_view word);
/// .visible, .extern, .weak, .common, if there is one.
bool parse_linkage(Cursor& cursor, std::string& out);
/// .attribute(.managed, .unified(1, 2)), the word .attribute already taken.
bool parse_attributes(Cursor& cursor, std::vector<std::string>& out);
/// From the space to the `;`; every declared name is one of `out`. @param linkage  what stood before the space
bool parse_variables(Cursor& cursor, const std::string& linkage, std::vector<Variable>& out);
/// Space to type of a declaration: what all names of a `.reg .b32 a, b;` share.
bool parse_declaration(Cursor& cursor, Variable& out);
/// Name to initialiser. @param anonymous  the name may be `_`
bool parse_declarator(Cursor& cursor, Variable& out, bool anonymous);
/// ( .param .b32 a, … )
bool parse_parameters(Cursor& cursor, std::vector<Variable>& out);

// parse_initialiser.cpp
/// What follows the `=`; also gives `[]` its size.
bool parse_initialiser(Cursor& cursor, Variable& variable);
/// Elements of one row below dimension `level`; 0 if it has no size.
uint64_t row_size(const Variable& variable, size_t level);

// parse_debug.cpp: the word with the dot is the current token
bool parse_location(Cursor& cursor, Location& out);
bool parse_file(Cursor& cursor, File& out);
bool parse_section(Cursor& cursor, Section& out);
bool parse_pragma(Cursor& cursor, Pragma& out);
/// @@DWARF …, to the end of the line
bool parse_dwarf_line(Cursor& cursor, Section& out);

// parse_body.cpp
/// { … }. Mends its own errors; false only if the text is given up.
bool parse_block(Cursor& cursor, Block& out, unsigned depth = 0);
bool parse_instruction(Cursor& cursor, Instruction& out);
/// .maxntid 1, 2, 3
bool parse_performance(Cursor& cursor, std::vector<Performance>& out);

// parse_function.cpp: .entry or .func is the current token
bool parse_function(Cursor& cursor, Function& out);

// parser.cpp
/// Words that can begin a module-level item.
bool begins_item(std::string_view word);

}  // namespace bankshot::ptx

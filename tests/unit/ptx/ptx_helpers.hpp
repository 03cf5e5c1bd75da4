// What the tests of the PTX front end share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"
#include "bankshot/ptx/same.hpp"

namespace bankshot::ptx {

inline const std::string kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Parses, and fails the test with the complaints if there are any. Every text that parses must also print and parse
/// to the same again, so that each test is one of the printer as well.
inline Module parsed(const std::string& text) {
  Result<Module, Diagnostics> module = parse(text);
  if (!module) {
    ADD_FAILURE() << format_diagnostics(module.error(), "test", text);
    return {};
  }
  const std::string printed = print(*module);
  const Result<Module, Diagnostics> again = parse(printed);
  if (!again) {
    ADD_FAILURE() << "printed text does not parse\n" << format_diagnostics(again.error(), "printed", printed);
  } else {
    EXPECT_TRUE(same(*module, *again)) << text << "\nprinted as\n" << printed;
    EXPECT_EQ(print(*again), printed);
  }
  return std::move(*module);
}

/// "3:7: message" of the first complaint; empty if there is none.
inline std::string first_complaint(const Diagnostics& diagnostics) {
  if (diagnostics.empty()) return {};
  const Diagnostic& first = diagnostics[0];
  return std::to_string(first.position.line) + ':' + std::to_string(first.position.column) + ": " + first.message;
}

inline Diagnostics complaints(const std::string& text) {
  const Result<Module, Diagnostics> module = parse(text);
  return module ? Diagnostics{} : module.error();
}

/// The statements of a function `f` that has this body.
inline std::vector<Statement> body_of(const std::string& body) {
  Module module = parsed(kHeader + ".func f()\n{\n" + body + "\n}\n");
  if (module.items.empty()) return {};
  return std::move(std::get<Function>(module.items[0]).body->statements);
}

inline Instruction instruction(const std::string& text) {
  std::vector<Statement> statements = body_of(text);
  if (statements.size() != 1 || !std::holds_alternative<Instruction>(statements[0])) {
    ADD_FAILURE() << "not one instruction: " << text;
    return {};
  }
  return std::move(std::get<Instruction>(statements[0]));
}

/// The variables a module-level text declares.
inline std::vector<Variable> variables(const std::string& text) {
  Module module = parsed(kHeader + text);
  std::vector<Variable> out;
  for (Item& item : module.items) {
    if (auto* variable = std::get_if<Variable>(&item)) out.push_back(std::move(*variable));
  }
  return out;
}

inline Variable variable(const std::string& text) {
  std::vector<Variable> all = variables(text);
  if (all.size() != 1) {
    ADD_FAILURE() << "not one variable: " << text;
    return {};
  }
  return std::move(all[0]);
}

/// The first complaint about a body, its line counted from the body's first.
inline std::string body_complaint(const std::string& body) {
  Diagnostics found = complaints(kHeader + ".func f() {\n" + body + "\n}\n");
  for (Diagnostic& diagnostic : found) diagnostic.position.line -= 4;
  return first_complaint(found);
}

}  // namespace bankshot::ptx

// Pieces of the printer; each appends to `out`. Private to it.
#pragma once

#include <string>

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

void append(std::string& out, int64_t value);
void append_unsigned(std::string& out, uint64_t value);
void append(std::string& out, const Operand& operand);
void append(std::string& out, const Instruction& instruction);
/// Without linkage and `;`, as a parameter is written too.
void append(std::string& out, const Variable& variable);
void append(std::string& out, const Location& location);

/// Elements with a comma between them.
template <class List, class Print>
void append_list(std::string& out, const List& list, Print print) {
  bool first = true;
  for (const auto& element : list) {
    if (!first) out += ", ";
    first = false;
    print(element);
  }
}

}  // namespace bankshot::ptx

// Errors of users' input as values: where, what, and what to do about it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankshot {

/// A place in a text; both count from 1. Line 0 means "no particular place".
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;
  bool operator==(const Position&) const = default;
};

/// One complaint about a text: position, reason and remedy.
struct Diagnostic {
  Position position;
  std::string message;  ///< the error, and what was expected
  std::string remedy;   ///< what to do; may be empty
  bool operator==(const Diagnostic&) const = default;
};

/// "file:line:column: error: message", the source line and a caret under the column, then the remedy if any.
/// @param text  the whole text the positions refer to
std::string format_diagnostic(const Diagnostic& diagnostic, std::string_view file, std::string_view text);

/// All of them, one after the other, at most `limit`, then how many more there are.
std::string format_diagnostics(const std::vector<Diagnostic>& diagnostics, std::string_view file, std::string_view text,
                               size_t limit = 20);

}  // namespace bankshot

// What the report of bankshot fix advises.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/simt/state/fault.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::lsp {

/// Whole lines of a source that give way to others.
struct LineEdit {
  std::string file;
  uint32_t line = 0;  ///< the first, from 1
  std::vector<std::string> before, after;
};

/// One way to lessen the conflicts of an array.
struct Remedy {
  std::string title;  ///< "rows of 32 + 1 words: conflicts 1,024 -> 0"
  std::string code;   ///< C++ to paste, with comments on where it goes; or empty
};

/// What is advised for one shared array of a kernel.
struct Advice {
  std::string array, kernel;         ///< names in the source
  std::string module;                ///< digest of the PTX
  std::vector<simt::Source> places;  ///< of its accesses
  std::vector<Remedy> remedies;      ///< the one that was chosen first
  std::vector<LineEdit> edits;       ///< that write the chosen remedy into the source; empty: not known
};

/// Whether a text begins like what bankshot fix writes.
bool is_fix_report(std::string_view json);

/// Reads bankshot/fix/2. Any bytes are allowed; the error says what is wrong. A refused fix is an error with its
/// reason.
Result<std::vector<Advice>> read_advice(std::string_view json);

}  // namespace bankshot::lsp

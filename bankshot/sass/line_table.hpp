// Line tables of machine code: DWARF 2 to 4, with what NVIDIA added to them for inlined functions.
//
// An extended operation 0x90 has two numbers, a context and the offset of the function's name. The rows that follow it
// are code of an inlined function, and the context is the number of the row, from 1 in the same function, whose line is
// where it was inlined; context 0 ends that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/sass/sections.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::sass {

/// From `address` on, to the next row of the same section, code has this line.
struct LineRow {
  uint16_t section = 0;
  uint64_t address = 0;
  uint32_t file = 0;        ///< index into LineTable::files
  uint32_t line = 0;        ///< 0 behind the end of a function
  uint32_t inlined_at = 0;  ///< number of an earlier row, from 1; 0 = not inlined
};

struct LineTable {
  std::vector<std::string> files;  ///< [0] is empty
  std::vector<LineRow> rows;       ///< in the order of the table
};

/// Reads the table in a section, `.debug_line` or `.nv_debug_line_sass`.
Result<LineTable> read_line_table(const Sections& sections, const Section& section);

}  // namespace bankshot::sass

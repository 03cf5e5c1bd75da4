// The instruction table as people read it: docs/ptx.md.
#include <set>

#include "bankshot/simt/rows/row.hpp"

namespace bankshot::simt {
namespace {

std::string_view name(Unit unit) {
  switch (unit) {
    case Unit::alu: return "integer and logic";
    case Unit::multiply: return "integer products";
    case Unit::fp16: return "half precision";
    case Unit::fp32: return "single precision";
    case Unit::fp64: return "double precision";
    case Unit::sfu: return "special functions";
    case Unit::warp: return "across the warp";
    case Unit::tensor:
    case Unit::warpgroup: return "matrices";
    case Unit::memory: return "memory";
    default: return "control";
  }
}

}  // namespace

std::string instruction_table(const Rows& rows) {
  std::string text =
      "| form | where | unit |\n"
      "|---|---|---|\n";
  std::set<std::string> seen;
  for (const Row& row : rows) {
    std::string line = "| `";
    for (char c : row.syntax) line += c == '|' ? std::string("\\|") : std::string(1, c);  // a bar would end the cell
    line += "` | ";
    const std::string sets(row.sets);
    line += (sets.empty() ? "" : "`" + sets + "`") + " | " + std::string(name(row.unit)) + " |\n";
    if (seen.insert(line).second) text += line;
  }
  return text;
}

}  // namespace bankshot::simt

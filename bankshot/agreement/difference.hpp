// Where machine code has other accesses of shared memory than the model of ptxas expects. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankshot::agreement {

/// Accesses of one kind at one line. Widths are bytes a lane, each once, ascending.
struct Difference {
  std::string file;       ///< empty: not known
  uint32_t line = 0;      ///< 0: not known
  uint32_t ptx_line = 0;  ///< of the first instruction; 0: not known
  std::string kind;       ///< "shared load"
  std::vector<unsigned> expected, machine;
  std::vector<unsigned> counted;  ///< expected, once machine code is taken at its word
  bool operator==(const Difference&) const = default;
};

}  // namespace bankshot::agreement

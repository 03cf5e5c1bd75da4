// Layouts of an array that a person can write in the source and PTX alone cannot be given: longer elements, rows of any
// length, swizzles of tiles that hardware copies. They are counted on the accesses of a run, not run.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/fix/declaration.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"

namespace bankshot::fix {

struct Layout {
  std::string what;        ///< "rows of 80 + 1 elements"
  std::string cpp;         ///< the declaration or functions to write, or empty
  uint64_t conflicts = 0;  ///< of the accesses that were kept
  int64_t extra_bytes = 0;
};

/// What layouts are found for.
struct LayoutSubject {
  std::string name;  ///< in the source
  std::optional<Declaration> declaration;
  uint64_t bytes = 0;               ///< 0: dynamic
  bool is_rewritten = false;        ///< a hash and padding were tried on the PTX: they are not found again
  bool is_matrix = false;           ///< some instruction reads or writes tiles by their start and stride: no hash
  scratchpad::PatternSet patterns;  ///< words from its start
};

/// @return those with fewer conflicts than the array as it is, at most three, best first
std::vector<Layout> find_layouts(const LayoutSubject& array, std::chrono::milliseconds time_limit);

}  // namespace bankshot::fix

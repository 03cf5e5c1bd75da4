// Layouts of an array that a person can write in the source and PTX alone cannot be given: longer elements, rows of any
// length, swizzles of tiles that hardware copies, the swizzle modes of tensor maps. They are counted on the accesses of
// a run, not run.
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

struct Layouts {
  uint64_t ideal_wavefronts = 0;  ///< of the accesses that were kept; the same in every layout
  uint64_t conflicts = 0;         ///< theirs in the array as it is
  std::vector<Layout> list;       ///< those with fewer, best first
};

/// What layouts are found for.
struct LayoutSubject {
  std::string name;  ///< in the source
  std::optional<Declaration> declaration;
  uint64_t bytes = 0;         ///< 0: dynamic
  bool is_rewritten = false;  ///< a hash and padding were tried on the PTX: they are not found again
  uint32_t tried_row = 0;     ///< bytes of the rows of that padding
  bool is_tensor = false;  ///< copied by tensor maps (TMA) or read by wgmma: only their swizzle modes place its words
  scratchpad::PatternSet patterns = {};  ///< words from its start
  /// Those of them that instructions make of a tile's start and stride (wmma): its rows must stay equally far apart.
  std::vector<scratchpad::Pattern> tiles = {};
};

/// At most three.
Layouts find_layouts(const LayoutSubject& array, std::chrono::milliseconds time_limit);

}  // namespace bankshot::fix

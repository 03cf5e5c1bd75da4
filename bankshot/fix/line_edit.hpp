// A change of a source by whole lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankshot::fix {

/// Lines that give way to others; none has its end.
struct LineEdit {
  uint32_t line = 0;  ///< the first of `before`, from 1
  std::vector<std::string> before, after;

  bool operator==(const LineEdit&) const = default;
};

}  // namespace bankshot::fix

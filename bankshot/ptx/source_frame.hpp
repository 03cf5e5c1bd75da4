// Inlined code: where it is, and who called it.
#pragma once

#include <cstdint>
#include <string>

namespace bankshot::ptx {

/// One place in a chain of inlined calls.
struct SourceFrame {
  std::string file;
  uint32_t line = 0;
  std::string function;  ///< that contains the line, as in the source; empty: the kernel itself, or not known
  bool operator==(const SourceFrame&) const = default;
};

}  // namespace bankshot::ptx

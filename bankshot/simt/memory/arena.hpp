// Memory for rows: pages that come into being when touched.
#pragma once

#include <cstddef>

namespace bankshot::simt {

/// Anonymous pages; starts at a page, so rows at multiples of 64 bytes never straddle cache lines. Grows only.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  /// @return the start, at least `bytes` long; the old contents are lost when it grows
  std::byte* reserve(size_t bytes);

 private:
  std::byte* start_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace bankshot::simt

// The values of one lane in several rows: the elements of a vector.
#pragma once

#include <cstddef>
#include <cstring>

#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {

/// The elements of a lane, one after the other.
inline void get_lane(const Warp& w, const uint32_t* rows, unsigned count, unsigned width, unsigned lane,
                     std::byte* to) {
  for (unsigned k = 0; k < count; ++k)
    std::memcpy(to + k * width, w.row<const std::byte>(rows[k]) + size_t{lane} * width, width);
}
/// Rows that are kNone are left out.
inline void put_lane(const Warp& w, const uint32_t* rows, unsigned count, unsigned width, unsigned lane,
                     const std::byte* from) {
  for (unsigned k = 0; k < count; ++k) {
    if (rows[k] != OperandRef::kNone)
      std::memcpy(w.row<std::byte>(rows[k]) + size_t{lane} * width, from + k * width, width);
  }
}

}  // namespace bankshot::simt

// cudaMemcpyKind.
#pragma once

#include <optional>

#include "bankshot/cuda/transfer.hpp"

namespace bankshot::cuda::runtime {

struct Sides {
  Side to, from;
};

/// 0 host to host, 1 host to device, 2 device to host, 3 device to device, 4 to be found out.
inline std::optional<Sides> sides_of(int kind) {
  switch (kind) {
    case 0: return Sides{Side::host, Side::host};
    case 1: return Sides{Side::device, Side::host};
    case 2: return Sides{Side::host, Side::device};
    case 3: return Sides{Side::device, Side::device};
    case 4: return Sides{Side::either, Side::either};
    default: return std::nullopt;
  }
}

}  // namespace bankshot::cuda::runtime

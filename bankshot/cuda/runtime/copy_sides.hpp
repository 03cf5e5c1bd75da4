// The copies of the runtime interface in the terms of transfers and of the driver interface.
#pragma once

#include <optional>

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/memory/transfer.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cuda::runtime {

struct Sides {
  Side to, from;
};

/// cudaMemcpyKind: 0 host to host, 1 host to device, 2 device to host, 3 device to device, 4 to be found out.
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

/// A copy as the driver interface has it, all in bytes, and back. @return invalid_memcpy_direction, or invalid_value
/// for arrays that are none or of different texels
Result<abi::DriverMemcpy3D, Status> driver_copy(const abi::Memcpy3DParms& copy);
abi::Memcpy3DParms runtime_copy(const abi::DriverMemcpy3D& copy);

}  // namespace bankshot::cuda::runtime

// Copies described by structures, either end of which may be an array.
#pragma once

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/memory/device_memory.hpp"
#include "bankshot/cuda/memory/transfer.hpp"

namespace bankshot::cuda {

/// cudaMemcpy3D. Extent and positions are in elements where an array takes part, for pointers their positions are in
/// bytes. Source: CUDA runtime API reference, cudaMemcpy3D
Status copy_3d(DeviceMemory& memory, const abi::Memcpy3DParms& parms, Side to, Side from);

/// cuMemcpy3D: all of x in bytes.
Status copy_3d(DeviceMemory& memory, const abi::DriverMemcpy3D& c);

/// A copy between two regions as cuMemcpy3D has it.
abi::DriverMemcpy3D copy_parameters(const Region& to, const Region& from, const Extent& extent);

/// A place in an array. @param x  bytes
struct ArrayPlace {
  const void* array = nullptr;
  uint64_t x = 0, y = 0;
};
/// Copies of rectangles between an array and memory, or two arrays, as cuMemcpy3D has them.
abi::DriverMemcpy3D rectangle_copy(const ArrayPlace& to, const Region& from, const Extent& extent);
abi::DriverMemcpy3D rectangle_copy(const Region& to, const ArrayPlace& from, const Extent& extent);
abi::DriverMemcpy3D rectangle_copy(const ArrayPlace& to, const ArrayPlace& from, const Extent& extent);

}  // namespace bankshot::cuda

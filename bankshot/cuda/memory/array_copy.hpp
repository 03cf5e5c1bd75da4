// Copies described by structures, either end of which may be an array.
#pragma once

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/memory/transfer.hpp"
#include "bankshot/cuda/process/session.hpp"

namespace bankshot::cuda {

/// cudaMemcpy3D. Extent and positions are in elements where an array takes part, for pointers their positions are in
/// bytes. Source: CUDA runtime API reference, cudaMemcpy3D
Status copy_3d(Session& session, const abi::Memcpy3DParms& parms, Side to, Side from);

/// cuMemcpy2D and cuMemcpy3D: all of x in bytes.
Status copy_2d(Session& session, const abi::DriverMemcpy2D& c);
Status copy_3d(Session& session, const abi::DriverMemcpy3D& c);

/// A place in an array. @param x  bytes
struct ArrayPlace {
  const void* array = nullptr;
  uint64_t x = 0, y = 0;
};
/// Copies of rectangles between an array and memory, or two arrays, as cuMemcpy3D has them.
abi::DriverMemcpy3D rectangle_copy(const ArrayPlace& to, const Region& from, const Extent& extent);
abi::DriverMemcpy3D rectangle_copy(const Region& to, const ArrayPlace& from, const Extent& extent);
abi::DriverMemcpy3D rectangle_copy(const ArrayPlace& to, const ArrayPlace& from, const Extent& extent);

/// Copies bytes between an array, from a place on row after row, and memory; if the stream is captured, makes nodes of
/// it.
Status issue_run(Session& session, void* stream, const ArrayPlace& place, const Region& linear, uint64_t bytes,
                 bool to_array);

}  // namespace bankshot::cuda

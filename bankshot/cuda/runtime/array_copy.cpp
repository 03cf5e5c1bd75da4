// Copies to, from and between arrays. Offsets and widths are in bytes, but for cudaMemcpy3D: see copy_3d().
#include "bankshot/cuda/array_copy.hpp"
#include "bankshot/cuda/arrays.hpp"
#include "bankshot/cuda/runtime/call.hpp"
#include "bankshot/cuda/runtime/copy_sides.hpp"

namespace bankshot::cuda::runtime {
namespace {

/// Work on an array on a stream, with the sides that `kind` names.
template <class Work>
Status with_array(void* stream, const void* handle, int kind, Work&& work) {
  return call_on(stream, [&](Session& session) {
    const auto sides = sides_of(kind);
    if (!sides) return Status::invalid_memcpy_direction;
    const Array* array = session.arrays().array(handle);
    return array ? work(session, *array, *sides) : Status::invalid_handle;
  });
}

Region rows_at(const void* pointer, size_t pitch, Side side) {
  return {reinterpret_cast<uint64_t>(pointer), pitch, 0, side};
}

Status rectangle(Session& session, const Array& array, size_t x, size_t y, const Region& rows, size_t width,
                 size_t height, bool to_array) {
  const Extent extent{width, height, 1};
  Region place;
  if (const Status status = region_of(array, x, y, 0, extent, place); status != Status::success) return status;
  return to_array ? copy(session.memory(), place, rows, extent) : copy(session.memory(), rows, place, extent);
}

}  // namespace

BANKSHOT_API(cudaMemcpy2DToArrayAsync)
(void* to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height, int kind, void* stream) {
  return with_array(stream, to, kind, [&](Session& session, const Array& array, Sides sides) {
    if (width > pitch) return Status::invalid_pitch;
    return rectangle(session, array, x, y, rows_at(from, pitch, sides.from), width, height, true);
  });
}
BANKSHOT_API(cudaMemcpy2DToArray)
(void* to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height, int kind) {
  return bankshot_cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr);
}

BANKSHOT_API(cudaMemcpy2DFromArrayAsync)
(void* to, size_t pitch, const void* from, size_t x, size_t y, size_t width, size_t height, int kind, void* stream) {
  return with_array(stream, from, kind, [&](Session& session, const Array& array, Sides sides) {
    if (width > pitch) return Status::invalid_pitch;
    return rectangle(session, array, x, y, rows_at(to, pitch, sides.to), width, height, false);
  });
}
BANKSHOT_API(cudaMemcpy2DFromArray)
(void* to, size_t pitch, const void* from, size_t x, size_t y, size_t width, size_t height, int kind) {
  return bankshot_cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr);
}

BANKSHOT_API(cudaMemcpy2DArrayToArray)
(void* to, size_t to_x, size_t to_y, const void* from, size_t from_x, size_t from_y, size_t width, size_t height,
 int kind) {
  return with_array(nullptr, to, kind, [&](Session& session, const Array& array, Sides) {
    const Array* source = session.arrays().array(from);
    if (!source) return Status::invalid_handle;
    Region rows;
    if (const Status status = region_of(*source, from_x, from_y, 0, {width, height, 1}, rows);
        status != Status::success)
      return status;
    return rectangle(session, array, to_x, to_y, rows, width, height, true);
  });
}

BANKSHOT_API(cudaMemcpyToArrayAsync)
(void* to, size_t x, size_t y, const void* from, size_t bytes, int kind, void* stream) {
  return with_array(stream, to, kind, [&](Session& session, const Array& array, Sides sides) {
    return copy_rows_of(session.memory(), array, x, y, bytes, rows_at(from, bytes, sides.from), true);
  });
}
BANKSHOT_API(cudaMemcpyToArray)(void* to, size_t x, size_t y, const void* from, size_t bytes, int kind) {
  return bankshot_cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, nullptr);
}

BANKSHOT_API(cudaMemcpyFromArrayAsync)
(void* to, const void* from, size_t x, size_t y, size_t bytes, int kind, void* stream) {
  return with_array(stream, from, kind, [&](Session& session, const Array& array, Sides sides) {
    return copy_rows_of(session.memory(), array, x, y, bytes, rows_at(to, bytes, sides.to), false);
  });
}
BANKSHOT_API(cudaMemcpyFromArray)(void* to, const void* from, size_t x, size_t y, size_t bytes, int kind) {
  return bankshot_cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, nullptr);
}

BANKSHOT_API(cudaMemcpyArrayToArray)
(void* to, size_t to_x, size_t to_y, const void* from, size_t from_x, size_t from_y, size_t bytes, int kind) {
  return with_array(nullptr, to, kind, [&](Session& session, const Array& array, Sides) {
    const Array* source = session.arrays().array(from);
    if (!source) return Status::invalid_handle;
    return copy_rows_of(session.memory(), array, to_x, to_y, *source, from_x, from_y, bytes);
  });
}

}  // namespace bankshot::cuda::runtime

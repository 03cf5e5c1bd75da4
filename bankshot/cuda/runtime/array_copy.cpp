// Copies to, from and between arrays. Offsets and widths are in bytes, but for cudaMemcpy3D: see copy_3d().
#include "bankshot/cuda/memory/array_copy.hpp"
#include "bankshot/cuda/graphs/node_work.hpp"
#include "bankshot/cuda/graphs/stream_copies.hpp"
#include "bankshot/cuda/memory/arrays.hpp"
#include "bankshot/cuda/runtime/call.hpp"
#include "bankshot/cuda/runtime/copy_sides.hpp"

namespace bankshot::cuda::runtime {
namespace {

/// Copies a rectangle. @param make  from sides to the copy's parameters
template <class Make>
Status rectangle(void* stream, int kind, Make&& make) {
  const auto sides = sides_of(kind);
  if (!sides) return remember(Status::invalid_memcpy_direction);
  const abi::DriverMemcpy3D parameters = make(*sides);
  return issue(
      stream, [&](Session& session) { return copy_3d(session.memory(), parameters); },
      [&](Session&) { return copy_work(parameters); });
}

Status run_of_bytes(void* stream, int kind, const ArrayPlace& place, const void* pointer, size_t bytes, bool to_array) {
  return call([&](Session& session) {
    const auto sides = sides_of(kind);
    if (!sides) return Status::invalid_memcpy_direction;
    const Region linear{reinterpret_cast<uint64_t>(pointer), bytes, 0, to_array ? sides->from : sides->to};
    return issue_run(session.work(), session.memory(), stream, place, linear, bytes, to_array);
  });
}

Region rows_at(const void* pointer, size_t pitch, Side side) {
  return {reinterpret_cast<uint64_t>(pointer), pitch, 0, side};
}

}  // namespace

BANKSHOT_API(cudaMemcpy2DToArrayAsync)
(void* to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height, int kind, void* stream) {
  if (width > pitch) return remember(Status::invalid_pitch);
  return rectangle(stream, kind, [&](Sides sides) {
    return rectangle_copy({to, x, y}, rows_at(from, pitch, sides.from), {width, height, 1});
  });
}
BANKSHOT_API(cudaMemcpy2DToArray)
(void* to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height, int kind) {
  return bankshot_cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr);
}

BANKSHOT_API(cudaMemcpy2DFromArrayAsync)
(void* to, size_t pitch, const void* from, size_t x, size_t y, size_t width, size_t height, int kind, void* stream) {
  if (width > pitch) return remember(Status::invalid_pitch);
  return rectangle(stream, kind, [&](Sides sides) {
    return rectangle_copy(rows_at(to, pitch, sides.to), {from, x, y}, {width, height, 1});
  });
}
BANKSHOT_API(cudaMemcpy2DFromArray)
(void* to, size_t pitch, const void* from, size_t x, size_t y, size_t width, size_t height, int kind) {
  return bankshot_cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr);
}

BANKSHOT_API(cudaMemcpy2DArrayToArray)
(void* to, size_t to_x, size_t to_y, const void* from, size_t from_x, size_t from_y, size_t width, size_t height,
 int kind) {
  return rectangle(nullptr, kind, [&](Sides) {
    return rectangle_copy(ArrayPlace{to, to_x, to_y}, ArrayPlace{from, from_x, from_y}, {width, height, 1});
  });
}

BANKSHOT_API(cudaMemcpyToArrayAsync)
(void* to, size_t x, size_t y, const void* from, size_t bytes, int kind, void* stream) {
  return run_of_bytes(stream, kind, {to, x, y}, from, bytes, true);
}
BANKSHOT_API(cudaMemcpyToArray)(void* to, size_t x, size_t y, const void* from, size_t bytes, int kind) {
  return bankshot_cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, nullptr);
}

BANKSHOT_API(cudaMemcpyFromArrayAsync)
(void* to, const void* from, size_t x, size_t y, size_t bytes, int kind, void* stream) {
  return run_of_bytes(stream, kind, {from, x, y}, to, bytes, false);
}
BANKSHOT_API(cudaMemcpyFromArray)(void* to, const void* from, size_t x, size_t y, size_t bytes, int kind) {
  return bankshot_cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, nullptr);
}

BANKSHOT_API(cudaMemcpyArrayToArray)
(void* to, size_t to_x, size_t to_y, const void* from, size_t from_x, size_t from_y, size_t bytes, int kind) {
  return call_on(nullptr, [&](Session& session) {
    if (!sides_of(kind)) return Status::invalid_memcpy_direction;
    const Array *array = session.memory().arrays.array(to), *source = session.memory().arrays.array(from);
    if (!array || !source) return Status::invalid_handle;
    return copy_rows_of(session.memory().engine(), *array, to_x, to_y, *source, from_x, from_y, bytes);
  });
}

}  // namespace bankshot::cuda::runtime

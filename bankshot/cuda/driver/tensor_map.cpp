// Descriptors of tensors for copies in boxes (TMA).
#include <fmt/format.h>

#include <cstring>

#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/simt/async/tensor_map.hpp"

namespace bankshot::cuda::driver {
namespace {

constexpr uintptr_t kMapAlignment = 64;

bool is_aligned(const void* map) { return map && reinterpret_cast<uintptr_t>(map) % kMapAlignment == 0; }

/// Writes what was made. @param wrong  what is wrong, or ""
Status give_map(void* to, const simt::TensorMap& map, const char* call, const std::string& wrong) {
  if (!wrong.empty()) {
    say_once(call + wrong, fmt::format("{}: {}", call, wrong));
    return Status::invalid_value;
  }
  std::memcpy(to, &map, sizeof map);
  return Status::success;
}

}  // namespace

BANKSHOT_API(cuTensorMapEncodeTiled)
(void* map, int type, unsigned rank, void* address, const uint64_t* sizes, const uint64_t* strides, const uint32_t* box,
 const uint32_t* steps, int interleave, int swizzle, int promotion, int fill) {
  if (!is_aligned(map) || !sizes || !box || !steps || (rank > 1 && !strides)) return Status::invalid_value;
  const simt::TensorShape shape{
      type, rank, reinterpret_cast<uint64_t>(address), sizes, strides, steps, interleave, swizzle, promotion, fill};
  simt::TensorMap made;
  return give_map(map, made, "cuTensorMapEncodeTiled", simt::encode_tiled(shape, box, made));
}

BANKSHOT_API(cuTensorMapEncodeIm2col)
(void* map, int type, unsigned rank, void* address, const uint64_t* sizes, const uint64_t* strides, const int* lower,
 const int* upper, uint32_t channels, uint32_t pixels, const uint32_t* steps, int interleave, int swizzle,
 int promotion, int fill) {
  if (!is_aligned(map) || !sizes || !lower || !upper || !steps || (rank > 1 && !strides)) return Status::invalid_value;
  const simt::TensorShape shape{
      type, rank, reinterpret_cast<uint64_t>(address), sizes, strides, steps, interleave, swizzle, promotion, fill};
  simt::TensorMap made;
  const std::string wrong = simt::encode_im2col(shape, lower, upper, channels, pixels, made);
  return give_map(map, made, "cuTensorMapEncodeIm2col", wrong);
}

BANKSHOT_API(cuTensorMapEncodeIm2colWide)
(void* map, int type, unsigned rank, void* address, const uint64_t* sizes, const uint64_t* strides, int lower,
 int upper, uint32_t channels, uint32_t pixels, const uint32_t* steps, int interleave, int mode, int swizzle,
 int promotion, int fill) {
  constexpr int kW128 = 1;  // CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128
  if (!is_aligned(map) || !sizes || !steps || (rank > 1 && !strides) || mode < 0 || mode > kW128)
    return Status::invalid_value;
  const simt::TensorShape shape{
      type, rank, reinterpret_cast<uint64_t>(address), sizes, strides, steps, interleave, swizzle, promotion, fill};
  simt::TensorMap made;
  const std::string wrong = simt::encode_im2col_wide(shape, lower, upper, channels, pixels, mode == kW128, made);
  return give_map(map, made, "cuTensorMapEncodeIm2colWide", wrong);
}

BANKSHOT_API(cuTensorMapReplaceAddress)(void* map, void* address) {
  if (!is_aligned(map)) return Status::invalid_value;
  simt::TensorMap changed;
  std::memcpy(static_cast<void*>(&changed), map, sizeof changed);
  const std::string wrong = simt::replace_address(changed, reinterpret_cast<uint64_t>(address));
  return give_map(map, changed, "cuTensorMapReplaceAddress", wrong);
}

}  // namespace bankshot::cuda::driver

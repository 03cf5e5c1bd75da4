// In the place of PyTorch's: there is one GPU, and its only stream is current.
#pragma once
#include <c10/core/Device.h>
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {

/// All guards. They take what PyTorch's take: a device or its number, a stream, several, or nothing.
class Guard {
 public:
  template <class... Arguments>
  explicit Guard(const Arguments&...) {}
  template <class... Arguments>
  void set_device(const Arguments&...) {}
  template <class... Arguments>
  void reset_device(const Arguments&...) {}
  template <class... Arguments>
  void set_index(const Arguments&...) {}
  template <class... Arguments>
  void reset_stream(const Arguments&...) {}
  void reset() {}
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() {}  // not trivial: no warning about a variable that is not used

  Device original_device() const { return {DeviceType::CUDA, 0}; }
  Device current_device() const { return {DeviceType::CUDA, 0}; }
  CUDAStream original_stream() const { return getDefaultCUDAStream(); }
  CUDAStream current_stream() const { return getDefaultCUDAStream(); }
};

using CUDAGuard = Guard;
using OptionalCUDAGuard = Guard;
using CUDAStreamGuard = Guard;
using OptionalCUDAStreamGuard = Guard;
using CUDAMultiStreamGuard = Guard;

}  // namespace c10::cuda

namespace at::cuda {
using namespace c10::cuda;
}

// Included first in extensions of a PyTorch without CUDA that are built under Bankshot, whose GPU accesses the tensors
// of the CPU: CUDA tensors are those, memory of tensors is registered with the driver, and what an extension usually
// needs of libc10_cuda and libtorch_cuda is here, for the only GPU and its default stream.
#pragma once

#include <c10/core/CPUAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>
#include <torch/extension.h>

#include <cstdlib>
#include <cstring>
#include <typeinfo>

// After the definitions of these names.
#define is_cuda() is_cpu()
#define cuda() cpu()
#define kCUDA kCPU

// Operators for CUDA are those for the CPU: the second of ( ,CPU, CUDA) or of (BANKSHOT_KEY_Meta, Meta).
#define BANKSHOT_KEY_CUDA , CPU
#define BANKSHOT_SECOND(first, second, ...) second
#define BANKSHOT_SECOND_OF(...) BANKSHOT_SECOND(__VA_ARGS__, )
#undef TORCH_LIBRARY_IMPL
#define TORCH_LIBRARY_IMPL(library, key, name) \
  BANKSHOT_LIBRARY_IMPL(library, BANKSHOT_SECOND_OF(BANKSHOT_KEY_##key, key), name, C10_UID)
#define BANKSHOT_LIBRARY_IMPL(library, key, name, number) _TORCH_LIBRARY_IMPL(library, key, name, number)

namespace bankshot {

/// The allocator of tensors. Kernels may access what it gives, and nothing past the end.
class RegisteredMemory final : public c10::Allocator {
 public:
  /// In this process, if no other extension did.
  static bool put_in_place() {
    static auto& memory = *new RegisteredMemory;  // tensors may outlive everything else
    const auto& present = *c10::GetCPUAllocator();
    if (std::strcmp(typeid(present).name(), typeid(RegisteredMemory).name()) != 0) c10::SetCPUAllocator(&memory, 1);
    return true;
  }

  c10::DataPtr allocate(size_t bytes) override {
    const size_t words = (bytes + 3) / 4;  // atomics on 16 bits are on whole ones
    auto* held = new c10::DataPtr(next_->allocate(4 * words));
    if (bytes > 0 && std::getenv("BANKSHOT_REPEATED")) std::memset(held->get(), 0, 4 * words);  // runs are compared
    if (bytes > 0) cudaHostRegister(held->get(), 4 * words, 0);
    return {held->get(), held, &release, held->device()};
  }

  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

 private:
  static void release(void* context) {
    auto* held = static_cast<c10::DataPtr*>(context);
    if (held->get()) cudaHostUnregister(held->get());
    delete held;
  }

  c10::Allocator* next_ = c10::GetCPUAllocator();
};

inline const bool kRegistersMemory = RegisteredMemory::put_in_place();

}  // namespace bankshot

namespace c10::cuda {

inline void c10_cuda_check_implementation(int32_t error, const char* file, const char* function, uint32_t line, bool) {
  if (error != cudaSuccess)
    throw c10::Error({function, file, line},
                     std::string("CUDA error: ") + cudaGetErrorString(static_cast<cudaError_t>(error)));
}

inline DeviceIndex device_count() noexcept { return 1; }
inline DeviceIndex device_count_ensure_non_zero() { return 1; }
inline DeviceIndex current_device() { return 0; }
inline void set_device(DeviceIndex, bool) {}
inline void device_synchronize() { C10_CUDA_CHECK(cudaDeviceSynchronize()); }
inline void warn_or_error_on_sync() {}
inline cudaError_t GetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
inline cudaError_t GetDevice(DeviceIndex* device) { return *device = 0, cudaSuccess; }
inline cudaError_t SetDevice(DeviceIndex, bool) { return cudaSuccess; }
inline cudaError_t MaybeSetDevice(DeviceIndex) { return cudaSuccess; }
inline DeviceIndex ExchangeDevice(DeviceIndex) { return 0; }
inline DeviceIndex MaybeExchangeDevice(DeviceIndex) { return 0; }

inline CUDAStream getDefaultCUDAStream(DeviceIndex) {
  return CUDAStream(CUDAStream::UNCHECKED, Stream(Stream::DEFAULT, Device(DeviceType::CUDA, 0)));
}
inline CUDAStream getCurrentCUDAStream(DeviceIndex) { return getDefaultCUDAStream(0); }
inline CUDAStream getStreamFromPool(bool, DeviceIndex) { return getDefaultCUDAStream(0); }
inline CUDAStream getStreamFromPool(int, DeviceIndex) { return getDefaultCUDAStream(0); }
inline void setCurrentCUDAStream(CUDAStream) {}
inline cudaStream_t CUDAStream::stream() const { return nullptr; }
inline bool CUDAStream::query() const { return true; }
inline void CUDAStream::synchronize() const { C10_CUDA_CHECK(cudaStreamSynchronize(nullptr)); }

}  // namespace c10::cuda

namespace at::cuda {

inline cudaDeviceProp* getDeviceProperties(c10::DeviceIndex) {
  static cudaDeviceProp properties = [] {
    cudaDeviceProp found;
    C10_CUDA_CHECK(cudaGetDeviceProperties(&found, 0));
    return found;
  }();
  return &properties;
}
inline cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(0); }
inline int warp_size() { return 32; }

}  // namespace at::cuda

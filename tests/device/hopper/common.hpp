// What the programs of this folder share: errors end a program, as nothing is measured without a GPU; arrays of the
// device; numbers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace hopper {

inline void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) ::hopper::check(call, #call)

/// Launch errors and faults of the kernels so far.
inline void synchronize() {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}

/// An array in the device's memory, filled with zeros, that a host program reads and writes as a whole.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    CHECK(cudaMalloc(&data_, count * sizeof(T)));
    CHECK(cudaMemset(data_, 0, count * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) { upload(host); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* get() const { return data_; }
  void upload(const std::vector<T>& host) {
    CHECK(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> download() const {
    std::vector<T> host(count_);
    CHECK(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

/// SplitMix64: the same numbers for the same seed everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint32_t bits() { return static_cast<uint32_t>(next() >> 32); }
  /// 0..n - 1
  int below(int n) { return static_cast<int>(next() >> 33) % n; }
  /// low..high, both included
  int between(int low, int high) { return low + below(high - low + 1); }

 private:
  uint64_t state_;
};

}  // namespace hopper

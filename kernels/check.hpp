// What every program of kernels/ needs around its kernel: sizes from the command line, inputs that are the same on
// every run, errors of CUDA, and the comparison with the CPU that decides between PASS and FAIL.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/// Stops the program when a CUDA call fails.
#define CUDA_CHECK(call)                                                                               \
  do {                                                                                                 \
    cudaError_t status_ = (call);                                                                      \
    if (status_ != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_)); \
      std::exit(1);                                                                                    \
    }                                                                                                  \
  } while (0)

/// Waits for the kernel launched just before, and stops the program if it could not start or failed.
inline void finish_kernel() {
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

/// The command line: numbers by position, flags by name.
class Arguments {
 public:
  Arguments(int argc, char** argv) : argc_(argc), argv_(argv) {}

  bool flag(const char* name) const {
    for (int i = 1; i < argc_; ++i)
      if (!std::strcmp(argv_[i], name)) return true;
    return false;
  }

  /// What follows `name` in an argument such as --seed=7 for the name "--seed="; null if there is none.
  const char* option(const char* name) const {
    for (int i = 1; i < argc_; ++i)
      if (!std::strncmp(argv_[i], name, std::strlen(name))) return argv_[i] + std::strlen(name);
    return nullptr;
  }

  /// The index-th number, counted from 0, or the default if there are fewer. Must be a positive whole number.
  int number(int index, int otherwise) const {
    for (int i = 1; i < argc_; ++i) {
      if (argv_[i][0] == '-' || index-- > 0) continue;
      return whole(argv_[i]);
    }
    return otherwise;
  }

  /// The number of an option such as --seed=7, or the default without it. Must be a positive whole number.
  int number(const char* name, int otherwise) const {
    const char* text = option(name);
    return text ? whole(text) : otherwise;
  }

 private:
  static int whole(const char* text) {
    char* end = nullptr;
    long value = std::strtol(text, &end, 10);
    if (*end || value <= 0 || value > (1 << 30)) {
      std::fprintf(stderr, "'%s' is not a size: give a whole number from 1 to 2^30\n", text);
      std::exit(2);
    }
    return static_cast<int>(value);
  }

  int argc_;
  char** argv_;
};

/// Pseudo-random numbers (xorshift32): the same sequence on every machine.
class Random {
 public:
  explicit Random(uint32_t seed = 2463534242u) : state_(seed) {}
  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }
  uint32_t below(uint32_t bound) { return next() % bound; }

 private:
  uint32_t state_;
};

/// An array on the device, freed at the end of its scope.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) { CUDA_CHECK(cudaMalloc((void**)&data_, count * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& from) : DeviceArray(from.size()) {
    CUDA_CHECK(cudaMemcpy(data_, from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() { return data_; }
  void fill_zero() { CUDA_CHECK(cudaMemset(data_, 0, count_ * sizeof(T))); }
  std::vector<T> to_host() const {
    std::vector<T> host(count_);
    CUDA_CHECK(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

/// Compares with the CPU's result, element by element, and prints the verdict.
/// @param tolerance  largest relative difference; 0 asks for equality
/// @return the program's exit status
template <class T>
int verdict(const char* name, const std::vector<T>& measured, const std::vector<T>& expected, double tolerance = 0) {
  if (measured.size() != expected.size()) {
    std::printf("FAIL %s: %zu results, expected %zu\n", name, measured.size(), expected.size());
    return 1;
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    double a = static_cast<double>(measured[i]), b = static_cast<double>(expected[i]);
    double difference = a < b ? b - a : a - b, size = b < 0 ? -b : b;
    if (!(difference <= tolerance * (size > 1 ? size : 1))) {
      std::printf("FAIL %s: element %zu is %.9g, expected %.9g\n", name, i, a, b);
      return 1;
    }
  }
  std::printf("PASS %s: %zu elements\n", name, expected.size());
  return 0;
}

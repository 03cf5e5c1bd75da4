// What every program of kernels/ needs around its kernel: sizes from the command line, inputs that are the same on
// every run, errors of CUDA, and the comparison with the CPU that decides between PASS and FAIL.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
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

/// Ends the program because of its arguments: what is wrong with them, and what would do.
[[noreturn]] inline void refuse_arguments(const char* wrong, const char* remedy) {
  std::fprintf(stderr, "%s; %s\n", wrong, remedy);
  std::exit(2);
}

/// The command line: numbers by position, flags by name.
class Arguments {
 public:
  Arguments(int argc, char** argv) : argc_(argc), argv_(argv) {}

  /// Ends the program if there is an argument that it does not know, so that a misspelt one does not measure something else.
  /// @param known    flags, and options up to and with their =
  /// @param numbers  how many arguments by position there may be
  void allow(std::initializer_list<const char*> known, int numbers = 0) const {
    for (int i = 1; i < argc_; ++i) {
      bool is_known = argv_[i][0] != '-' && numbers-- > 0;
      for (const char* name : known) {
        const size_t length = std::strlen(name);
        is_known |= name[length - 1] == '=' ? !std::strncmp(argv_[i], name, length) : !std::strcmp(argv_[i], name);
      }
      if (is_known) continue;
      std::fprintf(stderr, "'%s' is no argument of this program; it takes", argv_[i]);
      for (const char* name : known) std::fprintf(stderr, " %s", name);
      std::fprintf(stderr, known.size() ? "\n" : " none\n");
      std::exit(2);
    }
  }

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

  /// The number of an option such as --seed=7, or the default without it. Must be a whole number, `least` or more.
  int number(const char* name, int otherwise, int least = 1) const {
    const char* text = option(name);
    return text ? whole(text, least) : otherwise;
  }

 private:
  static int whole(const char* text, int least = 1) {
    char* end = nullptr;
    long value = std::strtol(text, &end, 10);
    if (!*text || *end || value < least || value > (1 << 30)) {
      std::fprintf(stderr, "'%s' is not a size: give a whole number from %d to 2^30\n", text, least);
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

/// The generator of a seed such as 1, 2, 3, whose sequences have nothing in common.
inline Random seeded(uint32_t seed) {
  Random random(seed * 2654435761u | 1u);  // spreads the seeds; never the state 0, which Random cannot leave
  for (int i = 0; i < 16; ++i) random.next();
  return random;
}

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

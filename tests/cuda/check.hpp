// Checks of the CUDA test programs: a failed one is told, and the program's exit status is 1.
#pragma once

#include <cstdio>
#include <cstdlib>

inline int failures = 0;

#define EXPECT(condition)                                                           \
  do {                                                                              \
    if (!(condition)) {                                                             \
      std::printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);           \
      ++failures;                                                                   \
    }                                                                               \
  } while (false)

/// Compares numbers or codes and shows both.
#define EXPECT_EQ(got, wanted)                                                                              \
  do {                                                                                                      \
    const long long got_ = static_cast<long long>(got), wanted_ = static_cast<long long>(wanted);           \
    if (got_ != wanted_) {                                                                                  \
      std::printf("%s:%d: %s is %lld, expected %lld (%s)\n", __FILE__, __LINE__, #got, got_, wanted_, #wanted); \
      ++failures;                                                                                           \
    }                                                                                                       \
  } while (false)

#define OK(call) EXPECT_EQ(call, cudaSuccess)
#define DRIVER_OK(call) EXPECT_EQ(call, CUDA_SUCCESS)

inline int finish(const char* name) {
  std::printf("%s %s\n", failures == 0 ? "PASS" : "FAIL", name);
  return failures == 0 ? 0 : 1;
}

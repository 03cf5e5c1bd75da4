// Checks of the CUDA test programs: a failed one is told, and the program's exit status is 1.
#pragma once

#include <cstdio>
#include <cstdlib>

inline int failures = 0;

/// Counts a failure. @return whether to tell it: the first few say enough
inline bool failed() { return ++failures <= 10; }

#define EXPECT(condition)                                                                             \
  do {                                                                                                \
    if (!(condition) && failed()) std::printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
  } while (false)

/// Compares numbers or codes and shows both.
#define EXPECT_EQ(got, wanted)                                                                                  \
  do {                                                                                                          \
    const long long got_ = static_cast<long long>(got), wanted_ = static_cast<long long>(wanted);               \
    if (got_ != wanted_ && failed())                                                                            \
      std::printf("%s:%d: %s is %lld, expected %lld (%s)\n", __FILE__, __LINE__, #got, got_, wanted_, #wanted); \
  } while (false)

#define OK(call) EXPECT_EQ(call, cudaSuccess)
#define DRIVER_OK(call) EXPECT_EQ(call, CUDA_SUCCESS)

inline int finish(const char* name) {
  if (failures > 10) std::printf("… %d failures\n", failures);
  std::printf("%s %s\n", failures == 0 ? "PASS" : "FAIL", name);
  return failures == 0 ? 0 : 1;
}

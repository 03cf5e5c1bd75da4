// Counting bits in vector code.
#pragma once

#include <cstdint>

namespace bankshot::search {

/// @tparam Instruction  whether the host counts bits in vectors
template <bool Instruction>
[[gnu::always_inline]] inline uint32_t ones(uint32_t x) {
  if constexpr (Instruction) return static_cast<uint32_t>(__builtin_popcount(x));
  x -= x >> 1 & 0x55555555u;  // what compilers turn into vector code
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  x += x >> 8;
  return (x + (x >> 16)) & 63;
}

/// Whether the host counts bits in vectors of 16 words.
inline bool host_counts_in_vectors() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  static const bool counts = __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl") &&
                             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  return counts;
#else
  return false;
#endif
}

/// For functions that are only called if host_counts_in_vectors().
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define BANKSHOT_COUNTING \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,prefer-vector-width=512")))
#else
#define BANKSHOT_COUNTING
#endif

}  // namespace bankshot::search

// Sixteen numbers side by side, in the vectors of the compiler: of loops over arrays of sixteen it makes none.
#pragma once

#include <cstring>

#include "bankshot/simt/isa/lanes/lanes.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

constexpr unsigned kSideBySide = 16;
using Floats = f32 __attribute__((vector_size(64)));
using Ints = s32 __attribute__((vector_size(64)));
using Eight = f32 __attribute__((vector_size(32)));
/// Eight as well.
using Doubles = f64 __attribute__((vector_size(64)));
using Longs = s64 __attribute__((vector_size(64)));

template <class V, class T>
inline void load_vector(V& to, const T* from) {
  std::memcpy(&to, from, sizeof to);
}
inline Floats floats_at(const f32* from) {
  Floats v;
  load_vector(v, from);
  return v;
}

/// x y + sum where all of them are exact, so that a rounding in between changes nothing.
inline Floats fused(Floats x, Floats y, Floats sum) {
#if defined(__AVX512F__)
  return reinterpret_cast<Floats>(
      _mm512_fmadd_ps(reinterpret_cast<__m512>(x), reinterpret_cast<__m512>(y), reinterpret_cast<__m512>(sum)));
#else
  return x * y + sum;
#endif
}
inline Floats fused(Floats x, f32 y, Floats sum) {
#if defined(__AVX512F__)
  return fused(x, reinterpret_cast<Floats>(_mm512_set1_ps(y)), sum);
#else
  return x * y + sum;
#endif
}

inline Ints larger(Ints a, Ints b) { return a > b ? a : b; }

inline bool any_negative(Ints v) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(v)) != 0;
#else
  s32 all = 0;
  for (unsigned j = 0; j < kSideBySide; ++j) all |= v[j];
  return all < 0;
#endif
}

/// Half of them as f64.
template <bool Upper, class V>
inline Doubles widened(V v) {
  if constexpr (Upper)
    return __builtin_convertvector(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15), Doubles);
  else
    return __builtin_convertvector(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7), Doubles);
}

/// Eight and eight. Not by way of memory: a load of both halves would wait until they are in the cache.
inline Floats together(Eight low, Eight high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/// Element p of the result is element Pick(p) of the 32 that a and b have together.
template <auto Pick>
inline Floats picked(Floats a, Floats b) {
  return [&]<size_t... P>(std::index_sequence<P...>) {
    return __builtin_shufflevector(a, b, Pick(P)...);
  }(std::make_index_sequence<kSideBySide>());
}

/// Two rows of eight numbers, `step` apart.
inline Floats load_eights(const f32* from, unsigned step) {
  Eight low, high;
  load_vector(low, from);
  load_vector(high, from + step);
  return together(low, high);
}

/// Rows of eight of a and of b become two rows of sixteen, `step` apart. Not stored in halves: a load of both would
/// wait until these are in the cache.
inline void store_sixteens(Floats a, Floats b, f32* to, unsigned step) {
  const Floats first = picked<[](unsigned p) { return p % 8 + p / 8 * 16; }>(a, b);
  const Floats last = picked<[](unsigned p) { return p % 8 + p / 8 * 16 + 8; }>(a, b);
  std::memcpy(to, &first, sizeof first);
  std::memcpy(to + step, &last, sizeof last);
}

/// Eight lines of four numbers of each of a and b become four rows of sixteen, `step` apart.
inline void mirror_fours(const f32* a, const f32* b, f32* to, unsigned step) {
  constexpr auto kFirst = [](unsigned p) { return p % 8 * 4 + p / 8; };
  constexpr auto kLast = [](unsigned p) { return p % 8 * 4 + p / 8 + 2; };
  const Floats low_a = floats_at(a), high_a = floats_at(a + 16), low_b = floats_at(b), high_b = floats_at(b + 16);
  store_sixteens(picked<kFirst>(low_a, high_a), picked<kFirst>(low_b, high_b), to, step);
  store_sixteens(picked<kLast>(low_a, high_a), picked<kLast>(low_b, high_b), to + 2 * step, step);
}

/// Four rows of eight numbers, `step` apart, become eight lines of four.
inline void mirror_back_fours(const f32* from, unsigned step, f32* to) {
  const Floats low = load_eights(from, step), high = load_eights(from + 2 * step, step);
  const Floats lines[] = {picked<[](unsigned p) { return p % 4 * 8 + p / 4; }>(low, high),
                          picked<[](unsigned p) { return p % 4 * 8 + p / 4 + 4; }>(low, high)};
  std::memcpy(to, lines, sizeof lines);
}

/// The columns of eight lines of eight numbers, `step` apart; two columns in each.
struct Columns {
  Floats two[4];
  Columns(const f32* from, unsigned step) {
    const auto lines = [&](unsigned first) { return load_eights(from + first * step, step); };
    // Of four lines each: columns 0 to 3, and 4 to 7.
    constexpr auto kLeft = [](unsigned p) { return p % 4 * 8 + p / 4; };
    constexpr auto kRight = [](unsigned p) { return p % 4 * 8 + p / 4 + 4; };
    const Floats left_a = picked<kLeft>(lines(0), lines(2)), right_a = picked<kRight>(lines(0), lines(2));
    const Floats left_b = picked<kLeft>(lines(4), lines(6)), right_b = picked<kRight>(lines(4), lines(6));
    constexpr auto kFirst = [](unsigned p) { return p / 8 * 4 + p % 4 + p / 4 % 2 * 16; };
    constexpr auto kLast = [](unsigned p) { return p / 8 * 4 + p % 4 + p / 4 % 2 * 16 + 8; };
    two[0] = picked<kFirst>(left_a, left_b);
    two[1] = picked<kLast>(left_a, left_b);
    two[2] = picked<kFirst>(right_a, right_b);
    two[3] = picked<kLast>(right_a, right_b);
  }
};

/// Eight lines of eight numbers of each of a and b become eight rows of sixteen, `step` apart.
inline void mirror_eights(const f32* a, const f32* b, f32* to, unsigned step) {
  const Columns of_a(a, 8), of_b(b, 8);
  for (unsigned k = 0; k < 4; ++k) store_sixteens(of_a.two[k], of_b.two[k], to + 2 * k * step, step);
}

/// Eight rows of eight numbers, `step` apart, become eight lines of eight.
inline void mirror_back_eights(const f32* from, unsigned step, f32* to) {
  const Columns columns(from, step);
  std::memcpy(to, columns.two, sizeof columns.two);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

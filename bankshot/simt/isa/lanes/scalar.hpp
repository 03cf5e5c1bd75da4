// Integer rules for one lane. C++ leaves signed overflow and wide shifts undefined where PTX defines them, and promotes
// 16-bit operands; these functions say what PTX says.
#pragma once

#include "bankshot/simt/isa/lanes/lanes.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

template <class T>
constexpr int kBits = 8 * static_cast<int>(sizeof(T));

/// The type in which sums and products of T cannot overflow unnoticed: unsigned, and no narrower than int.
template <class T>
using Modular = std::conditional_t<(sizeof(T) < 4), u32, std::make_unsigned_t<T>>;

template <class T>
struct WiderOf;
template <>
struct WiderOf<u16> {
  using type = u32;
};
template <>
struct WiderOf<s16> {
  using type = s32;
};
template <>
struct WiderOf<u32> {
  using type = u64;
};
template <>
struct WiderOf<s32> {
  using type = s64;
};
template <>
struct WiderOf<u64> {
  using type = u128;
};
template <>
struct WiderOf<s64> {
  using type = s128;
};
/// Twice as wide, the same signedness.
template <class T>
using Wider = typename WiderOf<T>::type;

template <class T>
constexpr T kLowest = std::is_signed_v<T> ? static_cast<T>(std::make_unsigned_t<T>{1} << (kBits<T> - 1)) : T{0};
template <class T>
constexpr T kHighest = static_cast<T>(~kLowest<T>);

template <class T>
inline T wrap_add(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) + static_cast<Modular<T>>(b));
}
template <class T>
inline T wrap_sub(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) - static_cast<Modular<T>>(b));
}
template <class T>
inline T wrap_mul(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) * static_cast<Modular<T>>(b));
}
template <class T>
inline T wrap_neg(T a) {
  return wrap_sub(T{0}, a);
}

template <class T>
inline T least(T a, T b) {
  return a < b ? a : b;
}
template <class T>
inline T greatest(T a, T b) {
  return a > b ? a : b;
}
template <class T>
inline T clamped(T x, T low, T high) {
  return least(greatest(x, low), high);
}

/// |a - b| as an unsigned number, modulo 2^bits for the result type T.
template <class T>
inline T distance(T a, T b) {
  return a < b ? wrap_sub(b, a) : wrap_sub(a, b);
}

/// The exact product.
template <class T>
inline Wider<T> wide_mul(T a, T b) {
  return static_cast<Wider<T>>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b));
}
/// The upper half of the exact product.
template <class T>
inline T high_mul(T a, T b) {
  return static_cast<T>(wide_mul(a, b) >> kBits<T>);
}

/// The sum, difference clamped to what T holds; T of up to 32 bits.
template <class T>
inline T saturating_add(T a, T b) {
  return static_cast<T>(clamped<s64>(static_cast<s64>(a) + static_cast<s64>(b), kLowest<T>, kHighest<T>));
}
template <class T>
inline T saturating_sub(T a, T b) {
  return static_cast<T>(clamped<s64>(static_cast<s64>(a) - static_cast<s64>(b), kLowest<T>, kHighest<T>));
}

/// A packed instruction: f on the two halves of a and b, each taken as H (u16 or s16).
template <class H, class F>
inline u32 on_halves(u32 a, u32 b, F f) {
  const u32 low = static_cast<u16>(f(static_cast<H>(a), static_cast<H>(b)));
  const u32 high = static_cast<u16>(f(static_cast<H>(a >> 16), static_cast<H>(b >> 16)));
  return low | high << 16;
}

/// PTX shifts take 0, or the sign, from beyond the register.
template <class T>
inline T shift_left(T a, u32 n) {
  return n >= static_cast<u32>(kBits<T>) ? T{0} : static_cast<T>(static_cast<Modular<T>>(a) << n);
}
template <class T>
inline T shift_right(T a, u32 n) {
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> least<u32>(n, kBits<T> - 1));
  return n >= static_cast<u32>(kBits<T>) ? T{0} : static_cast<T>(a >> (n & (kBits<T> - 1)));
}

/// The ones of a word, without an instruction for it: this way it is vector code on every host.
template <class T>
inline u32 ones(T a) {
  if constexpr (sizeof(T) == 8) return ones(static_cast<u32>(a)) + ones(static_cast<u32>(static_cast<u64>(a) >> 32));
  u32 x = static_cast<u32>(a);
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  return x * 0x01010101u >> 24;
}

/// Zeros above the highest one; the width for 0.
template <class T>
inline u32 leading_zeros(T a) {
  if constexpr (sizeof(T) == 8) {
    return a == 0 ? 64 : static_cast<u32>(__builtin_clzll(static_cast<u64>(a) | 1));
  } else {
    return a == 0 ? 32 : static_cast<u32>(__builtin_clz(static_cast<u32>(a) | 1));
  }
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// What atomic operations do to one value, and how to do it to memory that other host threads see.
#pragma once

#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/half.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// Operations on floats need MXCSR at nearest, without flushing.
struct FloatOperation {};

/// Each operation: `apply(old, b, c, shared)` is the new value. `shared` tells where it lies.
struct AtomicAdd {
  template <class T>
  static T apply(T old, T b, T, bool) {
    return static_cast<T>(old + b);
  }
};
/// In global memory, subnormal operands and results are zeros; in shared memory they are not. Source: PTX ISA, atom.
struct AtomicAddF32 : FloatOperation {
  static u32 apply(u32 old, u32 b, u32, bool shared) {
    f32 x = as_float(old), y = as_float(b);
    if (!shared) x = flushed(x), y = flushed(y);
    const f32 sum = canonical(x + y);
    return as_bits(shared ? sum : flushed(sum));
  }
};
struct AtomicAddF64 : FloatOperation {
  static u64 apply(u64 old, u64 b, u64, bool) { return as_bits(as_float(old) + as_float(b)); }
};
template <class H>
struct AtomicAddHalf : FloatOperation {
  static u16 sum(u16 a, u16 b) {
    H d;
    narrow_nearest(widen(H{a}) + widen(H{b}), d);  // why f32 is enough: half.hpp
    return d.bits;
  }
  static u16 apply(u16 old, u16 b, u16, bool) { return sum(old, b); }
};
/// Each half by itself.
template <class H>
struct AtomicAddHalves : FloatOperation {
  static u32 apply(u32 old, u32 b, u32, bool) {
    const u32 low = AtomicAddHalf<H>::sum(static_cast<u16>(old), static_cast<u16>(b));
    const u32 high = AtomicAddHalf<H>::sum(static_cast<u16>(old >> 16), static_cast<u16>(b >> 16));
    return high << 16 | low;
  }
};
struct AtomicMin {
  template <class T>
  static T apply(T old, T b, T, bool) {
    return b < old ? b : old;
  }
};
struct AtomicMax {
  template <class T>
  static T apply(T old, T b, T, bool) {
    return b > old ? b : old;
  }
};
struct AtomicAnd {
  template <class T>
  static T apply(T old, T b, T, bool) {
    return old & b;
  }
};
struct AtomicOr {
  template <class T>
  static T apply(T old, T b, T, bool) {
    return old | b;
  }
};
struct AtomicXor {
  template <class T>
  static T apply(T old, T b, T, bool) {
    return old ^ b;
  }
};
struct AtomicExch {
  template <class T>
  static T apply(T, T b, T, bool) {
    return b;
  }
};
struct AtomicCas {
  template <class T>
  static T apply(T old, T b, T c, bool) {
    return old == b ? c : old;
  }
};
/// Counts up from 0 to b and starts again.
struct AtomicInc {
  static u32 apply(u32 old, u32 b, u32, bool) { return old >= b ? 0 : old + 1; }
};
/// Counts down from b to 0 and starts again.
struct AtomicDec {
  static u32 apply(u32 old, u32 b, u32, bool) { return old == 0 || old > b ? b : old - 1; }
};

/// On memory of this host thread alone. @return the old value
template <class Op, class T>
inline T update_plainly(T* p, T b, T c, bool shared) {
  const T old = *p;
  *p = Op::apply(old, b, c, shared);
  return old;
}

/// On global memory that other host threads change at the same time. Sequentially consistent, hence at least as strong
/// as any .sem and .scope asks for. @return the old value
template <class Op, class T>
inline T update_atomically(T* p, T b, T c) {
  constexpr int kOrder = __ATOMIC_SEQ_CST;
  if constexpr (std::is_same_v<Op, AtomicAdd>) return __atomic_fetch_add(p, b, kOrder);
  if constexpr (std::is_same_v<Op, AtomicAnd>) return __atomic_fetch_and(p, b, kOrder);
  if constexpr (std::is_same_v<Op, AtomicOr>) return __atomic_fetch_or(p, b, kOrder);
  if constexpr (std::is_same_v<Op, AtomicXor>) return __atomic_fetch_xor(p, b, kOrder);
  if constexpr (std::is_same_v<Op, AtomicExch>) return __atomic_exchange_n(p, b, kOrder);
  T old = __atomic_load_n(p, kOrder);
  while (!__atomic_compare_exchange_n(p, &old, Op::apply(old, b, c, false), true, kOrder, kOrder)) {
  }
  return old;
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// Lane loops: how a rule for one lane becomes a handler for a row of lanes. Compiled once for each instruction set of
// the host, in a namespace of its own, with BANKSHOT_LANES lanes a row.
#pragma once

#include <xmmintrin.h>

#include <cstring>
#include <type_traits>
#include <utility>

#include "bankshot/simt/isa/lanes/lane_mask.hpp"
#include "bankshot/simt/rows/row.hpp"
#include "bankshot/simt/state/worker.hpp"

/// A handler that touches nothing of the warp but the rows and predicates that its operands name, and `active`. Such
/// are compiled once more, for jit/lanes; a `move` is one only as far as it moves rows.
#if defined(__clang__)
#define BANKSHOT_LANES_ONLY [[clang::annotate("lanes only")]]
#else
#define BANKSHOT_LANES_ONLY
#endif

/// Where all lanes are active and the floating-point mode is that of the instruction, as it is there.
#if defined(BANKSHOT_LANE_CODE)
#define BANKSHOT_NOT_IN_LANE_CODE __builtin_unreachable();
#else
#define BANKSHOT_NOT_IN_LANE_CODE
#endif

namespace bankshot::simt::BANKSHOT_ISA {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;
using f32 = float;
using f64 = double;
/// Distinct types for the 16-bit floats; their arithmetic is in half.hpp.
struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};

inline f32 as_float(u32 bits) { return __builtin_bit_cast(f32, bits); }
inline f64 as_float(u64 bits) { return __builtin_bit_cast(f64, bits); }
inline u32 as_bits(f32 x) { return __builtin_bit_cast(u32, x); }
inline u64 as_bits(f64 x) { return __builtin_bit_cast(u64, x); }

template <class T>
struct Tag {
  using type = T;
};

/// Processors foresee what an instruction loads into MXCSR if it loads the same each time, and wait for it otherwise,
/// which costs ten times as much. They tell such instructions apart by their cache line: hence a function for each
/// mode. After it the compiler must load operands anew, so that no floating-point operation moves from one mode into
/// another.
template <uint8_t Mode>
[[gnu::noinline, gnu::aligned(64)]] void load_mxcsr() {
  asm volatile("ldmxcsr %0" : : "m"(FpMode::kMxcsr[Mode]) : "memory");
}
constexpr void (*kLoadMxcsr[])() = {&load_mxcsr<0>, &load_mxcsr<1>, &load_mxcsr<2>, &load_mxcsr<3>,
                                    &load_mxcsr<4>, &load_mxcsr<5>, &load_mxcsr<6>, &load_mxcsr<7>};

/// Puts a mode into force; set_fp's rare part.
[[gnu::noinline]] inline void change_fp(Worker& worker, uint8_t mode) {
  BANKSHOT_NOT_IN_LANE_CODE
  worker.fp = mode;
  kLoadMxcsr[mode]();
}

/// Puts the mode of the instruction into force; cheap when it already is. Before operands are loaded.
inline void set_fp(Warp& w, const Instr* i) {
  if (w.worker->fp != i->fp) [[unlikely]]
    change_fp(*w.worker, i->fp);
}

/// Runs `handler` in the mode of the instruction. Returning this from the handler itself, in place of set_fp, keeps it
/// free of calls and thereby of a stack frame.
[[gnu::noinline]] inline const Instr* in_changed_mode(Warp& w, const Instr* i, Handler handler) {
  BANKSHOT_NOT_IN_LANE_CODE
  change_fp(*w.worker, i->fp);
  return handler(w, i);
}

/// PTX: a NaN result of a 32-bit operation is the canonical one. Source: PTX ISA, floating-point instructions.
inline f32 canonical(f32 x) { return as_float(x != x ? 0x7fffffffu : as_bits(x)); }
inline f64 canonical(f64 x) { return x; }

template <class T>
inline T saturated(T x) {  // NaN becomes 0
  return x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
}

template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

/// out[l] = f(s[l]…), for all lanes: what the inactive ones get is thrown away.
template <class F, class D, class... S>
inline void lane_loop(D* out, const S*... s) {
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    if constexpr (kIsFloat<D>) {
      out[l] = canonical(static_cast<D>(F{}(s[l]...)));
    } else {
      out[l] = static_cast<D>(F{}(s[l]...));
    }
  }
}

/// Runs `whole`, which writes all lanes of row op[0] (elements of Bytes bytes), and then puts the inactive lanes back.
/// Few instructions run with some lanes off, so that the code for all lanes carries nothing for it.
template <int Bytes>
[[gnu::noinline]] inline const Instr* for_active_lanes(Warp& w, const Instr* i, Handler whole) {
  BANKSHOT_NOT_IN_LANE_CODE
  using U = Bits<Bytes>;
  U* const d = w.row<U>(i->op[0]);
  alignas(64) U before[kLanes];
  std::memcpy(before, d, sizeof before);
  const uint64_t active = w.active;
  w.active = kAllLanes;
  const Instr* const next = whole(w, i);
  w.active = active;
  blend(d, before, ~active & kAllLanes);
  return next;
}

/// .sat: clamps all lanes of row op[0].
template <class T>
[[gnu::noinline]] const Instr* saturate_row(Warp& w, const Instr* i) {
  T* const d = w.row<T>(i->op[0]);
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) d[l] = saturated(d[l]);
  return i + 1;
}

/// d = f(a, b, …) lane by lane. F is a stateless function object; D and S are the types of the rows.
/// Floating-point results are made canonical and, with .sat, clamped to [0, 1].
template <class F, class D, class... S>
BANKSHOT_LANES_ONLY const Instr* elementwise(Warp& w, const Instr* i) {
  if (w.active != kAllLanes) return for_active_lanes<sizeof(D)>(w, i, &elementwise<F, D, S...>);
  if constexpr (kIsFloat<D> || (kIsFloat<S> || ...)) {
    if (w.worker->fp != i->fp) return in_changed_mode(w, i, &elementwise<F, D, S...>);
  }
  [&]<size_t... K>(std::index_sequence<K...>) {
    lane_loop<F>(w.row<D>(i->op[0]), w.row<const S>(i->op[K + 1])...);
  }(std::index_sequence_for<S...>{});
  if constexpr (kIsFloat<D>) {
    if (i->flags & InstrFlag::kSaturate) return saturate_row<D>(w, i);
  }
  return i + 1;
}

/// The lanes for which f(a, b, …) is true. op[first] is a.
template <class F, class... S>
inline uint64_t test_lanes(Warp& w, const Instr* i, int first) {
  u8 t[kLanes];
  [&]<size_t... K>(std::index_sequence<K...>) {
    [&](const S*... s) {
      BANKSHOT_LANE_LOOP
      for (int l = 0; l < kLanes; ++l) t[l] = F{}(s[l]...) ? 1 : 0;
    }(w.row<const S>(i->op[K + first])...);
  }(std::index_sequence_for<S...>{});
  return mask_of(t);
}

/// Writes the active lanes of a predicate. A sink is left alone.
inline void write_predicate(Warp& w, uint32_t op, uint64_t value) {
  if (op == OperandRef::kNone) return;
  uint64_t& p = w.predicate(op);
  p = (p & ~w.active) | (value & w.active);
}

/// The PTX type of a C++ type; .bN types choose the unsigned one.
template <class T>
constexpr bool is_type(ptx::Type type) {
  using P = ptx::Type;
  if constexpr (std::is_same_v<T, u8>) return type == P::u8 || type == P::b8;
  if constexpr (std::is_same_v<T, u16>) return type == P::u16 || type == P::b16;
  if constexpr (std::is_same_v<T, u32>) return type == P::u32 || type == P::b32;
  if constexpr (std::is_same_v<T, u64>) return type == P::u64 || type == P::b64;
  if constexpr (std::is_same_v<T, s8>) return type == P::s8;
  if constexpr (std::is_same_v<T, s16>) return type == P::s16;
  if constexpr (std::is_same_v<T, s32>) return type == P::s32;
  if constexpr (std::is_same_v<T, s64>) return type == P::s64;
  if constexpr (std::is_same_v<T, f32>) return type == P::f32;
  if constexpr (std::is_same_v<T, f64>) return type == P::f64;
  if constexpr (std::is_same_v<T, f16>) return type == P::f16;
  if constexpr (std::is_same_v<T, bf16>) return type == P::bf16;
  return false;
}

/// Chooses a handler by type: `by_type<u16, u32>(type, [](auto tag) -> Handler { using T = …; return …; })`.
template <class... T, class Make>
Handler by_type(ptx::Type type, Make make) {
  Handler handler = nullptr;
  (void)((is_type<T>(type) && (handler = make(Tag<T>{}), true)) || ...);
  return handler;
}

/// A row's `select` for d = f(a), f(a, b) or f(a, b, c), all of the same type, for each of the types T.
template <int Arity, class... T, class F>
auto same_type(F) {
  return [](const Match& m) -> Handler {
    return by_type<T...>(m.type, [](auto tag) -> Handler {
      using X = typename decltype(tag)::type;
      if constexpr (Arity == 1) return &elementwise<F, X, X>;
      if constexpr (Arity == 2) return &elementwise<F, X, X, X>;
      if constexpr (Arity == 3) return &elementwise<F, X, X, X, X>;
    });
  };
}

/// A row's `select` for handlers made for each of the types T of .type: `make` is as for by_type.
template <class... T, class Make>
auto for_types(Make) {
  return [](const Match& m) -> Handler { return by_type<T...>(m.type, Make{}); };
}

/// The handler for d = f(a, b, …) with rows of the types D and S.
template <class D, class... S, class F>
constexpr Handler lanes_of(F) {
  return &elementwise<F, D, S...>;
}

/// A row's `select` for one handler whatever the modifiers are.
inline auto always(Handler handler) {
  return [handler](const Match&) -> Handler { return handler; };
}

}  // namespace bankshot::simt::BANKSHOT_ISA

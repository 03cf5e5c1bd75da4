// What the families of instructions on 16-bit floats share: rows of packed numbers and the choice of a handler by type.
#pragma once

#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/half.hpp"
#include "bankshot/simt/lower/lower_half.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// setp and set, in half_compare.cpp.
void half_compare_rows(Rows& rows);
/// ex2 and tanh, in half_approx.cpp.
void half_approx_rows(Rows& rows);

/// A register row of f16 or bf16 holds kLanes numbers, one of f16x2 or bf16x2 twice as many: kPacked numbers a lane.
template <class H, int Packed>
struct HalfRow {
  using Number = H;
  using Register = Bits<2 * Packed>;
  static constexpr int kPacked = Packed, kNumbers = kLanes * Packed;
};

/// Calls make with a HalfRow. @return null if the type is none of the four
template <class Make>
Handler by_half_type(ptx::Type type, Make make) {
  switch (type) {
    case ptx::Type::f16: return make(HalfRow<f16, 1>{});
    case ptx::Type::bf16: return make(HalfRow<bf16, 1>{});
    case ptx::Type::f16x2: return make(HalfRow<f16, 2>{});
    case ptx::Type::bf16x2: return make(HalfRow<bf16, 2>{});
    default: return nullptr;
  }
}

/// The numbers of a source as f32.
template <class R>
inline void load_halves(Warp& w, u32 op, bool flush, f32* x) {
  using H = typename R::Number;
  const H* const from = w.row<const H>(op);
  if (!flush) return widen_row<R::kNumbers>(from, x);
  H t[R::kNumbers];
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < R::kNumbers; ++l) t[l] = flushed(from[l]);
  widen_row<R::kNumbers>(t, x);
}

/// Writes the active lanes of d.
template <class R>
inline void store_halves(Warp& w, const Instr* i, const typename R::Number* t) {
  using Register = typename R::Register;
  blend(w.row<Register>(i->op[0]), reinterpret_cast<const Register*>(t), w.active);
}

/// The results of x with .sat, .relu, rounding and .ftz; x is overwritten. MXCSR must say nearest.
template <class R>
inline void finish_halves(Warp& w, const Instr* i, f32* x) {
  using H = typename R::Number;
  if (i->flags & InstrFlag::kSaturate) {
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < R::kNumbers; ++l) x[l] = saturated(x[l]);
  }
  if (i->small & HalfSmall::kRelu) {
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < R::kNumbers; ++l) x[l] = x[l] > 0 || x[l] != x[l] ? x[l] : 0.0f;
  }
  H t[R::kNumbers];
  narrow_row<R::kNumbers>(x, t);
  if (i->small & HalfSmall::kFlush) {
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < R::kNumbers; ++l) t[l] = flushed(t[l]);
  }
  store_halves<R>(w, i, t);
}

/// d = f(a, b, …) number by number.
template <class R, class F, size_t... K>
BANKSHOT_LANES_ONLY const Instr* each_half(Warp& w, const Instr* i) {
  set_fp(w, i);
  f32 x[sizeof...(K)][R::kNumbers];
  (load_halves<R>(w, i->op[K + 1], i->small & HalfSmall::kFlush, x[K]), ...);
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < R::kNumbers; ++l) x[0][l] = F{}(typename R::Number{}, x[K][l]...);
  finish_halves<R>(w, i, x[0]);
  return i + 1;
}

/// A row's `select` for d = f(type, a, b, …), computed in f32: F takes an f16 or bf16, which only says what the numbers
/// were, and `Arity` numbers.
template <size_t Arity, class F>
auto on_halves(F) {
  return [](const Match& m) -> Handler {
    return by_half_type(m.type, [](auto row) -> Handler {
      return []<size_t... K>(std::index_sequence<K...>) -> Handler {
        return &each_half<decltype(row), F, K...>;
      }(std::make_index_sequence<Arity>());
    });
  };
}

}  // namespace bankshot::simt::BANKSHOT_ISA

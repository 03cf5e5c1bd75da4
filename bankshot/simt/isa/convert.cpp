// cvt between all scalar types. Source: PTX ISA, cvt.
//
// - Float to integer clamps to the range of the integer. NaN gives 0, but with an f64 source or a 64-bit destination
//   the integer with only the highest bit set.
// - .sat clamps integers to the destination's range and floats to [0, 1], NaN giving 0.
// - .ftz concerns f32 only: subnormal f32 sources and results are zeros of their sign; f16 results are not flushed, nor
//   are f32 sources of f16 results (lower_convert).
// - NaN: f64 sources and results keep sign and payload, as far as there is room, and are made quiet. Where bits move
//   only (cvt.f32.f32, cvt.f32.bf16 and cvt.f64.f64 without .ftz or a rounding) they stay. All others are canonical.
// - Registers may be wider than the types: then the low bits are read, and results extended.
#include "bankshot/simt/isa/lanes/convert_lanes.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

template <class D, class S>
BANKSHOT_LANES_ONLY const Instr* integer_to_integer(Warp& w, const Instr* i) {
  S ta[kLanes];
  D t[kLanes];
  const S* const a = source_row(w, i, ta);
  D* const out = result_row(w, i, t);
  if (i->flags & InstrFlag::kSaturate) {
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < kLanes; ++l) out[l] = clamped_integer<D>(a[l]);
  } else {
    cast_row(out, a);
  }
  store(w, i, out, t);
  return i + 1;
}

/// x as an f64 that is exact, or if x has more than 53 bits rounds to f16 or bf16 as x does: bits below the 53rd are
/// gathered in the last.
template <class S>
inline f64 sticky(S x) {
  if constexpr (sizeof(S) < 8) return static_cast<f64>(x);
  const bool negative = std::is_signed_v<S> && x < 0;
  u64 m = negative ? u64{0} - static_cast<u64>(x) : static_cast<u64>(x);
  if (m >> 53) m = (m & ~u64{0xfff}) | ((m & 0xfff) != 0 ? u64{0x800} : 0);
  const f64 magnitude = static_cast<f64>(m);
  return negative ? -magnitude : magnitude;
}

/// .sat: 0 and 1 are numbers of every format, so limiting before rounding is the same as after it.
template <class F>
inline void limit(const Instr* i, F* a) {
  if (!(i->flags & InstrFlag::kSaturate)) return;
  for (int l = 0; l < kLanes; ++l) a[l] = saturated(a[l]);
}

template <class D, class S>
BANKSHOT_LANES_ONLY const Instr* integer_to_float(Warp& w, const Instr* i) {
  set_fp(w, i);
  S ta[kLanes];
  D t[kLanes];
  const S* const a = source_row(w, i, ta);
  D* const out = result_row(w, i, t);
  if constexpr (kIsHalf<D>) {
    if constexpr (sizeof(S) <= 2) {
      f32 exact[kLanes];
      cast_row(exact, a);
      limit(i, exact);
      narrow_by_mode(i, exact, out);
    } else {
      f64 exact[kLanes];
      for (int l = 0; l < kLanes; ++l) exact[l] = sticky(a[l]);
      limit(i, exact);
      narrow_by_mode(i, exact, out);
    }
  } else if constexpr (sizeof(S) >= 4 && !std::is_same_v<S, s32>) {
    // Without one instruction for it, compilers add two halves, and towards minus infinity 0 becomes x - x = -0.
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < kLanes; ++l) out[l] = a[l] != 0 ? static_cast<D>(a[l]) : D(0);
  } else {
    cast_row(out, a);
  }
  if constexpr (!kIsHalf<D>) limit(i, out);
  store(w, i, out, t);
  return i + 1;
}

/// The type that conversions from S compute in.
template <class S>
using Wide = std::conditional_t<std::is_same_v<S, f64>, f64, f32>;

/// The source as Wide<S>, flushed and rounded to integers as the instruction says. @param t  room for it
template <class S>
inline const Wide<S>* float_source(Warp& w, const Instr* i, Wide<S>* t, bool in_place) {
  S ts[kLanes];
  const S* const a = source_row(w, i, ts);
  const bool flush = std::is_same_v<S, f32> && (i->fp & FpMode::kFlush);
  if constexpr (kIsHalf<S>) {
    widen_row<kLanes>(a, t);
  } else {
    if (in_place && !flush && a != ts && i->small == 0) return a;
    std::memcpy(t, a, sizeof ts);
  }
  if constexpr (std::is_same_v<S, f32>) {
    // Not left to MXCSR: rounding to integers may be done by integer instructions.
    if (flush) {
      BANKSHOT_LANE_LOOP
      for (int l = 0; l < kLanes; ++l) t[l] = canonical(flushed(t[l]));
    }
  }
  round_row(t, static_cast<ConvertRounding>(i->small));
  return t;
}

template <class D, class S>
BANKSHOT_LANES_ONLY const Instr* float_to_integer(Warp& w, const Instr* i) {
  // Towards zero is what the cast below does anyway.
  const bool truncates = i->small == static_cast<uint8_t>(ConvertRounding::zero);
  if (!truncates) set_fp(w, i);
  constexpr bool kHighBit = std::is_same_v<S, f64> || sizeof(D) == 8;
  constexpr D kNan = kHighBit ? static_cast<D>(u64{1} << (8 * sizeof(D) - 1)) : D(0);
  Wide<S> ta[kLanes];
  D t[kLanes];
  const Wide<S>* a = nullptr;
  if (!std::is_same_v<S, f32> && !std::is_same_v<S, f64>) {
    a = float_source<S>(w, i, ta, false);
  } else if (truncates && source_bytes(i) == sizeof(S)) {
    a = w.row<const Wide<S>>(i->op[1]);
  } else {
    a = float_source<S>(w, i, ta, false);
  }
  D* const out = result_row(w, i, t);
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) out[l] = clamped<D>(a[l], kNan);
  store(w, i, out, t);
  return i + 1;
}

template <class D, class S>
BANKSHOT_LANES_ONLY const Instr* float_to_float(Warp& w, const Instr* i) {
  set_fp(w, i);
  using F = Wide<S>;
  F ta[kLanes];
  D t[kLanes];
  const bool limited = (i->flags & InstrFlag::kSaturate) || (i->aux & ConvertAux::kRelu);
  const F* a = float_source<S>(w, i, ta, !limited);
  limit(i, ta);
  if (i->aux & ConvertAux::kRelu) {
    for (int l = 0; l < kLanes; ++l) ta[l] = rectified(ta[l]);
  }
  D* const out = result_row(w, i, t);
  if constexpr (kIsHalf<D>) {
    narrow_by_mode(i, a, out);
  } else if (std::is_same_v<S, f64> || (!std::is_same_v<S, f16> && !(i->fp & FpMode::kFlush) && i->small == 0)) {
    cast_row(out, a);  // the host keeps payloads as GPUs do
  } else {
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < kLanes; ++l) out[l] = canonical(static_cast<D>(a[l]));
    if constexpr (std::is_same_v<S, bf16> && std::is_same_v<D, f32>) {  // nothing was computed that could flush
      if (i->fp & FpMode::kFlush) {
        for (int l = 0; l < kLanes; ++l) out[l] = flushed(out[l]);
      }
    }
  }
  store(w, i, out, t);
  return i + 1;
}

template <class D, class S>
constexpr Handler convert() {
  constexpr bool kToInteger = std::is_integral_v<D>, kFromInteger = std::is_integral_v<S>;
  if constexpr (kToInteger && kFromInteger) return &integer_to_integer<D, S>;
  if constexpr (!kToInteger && kFromInteger) return &integer_to_float<D, S>;
  if constexpr (kToInteger && !kFromInteger) return &float_to_integer<D, S>;
  if constexpr (!kToInteger && !kFromInteger) return &float_to_float<D, S>;
}

template <class Make>
Handler by_any_type(ptx::Type type, Make make) {
  return by_type<u8, u16, u32, u64, s8, s16, s32, s64, f16, bf16, f32, f64>(type, make);
}

Handler select_convert(const Match& m) {
  return by_any_type(m.type, [&](auto d) {
    return by_any_type(m.type2,
                       [&](auto s) { return convert<typename decltype(d)::type, typename decltype(s)::type>(); });
  });
}

}  // namespace

#define BANKSHOT_TYPES "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64"

void convert_rows(Rows& rows) {
  rows.push_back({"cvt{.irnd}{.ftz}{.sat}.type.stype d, a:type2",
                  "irnd = rni rzi rmi rpi; type = " BANKSHOT_TYPES "; stype = " BANKSHOT_TYPES,
                  Unit::alu,
                  select_convert,
                  lower_convert,
                  {{"s64.s32", {"-5"}, "-5"},
                   {"u32.u16", {"65535"}, "65535"},
                   {"u16.u32", {"65537"}, "1"},
                   {"sat.u16.s32", {"-1"}, "0"},
                   {"sat.s16.s32", {"40000"}, "32767"},
                   {"rzi.s32.f32", {"0fC0200000"}, "-2"},
                   {"rni.s32.f32", {"0f40200000"}, "2"},
                   {"rzi.u32.f32", {"0fBF800000"}, "0"},
                   {"rzi.s32.f32", {"0f7FC00000"}, "0"},
                   {"rzi.s32.f64", {"0d7FF8000000000000"}, "-2147483648"},
                   {"f64.f32", {"0f3FC00000"}, "0d3FF8000000000000"},
                   {"sat.f32.f32", {"0f40000000"}, "0f3F800000"},
                   {"f32.f16", {"0x3C00"}, "0f3F800000"},
                   {"f32.bf16", {"0x0001"}, "0f00010000"},
                   {"f32.bf16", {"0xFF81"}, "0fFF810000"},
                   {"f32.f32", {"0f7F800001"}, "0f7F800001"},
                   {"ftz.f64.f32", {"0fFFC00000"}, "0d7FFFFFFFE0000000"},
                   {"ftz.f32.bf16", {"0x8001"}, "0f80000000"}}});
  rows.push_back({"cvt.rnd{.ftz}{.sat}.type.stype d, a:type2",
                  "type = f16 bf16 f32 f64; stype = " BANKSHOT_TYPES,
                  Unit::alu,
                  select_convert,
                  lower_convert,
                  {{"rn.f32.s32", {"16777217"}, "0f4B800000"},
                   {"rp.f32.s32", {"16777217"}, "0f4B800001"},
                   {"rn.f32.f64", {"0d3FF8000000000000"}, "0f3FC00000"},
                   {"rn.f32.f64", {"0dFFF0000000000001"}, "0fFFC00000"},
                   {"rn.f16.f64", {"0dFFF8000000000005"}, "0xFE00"},
                   {"rn.f16.f32", {"0f3F800000"}, "0x3C00"},
                   {"rm.ftz.f16.f32", {"0f80000001"}, "0x8001"},
                   {"rn.sat.f16.s32", {"100"}, "0x3C00"},
                   {"rn.sat.f16.s16", {"-3"}, "0x0000"},
                   {"rz.f16.u64", {"2049"}, "0x6800"},
                   {"rz.bf16.f32", {"0f3FFFFFFF"}, "0x3FFF"}}});
  rows.push_back({"cvt.frnd2{.relu}{.satfinite}{.relu}.type.f32 d, a:f32",
                  "frnd2 = rn rz; type = f16 bf16",
                  Unit::alu,
                  select_convert,
                  lower_convert,
                  {{"rn.relu.f16.f32", {"0fBF800000"}, "0x0000"}, {"rn.satfinite.f16.f32", {"0f7F800000"}, "0x7BFF"}}});
  convert_packed_rows(rows);
  convert_small_rows(rows);
  convert_stochastic_rows(rows);
}

#undef BANKSHOT_TYPES

}  // namespace bankshot::simt::BANKSHOT_ISA

// setp and set of f16, bf16 and their packed forms. Source: PTX ISA, "Half precision comparison instructions".
#include "bankshot/simt/isa/lanes/compare.hpp"
#include "bankshot/simt/isa/lanes/half_rows.hpp"
#include "bankshot/simt/lower/lower_compare.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// The numbers of a source as f32: rows[k] has the k-th of each lane.
template <class R>
[[gnu::noinline]] void load_numbers(Warp& w, const Instr* i, u32 op, f32 (*rows)[kLanes]) {
  f32 x[R::kNumbers];
  load_halves<R>(w, op, i->fp & FpMode::kFlush, x);
  for (int k = 0; k < R::kPacked; ++k) {
    for (int l = 0; l < kLanes; ++l) rows[k][l] = x[l * R::kPacked + k];
  }
}

/// result[k]: the comparison of the k-th numbers of each lane. op[first] is a.
template <class R, class C>
[[gnu::noinline]] void compare_numbers(Warp& w, const Instr* i, int first, uint64_t* result) {
  set_fp(w, i);  // or subnormal bf16 numbers might compare as zeros
  f32 a[R::kPacked][kLanes], b[R::kPacked][kLanes];
  load_numbers<R>(w, i, i->op[first], a);
  load_numbers<R>(w, i, i->op[first + 1], b);
  for (int k = 0; k < R::kPacked; ++k) result[k] = C::of(a[k], b[k]);
}

/// Of pairs, q is the comparison of the upper numbers; of single numbers there is none.
template <int Packed, Combine How>
[[gnu::noinline]] const Instr* write_predicates(Warp& w, const Instr* i, const uint64_t* result) {
  const uint64_t c = How == Combine::none ? 0 : w.predicate_value(i->op[4]);  // c may be p or q
  write_predicate(w, i->op[0], combined<How>(result[0], c));
  if constexpr (Packed == 2) write_predicate(w, i->op[1], combined<How>(result[1], c));
  return i + 1;
}

/// d, of Packed numbers of type D a lane: `Yes` where the comparison holds, else 0.
template <int Packed, Combine How, class D, D Yes>
[[gnu::noinline]] const Instr* write_numbers(Warp& w, const Instr* i, const uint64_t* result) {
  D t[kLanes * Packed];
  for (int k = 0; k < Packed; ++k) {
    const uint64_t holds = combined<How>(result[k], How == Combine::none ? 0 : w.predicate_value(i->op[3]));
    for (int l = 0; l < kLanes; ++l) t[l * Packed + k] = holds >> l & 1 ? Yes : D(0);
  }
  using Register = Bits<sizeof(D) * Packed>;
  blend(w.row<Register>(i->op[0]), reinterpret_cast<const Register*>(t), w.active);
  return i + 1;
}

/// There are many of these, so that what they consist of is not inlined.
template <class R, class C, int First, auto Write>
BANKSHOT_LANES_ONLY const Instr* compare(Warp& w, const Instr* i) {
  uint64_t result[R::kPacked];
  compare_numbers<R, C>(w, i, First, result);
  return Write(w, i, result);
}

/// Calls make(row, comparison, how) for the type compared and the operators among the modifiers.
template <class Make>
Handler by_operators(ptx::Type type, const Match& m, Make make) {
  if (m.has("ftz") && (type == ptx::Type::bf16 || type == ptx::Type::bf16x2)) return nullptr;  // f16 only
  return by_half_type(type, [&](auto row) {
    return by_comparison<f32>(m, [&](auto comparison) {
      return by_combine(m, [&](auto how) -> Handler { return make(row, comparison, how); });
    });
  });
}

Handler select_setp(const Match& m) {
  return by_operators(m.type, m, [](auto row, auto comparison, auto how) {
    return &compare<decltype(row), decltype(comparison), 2, &write_predicates<row.kPacked, how()>>;
  });
}

/// d is 1.0 in a float type, all ones in an integer; from pairs to integers, 16 ones for each number.
Handler select_set(const Match& m) {
  return by_operators(m.type2, m, [&m](auto row, auto comparison, auto how) -> Handler {
    using R = decltype(row);
    using C = decltype(comparison);
    using P = ptx::Type;
    constexpr int kPacked = R::kPacked;
    // To f16 from bf16 there is none, nor between the packed ones; .ftz goes with f16 alone.
    const bool to_f16 = m.type == P::f16 || m.type == P::f16x2, to_bf16 = m.type == P::bf16 || m.type == P::bf16x2;
    constexpr bool kFromF16 = std::is_same_v<typename R::Number, f16>;
    if ((to_f16 && !kFromF16) || (to_bf16 && kFromF16 && (kPacked > 1 || m.has("ftz")))) return nullptr;
    using Whole = Bits<4 / kPacked>;
    switch (m.type) {
      case P::f16:
      case P::f16x2: return &compare<R, C, 1, &write_numbers<kPacked, how(), u16, 0x3c00>>;
      case P::bf16:
      case P::bf16x2: return &compare<R, C, 1, &write_numbers<kPacked, how(), u16, 0x3f80>>;
      case P::u16:
      case P::s16: return &compare<R, C, 1, &write_numbers<kPacked, how(), u16, 0xffff>>;
      default: return &compare<R, C, 1, &write_numbers<kPacked, how(), Whole, static_cast<Whole>(~0u)>>;
    }
  });
}

}  // namespace

#define BANKSHOT_COMPARISONS "cmp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; bool = and or xor; "

void half_compare_rows(Rows& rows) {
  constexpr std::string_view kSingle = BANKSHOT_COMPARISONS "type = f16 bf16",
                             kPair = BANKSHOT_COMPARISONS "type = f16x2 bf16x2";
  rows.push_back({"setp.cmp{.ftz}.type p, a, b", kSingle, Unit::fp16, select_setp, lower_half_setp});
  rows.push_back({"setp.cmp.bool{.ftz}.type p, a, b, c:pred", kSingle, Unit::fp16, select_setp, lower_half_setp});
  rows.push_back({"setp.cmp{.ftz}.type p|q, a, b", kPair, Unit::fp16, select_setp, lower_half_setp});
  rows.push_back({"setp.cmp.bool{.ftz}.type p|q, a, b, c:pred", kPair, Unit::fp16, select_setp, lower_half_setp});
  // Single numbers, then pairs.
  constexpr std::string_view kSet = BANKSHOT_COMPARISONS "type = f16 bf16 u16 s16 u32 s32; stype = f16 bf16";
  constexpr std::string_view kPairs = BANKSHOT_COMPARISONS "type = f16x2 bf16x2 u32 s32; stype = f16x2 bf16x2";
  for (std::string_view types : {kSet, kPairs}) {
    rows.push_back({"set.cmp{.ftz}.type.stype d, a:type2, b:type2", types, Unit::fp16, select_set, lower_set});
    rows.push_back(
        {"set.cmp.bool{.ftz}.type.stype d, a:type2, b:type2, c:pred", types, Unit::fp16, select_set, lower_set});
  }
}

#undef BANKSHOT_COMPARISONS

}  // namespace bankshot::simt::BANKSHOT_ISA

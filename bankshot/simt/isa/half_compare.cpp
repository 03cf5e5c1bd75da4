// setp and set of f16, bf16 and their packed forms. Source: PTX ISA, "Half precision comparison instructions".
#include "bankshot/simt/isa/half_rows.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// The lanes for which the instruction's comparison of x and y holds.
uint64_t compare(const Instr* i, const f32* x, const f32* y) {
  const uint64_t less = compare_lanes<Relation::less>(x, y), equal = compare_lanes<Relation::equal>(x, y);
  const uint64_t unordered = compare_lanes<Relation::unordered>(x, y);
  uint64_t result = 0;
  if (i->aux & HalfRelation::kLess) result |= less;
  if (i->aux & HalfRelation::kEqual) result |= equal;
  if (i->aux & HalfRelation::kGreater) result |= ~(less | equal | unordered);
  if (i->aux & HalfRelation::kUnordered) result |= unordered;
  return result & kAllLanes;
}

uint64_t combine(Warp& w, const Instr* i, uint64_t result) {
  switch (static_cast<HalfCombine>(i->aux >> 8)) {
    case HalfCombine::none: break;
    case HalfCombine::conjunction: return result & w.predicate_value(i->op[4]);
    case HalfCombine::disjunction: return result | w.predicate_value(i->op[4]);
    case HalfCombine::exclusive: return result ^ w.predicate_value(i->op[4]);
  }
  return result;
}

/// result[k]: the comparison of the k-th numbers of each lane.
template <class R>
void compare_rows(Warp& w, const Instr* i, uint64_t* result) {
  set_fp(w, i);  // or subnormal bf16 numbers might compare as zeros
  f32 a[R::kNumbers], b[R::kNumbers];
  const bool flush = i->small & HalfSmall::kFlush;
  load_halves<R>(w, i->op[2], flush, a);
  load_halves<R>(w, i->op[3], flush, b);
  if constexpr (R::kPacked == 1) {
    result[0] = compare(i, a, b);
  } else {
    for (int k = 0; k < 2; ++k) {
      f32 x[kLanes], y[kLanes];
      for (int l = 0; l < kLanes; ++l) x[l] = a[2 * l + k], y[l] = b[2 * l + k];
      result[k] = compare(i, x, y);
    }
  }
}

/// Of single numbers, q is the negated comparison, combined with c like p; of pairs, it is that of the upper numbers.
template <class R>
const Instr* setp(Warp& w, const Instr* i) {
  uint64_t result[2];
  compare_rows<R>(w, i, result);
  if constexpr (R::kPacked == 1) result[1] = ~result[0];
  const uint64_t p = combine(w, i, result[0]), q = combine(w, i, result[1]);  // c may be p or q
  write_predicate(w, i->op[0], p);
  write_predicate(w, i->op[1], q);
  return i + 1;
}

/// d, made of numbers of type D: `Yes` where the comparison holds, else 0.
template <class R, class D, D Yes>
const Instr* set(Warp& w, const Instr* i) {
  uint64_t result[2];
  compare_rows<R>(w, i, result);
  constexpr int kPacked = R::kPacked;
  D t[kLanes * kPacked];
  for (int k = 0; k < kPacked; ++k) {
    const uint64_t holds = combine(w, i, result[k]);
    for (int l = 0; l < kLanes; ++l) t[l * kPacked + k] = holds >> l & 1 ? Yes : D(0);
  }
  using Register = Bits<sizeof(D) * kPacked>;
  blend(w.row<Register>(i->op[0]), reinterpret_cast<const Register*>(t), w.active);
  return i + 1;
}

Handler select_setp(const Match& m) {
  return by_half_type(m.type, [](auto row) -> Handler { return &setp<decltype(row)>; });
}

/// d is 1.0 in a float type, all ones in an integer; from pairs to integers, 16 ones for each number.
Handler select_set(const Match& m) {
  return by_half_type(m.type2, [&](auto row) -> Handler {
    using R = decltype(row);
    using P = ptx::Type;
    switch (m.type) {
      case P::f16:
      case P::f16x2: return &set<R, u16, 0x3c00>;
      case P::bf16:
      case P::bf16x2: return &set<R, u16, 0x3f80>;
      case P::u16:
      case P::s16: return &set<R, u16, 0xffff>;
      default: break;
    }
    if constexpr (R::kPacked == 2) {
      return &set<R, u16, 0xffff>;
    } else {
      return &set<R, u32, 0xffffffffu>;
    }
  });
}

}  // namespace

#define COMPARISONS "cmp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; bool = and or xor; "

void half_compare_rows(Rows& rows) {
  constexpr std::string_view kSetp = COMPARISONS "type = f16 f16x2 bf16 bf16x2";
  rows.push_back({"setp.cmp{.ftz}.type p|q, a, b", kSetp, Unit::fp32, select_setp, lower_half_setp});
  rows.push_back({"setp.cmp.bool{.ftz}.type p|q, a, b, c:pred", kSetp, Unit::fp32, select_setp, lower_half_setp});
  // Single numbers, then pairs.
  constexpr std::string_view kSet = COMPARISONS "type = f16 bf16 u16 s16 u32 s32; stype = f16 bf16";
  constexpr std::string_view kPairs = COMPARISONS "type = f16x2 bf16x2 u32 s32; stype = f16x2 bf16x2";
  for (std::string_view types : {kSet, kPairs}) {
    rows.push_back({"set.cmp{.ftz}.type.stype d, a:type2, b:type2", types, Unit::fp32, select_set, lower_half_set});
    rows.push_back(
        {"set.cmp.bool{.ftz}.type.stype d, a:type2, b:type2, c:pred", types, Unit::fp32, select_set, lower_half_set});
  }
}

#undef COMPARISONS

}  // namespace bankshot::simt::BANKSHOT_ISA

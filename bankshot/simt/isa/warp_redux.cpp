// redux.sync: one value from all lanes of a membermask. Source: PTX ISA, redux.sync.
#include "bankshot/simt/isa/members.hpp"
#include "bankshot/simt/lower_warp.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

template <class T, class F>
void reduce(Warp& w, const Instr* i) {
  if constexpr (kIsFloat<T>) set_fp(w, i);  // or subnormal numbers might compare as zeros
  const T* const a = w.row<const T>(i->op[1]);
  T t[kLanes];
  uint64_t written = 0;
  for_groups(w, i->op[2], [&](uint64_t group) {
    uint64_t rest = group;
    T sum = F::prepare(i, a[__builtin_ctzll(rest)]);
    while ((rest &= rest - 1) != 0) sum = F::combine(i, sum, F::prepare(i, a[__builtin_ctzll(rest)]));
    sum = F::finish(sum);
    for (uint64_t lanes = group; lanes != 0; lanes &= lanes - 1) t[__builtin_ctzll(lanes)] = sum;
    written |= group;
  });
  if (i->op[0] != OperandRef::kNone) blend(w.row<T>(i->op[0]), t, written);
}

struct Integers {
  template <class T>
  static T prepare(const Instr*, T x) {
    return x;
  }
  template <class T>
  static T finish(T x) {
    return x;
  }
};
struct Add : Integers {
  static u32 combine(const Instr*, u32 a, u32 b) { return a + b; }
};
struct And : Integers {
  static u32 combine(const Instr*, u32 a, u32 b) { return a & b; }
};
struct Or : Integers {
  static u32 combine(const Instr*, u32 a, u32 b) { return a | b; }
};
struct Xor : Integers {
  static u32 combine(const Instr*, u32 a, u32 b) { return a ^ b; }
};
struct Min : Integers {
  template <class T>
  static T combine(const Instr*, T a, T b) {
    return a < b ? a : b;
  }
};
struct Max : Integers {
  template <class T>
  static T combine(const Instr*, T a, T b) {
    return a > b ? a : b;
  }
};

/// f32: a NaN is left out unless .NaN; -0 is below 0.
template <bool Least>
struct Floats {
  static f32 prepare(const Instr* i, f32 x) {
    u32 bits;
    std::memcpy(&bits, &x, 4);
    if (i->small & ReduxSmall::kAbsolute) bits &= 0x7fffffffu;
    std::memcpy(&x, &bits, 4);
    return x;
  }
  static f32 combine(const Instr* i, f32 a, f32 b) {
    if (a != a || b != b) {
      const bool keep = i->small & ReduxSmall::kNan;
      return a != a ? (keep ? a : b) : (keep ? b : a);
    }
    if (a == b) return (__builtin_signbit(a) != 0) == Least ? a : b;
    return (a < b) == Least ? a : b;
  }
  static f32 finish(f32 x) { return canonical(x); }
};

template <class T, class F>
constexpr Handler kReduce = &gathered<&reduce<T, F>, SyncOperands{"dam---"}>;

Handler select_integers(const Match& m) {
  const bool is_signed = m.type == ptx::Type::s32;
  if (m.has("add")) return kReduce<u32, Add>;
  if (m.has("and")) return kReduce<u32, And>;
  if (m.has("or")) return kReduce<u32, Or>;
  if (m.has("xor")) return kReduce<u32, Xor>;
  if (m.has("min")) return is_signed ? kReduce<s32, Min> : kReduce<u32, Min>;
  return is_signed ? kReduce<s32, Max> : kReduce<u32, Max>;
}

}  // namespace

void redux_rows(Rows& rows) {
  rows.push_back({"redux.sync.op.type d, a, membermask", "op = add min max; type = u32 s32", Unit::warp,
                  select_integers, lower_redux});
  rows.push_back({"redux.sync.op.b32 d, a, membermask", "op = and or xor", Unit::warp, select_integers, lower_redux});
  rows.push_back(
      {"redux.sync.op{.abs}{.NaN}.f32 d, a, membermask", "op = min max", Unit::warp,
       [](const Match& m) { return m.has("min") ? kReduce<f32, Floats<true>> : kReduce<f32, Floats<false>>; },
       lower_redux});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// redux.sync: one value from all lanes of a membermask. Source: PTX ISA, redux.sync.
#include "bankshot/simt/isa/lanes/atomic_ops.hpp"
#include "bankshot/simt/isa/lanes/members.hpp"
#include "bankshot/simt/lower/lower_warp.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// d = f(… f(f(a of the first lane, a of the second), a of the third) …) of a group; 0 of an empty one.
template <class T, class F>
void reduce(Warp& w, const Instr* i, const T* a, F f) {
  T t[kLanes];
  uint64_t written = 0;
  for_groups(w, i->op[2], [&](uint64_t group, uint64_t lanes) {
    uint64_t rest = group;
    T sum = rest == 0 ? T{} : a[__builtin_ctzll(rest)];
    while (rest != 0 && (rest &= rest - 1) != 0) sum = f(sum, a[__builtin_ctzll(rest)]);
    written |= lanes;
    for (; lanes != 0; lanes &= lanes - 1) t[__builtin_ctzll(lanes)] = sum;
  });
  if (i->op[0] != OperandRef::kNone) blend(w.row<T>(i->op[0]), t, written);
}

template <class Op, class T>
void reduce_integers(Warp& w, const Instr* i) {
  reduce(w, i, w.row<const T>(i->op[1]), [](T a, T b) { return Op::apply(a, b, T{}, false); });
}

/// A NaN is left out unless .NaN; -0 is below 0.
template <bool Least>
void reduce_floats(Warp& w, const Instr* i) {
  set_fp(w, i);  // or subnormal numbers might compare as zeros
  const bool keep = i->small & ReduxSmall::kNan;
  const u32 kept = i->small & ReduxSmall::kAbsolute ? 0x7fffffffu : ~0u;
  const u32* const bits = w.row<const u32>(i->op[1]);
  f32 numbers[kLanes];
  for (int l = 0; l < kLanes; ++l) numbers[l] = canonical(as_float(bits[l] & kept));
  reduce(w, i, numbers, [&](f32 a, f32 b) {
    if (a != a || b != b) return (a != a) == keep ? a : b;
    if (a == b) return (__builtin_signbit(a) != 0) == Least ? a : b;
    return (a < b) == Least ? a : b;
  });
}

template <SyncBody Body>
constexpr Handler kReduce = &gathered<Body, SyncOperands{"dam---"}>;

template <class Op>
Handler select_sign(const Match& m) {
  return m.type == ptx::Type::s32 ? kReduce<&reduce_integers<Op, s32>> : kReduce<&reduce_integers<Op, u32>>;
}

Handler select_integers(const Match& m) {
  if (m.has("add")) return kReduce<&reduce_integers<AtomicAdd, u32>>;
  if (m.has("and")) return kReduce<&reduce_integers<AtomicAnd, u32>>;
  if (m.has("or")) return kReduce<&reduce_integers<AtomicOr, u32>>;
  if (m.has("xor")) return kReduce<&reduce_integers<AtomicXor, u32>>;
  return m.has("min") ? select_sign<AtomicMin>(m) : select_sign<AtomicMax>(m);
}

}  // namespace

void redux_rows(Rows& rows) {
  rows.push_back({"redux.sync.op.type d, a, membermask", "op = add min max; type = u32 s32", Unit::warp,
                  select_integers, lower_redux});
  rows.push_back({"redux.sync.op.b32 d, a, membermask", "op = and or xor", Unit::warp, select_integers, lower_redux});
  rows.push_back(
      {"redux.sync.op{.abs}{.NaN}.f32 d, a, membermask", "op = min max", Unit::warp,
       [](const Match& m) { return m.has("min") ? kReduce<&reduce_floats<true>> : kReduce<&reduce_floats<false>>; },
       lower_redux});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

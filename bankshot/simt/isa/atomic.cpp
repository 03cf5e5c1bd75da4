// atom and red, lane after lane in ascending order. Source: PTX ISA, atom and red. Layout: lower_atomic.hpp.
#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/isa/lanes/atomic_ops.hpp"
#include "bankshot/simt/isa/lanes/lane_addresses.hpp"
#include "bankshot/simt/lower/lower_atomic.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

using ptx::Space;

/// The values of b and c, and room for the old ones.
template <class T>
struct Values {
  const T* b;
  const T* c;
  T old[kLanes];
  Values(const Warp& w, const Instr* i)
      : b(w.row<const T>(i->op[2])), c(i->op[3] == OperandRef::kNone ? b : w.row<const T>(i->op[3])) {}
};

/// Writes d, if there is one. Who reads the old value may be waiting for it to change.
template <class T>
const Instr* finish(Warp& w, const Instr* i, const T* old) {
  if (i->op[1] == OperandRef::kNone) return i + 1;
  blend(w.row<T>(i->op[1]), old, w.active);
  return polled(w, i + 1);
}

/// f(lane) for the active lanes, ascending.
template <class F>
inline void for_active(const Warp& w, F f) {
  if (w.active == kAllLanes) {
    for (int l = 0; l < kLanes; ++l) f(l);
  } else {
    for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) f(__builtin_ctzll(rest));
  }
}

/// Lane by lane, wherever the addresses lead; finds the fault if there is one.
template <class Op, class T>
const Instr* anywhere(Warp& w, const Instr* i, Space space, const u64* addresses) {
  Values<T> v(w, i);
  const Worker& worker = *w.worker;
  u32 offsets[kLanes] = {};
  uint64_t in_shared = 0;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    const int64_t offset = shared_offset(w, space, addresses[l]);
    if (space == Space::generic && addresses[l] - worker.windows.local < Windows::kLocalBytes) {
      return fault(w, i, Fault::Kind::illegal_address, l, addresses[l], "atomic access to local memory");
    }
    T* const p = static_cast<T*>(lane_pointer(w, i, space, addresses[l], sizeof(T), true, static_cast<unsigned>(l)));
    if (p == nullptr) return nullptr;
    if (offset >= 0) {
      in_shared |= uint64_t{1} << l;
      offsets[l] = static_cast<u32>(offset);
    }
    v.old[l] = offset >= 0 || !worker.parallel ? update_plainly<Op>(p, v.b[l], v.c[l], offset >= 0)
                                               : update_atomically<Op>(p, v.b[l], v.c[l]);
  }
  if (in_shared != 0) count_in_cluster(w, i->aux, kind_at(w, i->aux), sizeof(T), offsets, in_shared);
  return finish(w, i, v.old);
}

template <class Op, class T>
const Instr* in_shared(Warp& w, const Instr* i) {
  u32 offsets[kLanes];
  lane_addresses(w, i, offsets);
  without_own_rank(w, offsets);
  const u32 bytes = w.cta->shared_bytes;
  if (bytes < sizeof(T) || !survey(offsets, sizeof(T), u32{0}, static_cast<u32>(bytes - sizeof(T))).fine) {
    u64 addresses[kLanes];
    for (int l = 0; l < kLanes; ++l) addresses[l] = offsets[l];
    return anywhere<Op, T>(w, i, Space::shared, addresses);
  }
  count_shared(w, i->aux, kind_at(w, i->aux), sizeof(T), offsets, w.active);
  Values<T> v(w, i);
  std::byte* const base = w.cta->shared;
  for_active(
      w, [&](int l) { v.old[l] = update_plainly<Op>(reinterpret_cast<T*>(base + offsets[l]), v.b[l], v.c[l], true); });
  return finish(w, i, v.old);
}

/// Global memory, all lanes in the allocation that this instruction hit last.
template <class Op, class T>
const Instr* in_global(Warp& w, const Instr* i, const u64* addresses) {
  Values<T> v(w, i);
  if (w.worker->parallel) {
    for_active(w, [&](int l) { v.old[l] = update_atomically<Op>(reinterpret_cast<T*>(addresses[l]), v.b[l], v.c[l]); });
  } else {
    for_active(
        w, [&](int l) { v.old[l] = update_plainly<Op>(reinterpret_cast<T*>(addresses[l]), v.b[l], v.c[l], false); });
  }
  return finish(w, i, v.old);
}

template <class Op, class T>
BANKSHOT_LANES_ONLY const Instr* atomic(Warp& w, const Instr* i) {
#if defined(BANKSHOT_LANE_CODE)  // on the old values themselves, which are in op[0]
  T* const p = w.row<T>(i->op[0]);
  const T* const b = w.row<const T>(i->op[2]);
  const T* const c = i->op[3] == OperandRef::kNone ? b : w.row<const T>(i->op[3]);
  for (int l = 0; l < kLanes; ++l) p[l] = Op::apply(p[l], b[l], c[l], static_cast<Space>(i->small) == Space::shared);
  return i + 1;
#else
  if constexpr (std::is_base_of_v<FloatOperation, Op>) set_fp(w, i);
  const Space space = static_cast<Space>(i->small);
  if (space == Space::shared) return in_shared<Op, T>(w, i);
  u64 addresses[kLanes];
  lane_addresses(w, i, addresses);
  const Extent<u64> x = extent(addresses, sizeof(T));
  const Worker::Hit& hit = w.worker->last_hit(i);
  if (x.aligned && x.low >= hit.begin && x.high < hit.end && hit.end - x.high >= sizeof(T) && hit.writable) {
    return in_global<Op, T>(w, i, addresses);
  }
  return anywhere<Op, T>(w, i, space, addresses);
#endif
}

/// Handlers by .type. .noftz is required where the manual requires it.
Handler select_add(const Match& m) {
  using P = ptx::Type;
  const bool halves = ptx::bits(m.type) == 16 || m.type == P::f16x2 || m.type == P::bf16x2;
  if (m.has("noftz") != halves) return nullptr;
  switch (m.type) {
    case P::u32:
    case P::s32: return &atomic<AtomicAdd, u32>;
    case P::u64: return &atomic<AtomicAdd, u64>;
    case P::f32: return &atomic<AtomicAddF32, u32>;
    case P::f64: return &atomic<AtomicAddF64, u64>;
    case P::f16: return &atomic<AtomicAddHalf<f16>, u16>;
    case P::bf16: return &atomic<AtomicAddHalf<bf16>, u16>;
    case P::f16x2: return &atomic<AtomicAddHalves<f16>, u32>;
    case P::bf16x2: return &atomic<AtomicAddHalves<bf16>, u32>;
    default: return nullptr;
  }
}

template <class Op, class... T>
Handler select_type(const Match& m) {
  return by_type<T...>(m.type, [](auto tag) -> Handler { return &atomic<Op, typename decltype(tag)::type>; });
}

Handler select_extremum(const Match& m) {
  return m.has("min") ? select_type<AtomicMin, u32, s32, u64, s64>(m) : select_type<AtomicMax, u32, s32, u64, s64>(m);
}

Handler select_bits(const Match& m) {
  if (m.has("and")) return select_type<AtomicAnd, u32, u64>(m);
  return m.has("or") ? select_type<AtomicOr, u32, u64>(m) : select_type<AtomicXor, u32, u64>(m);
}

Handler select_count(const Match& m) { return m.has("inc") ? &atomic<AtomicInc, u32> : &atomic<AtomicDec, u32>; }

}  // namespace

#define BANKSHOT_PLACE "{.sem}{.scope}{.space}"
#define BANKSHOT_SCOPES "scope = cta cluster gpu sys; space = global shared shared::cta shared::cluster; "
// red gives nothing that a load could acquire.
#define BANKSHOT_ATOM_SETS "sem = relaxed acquire release acq_rel; " BANKSHOT_SCOPES
#define BANKSHOT_RED_SETS "sem = relaxed release; " BANKSHOT_SCOPES

void atomic_rows(Rows& rows) {
  const auto add = [&](std::string_view atom, std::string_view atom_sets, std::string_view red,
                       std::string_view red_sets, Handler (*select)(const Match&)) {
    rows.push_back({atom, atom_sets, Unit::memory, select, lower_atomic});
    if (!red.empty()) rows.push_back({red, red_sets, Unit::memory, select, lower_atomic});
  };
// The sets of atom and red for the operations and types of one row.
#define BANKSHOT_BOTH(atom, red, rest) \
  "atom" BANKSHOT_PLACE atom, BANKSHOT_ATOM_SETS rest, "red" BANKSHOT_PLACE red, BANKSHOT_RED_SETS rest
  add(BANKSHOT_BOTH(".add{.noftz}{.L2::cache_hint}.type d, [a], b", ".add{.noftz}{.L2::cache_hint}.type [a], b",
                    "type = u32 s32 u64 f32 f64 f16 f16x2 bf16 bf16x2"),
      select_add);
  add(BANKSHOT_BOTH(".op{.L2::cache_hint}.type d, [a], b", ".op{.L2::cache_hint}.type [a], b",
                    "op = min max; type = u32 s32 u64 s64"),
      select_extremum);
  add(BANKSHOT_BOTH(".op{.L2::cache_hint}.type d, [a], b", ".op{.L2::cache_hint}.type [a], b",
                    "op = and or xor; type = b32 b64"),
      select_bits);
  add(BANKSHOT_BOTH(".op{.L2::cache_hint}.u32 d, [a], b", ".op{.L2::cache_hint}.u32 [a], b", "op = inc dec"),
      select_count);
#undef BANKSHOT_BOTH
  add("atom" BANKSHOT_PLACE ".exch{.L2::cache_hint}.type d, [a], b", BANKSHOT_ATOM_SETS "type = b32 b64", "", "",
      select_type<AtomicExch, u32, u64>);
  add("atom" BANKSHOT_PLACE ".cas.type d, [a], b, c", BANKSHOT_ATOM_SETS "type = b16 b32 b64", "", "",
      select_type<AtomicCas, u16, u32, u64>);
}

#undef BANKSHOT_PLACE
#undef BANKSHOT_SCOPES
#undef BANKSHOT_ATOM_SETS
#undef BANKSHOT_RED_SETS

}  // namespace bankshot::simt::BANKSHOT_ISA

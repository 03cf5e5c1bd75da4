// mov, cvta, isspacep. Source: PTX ISA, data movement instructions. How an instruction is laid out: lower_move.hpp.
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/decode/clock_loops.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/lower/lower_move.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

template <class T>
void write_row(Warp& w, u32 op, const T* t) {
  if (op == OperandRef::kNone) return;
  if (w.active == kAllLanes) {
    std::memcpy(w.row<T>(op), t, sizeof(T) * kLanes);
  } else {
    blend(w.row<T>(op), t, w.active);
  }
}

template <class T>
[[gnu::noinline]] void broadcast(Warp& w, u32 op, T value) {
  T t[kLanes];
  for (int l = 0; l < kLanes; ++l) t[l] = value;
  write_row(w, op, t);
}

/// A register narrower than 16 bits lives in 16, so parts of one byte are read from and written to such rows.
template <class T>
using Stored = std::conditional_t<sizeof(T) == 1, u16, T>;

template <class Whole, class Part>
void pack(Warp& w, const Instr* i, const std::vector<u32>& list) {
  Whole t[kLanes] = {};
  for (size_t e = 0; e < list.size(); ++e) {
    const auto* const part = w.row<const Stored<Part>>(list[e]);
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < kLanes; ++l) {
      t[l] = static_cast<Whole>(
          t[l] | static_cast<Whole>(static_cast<Whole>(static_cast<Part>(part[l])) << (8 * sizeof(Part) * e)));
    }
  }
  write_row(w, i->op[0], t);
}

template <class Whole, class Part>
void unpack(Warp& w, const Instr* i, const std::vector<u32>& list) {
  Whole source[kLanes];
  std::memcpy(source, w.row<const Whole>(i->op[1]), sizeof source);  // a part may be written to the row itself
  for (size_t e = 0; e < list.size(); ++e) {
    Stored<Part> t[kLanes];
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < kLanes; ++l) t[l] = static_cast<Part>(source[l] >> (8 * sizeof(Part) * e));
    write_row(w, list[e], t);
  }
}

template <class Whole>
void pack_or_unpack(Warp& w, const Instr* i) {
  const std::vector<u32>& list = w.worker->program->lists[i->aux];
  const bool packs = i->small == MoveKind::kPack;
  if constexpr (sizeof(Whole) > 4) {
    if (i->op[2] == 4) return packs ? pack<Whole, u32>(w, i, list) : unpack<Whole, u32>(w, i, list);
  }
  if constexpr (sizeof(Whole) > 2) {
    if (i->op[2] == 2) return packs ? pack<Whole, u16>(w, i, list) : unpack<Whole, u16>(w, i, list);
  }
  return packs ? pack<Whole, u8>(w, i, list) : unpack<Whole, u8>(w, i, list);
}

template <class T>
void move_vector(Warp& w, const Instr* i) {
  const std::vector<u32>& list = w.worker->program->lists[i->aux];
  constexpr size_t kMost = 4;
  const size_t count = list.size() / 2;
  T t[kMost][kLanes];  // what is written may be read, too
  for (size_t e = 0; e < kMost && e < count; ++e) std::memcpy(t[e], w.row<const T>(list[count + e]), sizeof t[e]);
  for (size_t e = 0; e < kMost && e < count; ++e) write_row(w, list[e], t[e]);
}

/// The cycle of a timing model, else instructions this CTA has executed: the same for any number of host threads.
u64 clock_of(const Warp& w, const Instr* i) {
  if (w.worker->sm >= 0) return w.worker->cycle;
  return w.worker->warp_instructions + static_cast<u64>(i - w.segment) - w.cta->clock_base;
}

/// Time passes for a CTA that has a time of its own; those that see each other have one together, and look as often as
/// it takes.
void pass_time(const Warp& w) {
  if (w.worker->parallel && w.worker->sm < 0) w.cta->clock_base -= kClockLook;
}

/// All kinds but a whole row.
template <class T>
[[gnu::noinline]] const Instr* move_otherwise(Warp& w, const Instr* i) {
  switch (i->small) {
    case MoveKind::kRow: {
      const u32* const narrow = w.row<const u32>(i->op[1]);
      T t[kLanes];
      for (int l = 0; l < kLanes; ++l) t[l] = static_cast<T>(narrow[l]);
      write_row(w, i->op[0], t);
      return i + 1;
    }
    case MoveKind::kPredicate: write_predicate(w, i->op[0], w.predicate_value(i->op[1])); return i + 1;
    case MoveKind::kPack:
    case MoveKind::kUnpack: pack_or_unpack<T>(w, i); return i + 1;
    case MoveKind::kVector: move_vector<T>(w, i); return i + 1;
    case MoveKind::kLocal: broadcast(w, i->op[0], static_cast<T>(w.local_frame + i->imm)); return i + 1;
    case MoveKind::kClockLook: pass_time(w); [[fallthrough]];
    case MoveKind::kClock:
      broadcast(w, i->op[0], static_cast<T>(clock_of(w, i) >> i->imm));
      return polled(w, i + 1);  // it may be timing out
    default: return i + 1;
  }
}

/// Most moves are of whole rows, and shorter than the frame of a function that can do the others.
template <class T>
BANKSHOT_LANES_ONLY const Instr* move(Warp& w, const Instr* i) {
  if (i->small != MoveKind::kRow || i->op[2] == 1) return move_otherwise<T>(w, i);
  write_row(w, i->op[0], w.row<const T>(i->op[1]));
  return i + 1;
}

template <class T>
BANKSHOT_LANES_ONLY const Instr* convert_address(Warp& w, const Instr* i) {
  if (w.active != kAllLanes) return for_active_lanes<sizeof(T)>(w, i, &convert_address<T>);
  const T offset = static_cast<T>(i->imm);
  if (i->small == MoveKind::kLocal) {
    broadcast(w, i->op[0], static_cast<T>(w.local_frame + offset));
    return i + 1;
  }
  const T* const a = w.row<const T>(i->op[1]);
  T* const d = w.row<T>(i->op[0]);
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) d[l] = a[l] + offset;
  return i + 1;
}

const Instr* is_space(Warp& w, const Instr* i) {
  const u64* const a = w.row<const u64>(i->op[1]);
  const Windows& windows = w.worker->windows;
  uint64_t inside = 0;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    const u64 offset = a[l] - i->imm;
    bool is = false;
    if (i->small == IsSpace::kLocal) {
      is = offset < Windows::kLocalBytes;
    } else if (i->small == IsSpace::kCluster) {
      is = offset < Windows::kClusterBytes;
    } else if (i->small == IsSpace::kCta) {
      is = offset < Windows::kClusterBytes && rank_at(*w.cta, offset) == w.cta->rank;
    } else {
      const bool window = a[l] - windows.shared < Windows::kAllBytes;
      const Allocation* const at = window ? nullptr : w.worker->memory->find(a[l]);
      const bool constant = at != nullptr && at->kind == MemoryKind::module_constant;
      const bool param = constant && at->address == reinterpret_cast<u64>(w.worker->launch->params);
      is = i->small == IsSpace::kParam      ? param
           : i->small == IsSpace::kConstant ? constant && !param
                                            : !window && (!constant || param);
    }
    inside |= static_cast<uint64_t>(is) << l;
  }
  write_predicate(w, i->op[0], inside);
  return i + 1;
}

/// What a policy looks like inside is the hardware's business, and it says nothing about values: zero.
const Instr* cache_policy(Warp& w, const Instr* i) {
  broadcast(w, i->op[0], u64{0});
  return i + 1;
}

}  // namespace

void move_rows(Rows& rows) {
  const auto of_type = [](const Match& m) -> Handler {
    using P = ptx::Type;
    const P type = m.type == P::f32 ? P::b32 : m.type == P::f64 ? P::b64 : m.type;
    return by_type<u16, u32, u64, s16, s32, s64>(type, [](auto tag) -> Handler {
      using T = typename decltype(tag)::type;
      if constexpr (sizeof(T) == 2) return &move<u16>;
      if constexpr (sizeof(T) == 4) return &move<u32>;
      if constexpr (sizeof(T) == 8) return &move<u64>;
    });
  };
  static constexpr std::string_view kTypes = "type = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64";
  rows.push_back({"mov.type d, a", kTypes, Unit::alu, of_type, &lower_move});
  rows.push_back({"mov.vec.type r, r", "vec = v2 v4; type = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", Unit::alu,
                  of_type, &lower_vector_move});
  rows.push_back({"mov.pred p, q", "", Unit::alu, always(&move<u32>), &lower_move});
  rows.push_back({"cvta{.to}.space.type d, a",
                  "space = global shared shared::cta shared::cluster local const param param::entry; type = u32 u64",
                  Unit::alu,
                  [](const Match& m) -> Handler {
                    return m.type == ptx::Type::u64 ? &convert_address<u64> : &convert_address<u32>;
                  },
                  &lower_convert_address});
  rows.push_back({"isspacep.space p, a",
                  "space = global shared shared::cta shared::cluster local const param param::entry", Unit::alu,
                  always(&is_space), &lower_is_space});
  rows.push_back({"createpolicy.fractional.primary{.secondary}.b64 d, fraction",
                  "primary = L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged;"
                  "secondary = L2::evict_first L2::evict_unchanged",
                  Unit::alu, always(&cache_policy), &lower_cache_policy});
  rows.push_back({"createpolicy.range{.global}.primary{.secondary}.b64 d, [a], primary_size:u32, total_size:u32",
                  "primary = L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged;"
                  "secondary = L2::evict_first L2::evict_unchanged",
                  Unit::alu, always(&cache_policy), &lower_range_policy});
  rows.push_back(
      {"createpolicy.cvt.L2.b64 d, property:b64", "", Unit::alu, always(&cache_policy), &lower_converted_policy});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// Loads and stores. Source: PTX ISA, ld, st, ld.global.nc. How an instruction is laid out: lower_memory.hpp.
#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/bulk.hpp"
#include "bankshot/simt/access/wide_access.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/memory_rows.hpp"
#include "bankshot/simt/isa/lanes/memory_words.hpp"
#include "bankshot/simt/lower/lower_memory.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

using ptx::Space;

/// Lane by lane, whatever the space: the careful way, which also finds the fault.
template <class T>
const Instr* load_slowly(Warp& w, const Instr* i, Space space, const u64* addresses) {
  const unsigned elements = i->op[3];
  T t[8][kLanes];
  alignas(16) T value[8];
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    if (!load_lane(w, i, space, addresses[l], sizeof(T) * elements, static_cast<unsigned>(l), value)) return nullptr;
    for (unsigned e = 0; e < elements; ++e) t[e][l] = value[e];
  }
  for (unsigned e = 0; e < elements; ++e) put_row(w, value_row(w, i, e), i->op[2], t[e]);
  return i + 1;
}

template <class T>
const Instr* store_slowly(Warp& w, const Instr* i, Space space, const u64* addresses) {
  const unsigned elements = i->op[3];
  T room[8][kLanes];
  const T* rows[8];
  for (unsigned e = 0; e < elements; ++e) rows[e] = get_row(w, value_row(w, i, e), i->op[2], room[e]);
  alignas(16) T value[8];
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    for (unsigned e = 0; e < elements; ++e) value[e] = rows[e][l];
    if (!store_lane(w, i, space, addresses[l], sizeof(T) * elements, static_cast<unsigned>(l), value)) return nullptr;
  }
  return i + 1;
}

/// The range of the allocation this instruction hit last, or else of the one around `address`; null if none is there.
const Worker::Hit* allocation_around(Warp& w, const Instr* i, u64 address, bool write) {
  Worker& worker = *w.worker;
  Worker::Hit& hit = worker.last_hit(i);
  if (address >= hit.begin && address < hit.end && (!write || hit.writable)) return &hit;
  const Allocation* a = worker.memory->accessible(address);
  if (a == nullptr || !a->live || (write && !a->writable)) return nullptr;
  hit = {a->address, a->address + a->size, a->writable};
  return &hit;
}

template <class T, bool Store>
const Instr* global_at(Warp& w, const Instr* i, Space space, const u64* addresses) {
  const unsigned bytes = sizeof(T) * i->op[3];
  const Worker::Hit* hit = allocation_around(w, i, addresses[0], Store);
  if (hit != nullptr && hit->end - hit->begin >= bytes) {
    const Survey x = survey<u64>(addresses, bytes, hit->begin, hit->end - hit->begin - bytes);
    if (x.fine) {
      move_rows<T, Store>(w, i, nullptr, addresses, x.contiguous);
      return i + 1;
    }
  }
  return Store ? store_slowly<T>(w, i, space, addresses) : load_slowly<T>(w, i, space, addresses);
}

template <class T, bool Store>
const Instr* shared_at(Warp& w, const Instr* i, const u32* offsets) {
  const unsigned bytes = sizeof(T) * i->op[3];
  if (w.cta->shared_bytes >= bytes) {
    const Survey x = survey<u32>(offsets, bytes, 0, w.cta->shared_bytes - bytes);
    if (x.fine) {
      count_shared(w, i->aux, Store ? scratchpad::AccessKind::store : scratchpad::AccessKind::load, bytes, offsets,
                   w.active);
      move_rows<T, Store>(w, i, w.cta->shared, offsets, x.contiguous);
      return i + 1;
    }
  }
  // What lies in another CTA's memory is found lane by lane.
  count_in_cluster(w, i->aux, Store ? scratchpad::AccessKind::store : scratchpad::AccessKind::load, bytes, offsets,
                   w.active);
  u64 wide[kLanes];
  for (int l = 0; l < kLanes; ++l) wide[l] = offsets[l];
  return Store ? store_slowly<T>(w, i, Space::shared, wide) : load_slowly<T>(w, i, Space::shared, wide);
}

/// Words of local memory that all lanes have at one address: whole rows, one after the other.
template <class T, bool Store>
void move_local_rows(Warp& w, const Instr* i, u64 address) {
  u32* words = reinterpret_cast<u32*>(w.local) + address / 4 * kLanes;
  for (unsigned e = 0; e < i->op[3]; ++e, words += sizeof(T) / 4 * kLanes) {
    T t[kLanes];
    if constexpr (Store) {
      const T* const row = get_row(w, value_row(w, i, e), i->op[2], t);
      if constexpr (sizeof(T) == 4) {
        blend(words, reinterpret_cast<const u32*>(row), w.active);
      } else {
        u32 half[2][kLanes];
        for (int l = 0; l < kLanes; ++l) {
          half[0][l] = static_cast<u32>(row[l]);
          half[1][l] = static_cast<u32>(static_cast<u64>(row[l]) >> 32);
        }
        blend(words, half[0], w.active);
        blend(words + kLanes, half[1], w.active);
      }
    } else {
      if constexpr (sizeof(T) == 4) {
        std::memcpy(t, words, sizeof t);
      } else {
        for (int l = 0; l < kLanes; ++l) t[l] = static_cast<T>(u64{words[l]} | u64{words[l + kLanes]} << 32);
      }
      put_row(w, value_row(w, i, e), i->op[2], t);
    }
  }
}

/// Elements of local memory that each lane has at an address of its own, all in range and aligned: an index into an
/// array of the thread.
template <class T, bool Store>
void move_local_elements(Warp& w, const Instr* i, const u64* addresses) {
  constexpr u32 kNextWord = 4 * kLanes;  // bytes from a word of a lane to its next one
  u32 offset[kLanes];
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    const u32 address = static_cast<u32>(addresses[l]);
    offset[l] = address / 4 * kNextWord + static_cast<u32>(4 * l) + address % 4;
  }
  for (unsigned e = 0; e < i->op[3]; ++e) {
    const u32 byte = sizeof(T) * e;
    std::byte* const base = w.local + byte / 4 * kNextWord + byte % 4;
    T t[kLanes];
    if constexpr (Store) {
      const T* const row = get_row(w, value_row(w, i, e), i->op[2], t);
      const auto store = [&](int l) {
        std::memcpy(base + offset[l], &row[l], sizeof(T) < 4 ? sizeof(T) : 4);
        if constexpr (sizeof(T) == 8) {
          const u32 high = static_cast<u32>(static_cast<u64>(row[l]) >> 32);
          std::memcpy(base + offset[l] + kNextWord, &high, 4);
        }
      };
      if (w.active == kAllLanes) {
        for (int l = 0; l < kLanes; ++l) store(l);
      } else {
        for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) store(__builtin_ctzll(rest));
      }
    } else {
      if constexpr (sizeof(T) == 8) {
        u32 half[2][kLanes];
        gather_row(half[0], base, offset);
        gather_row(half[1], base + kNextWord, offset);
        for (int l = 0; l < kLanes; ++l) t[l] = static_cast<T>(u64{half[0][l]} | u64{half[1][l]} << 32);
      } else {
        gather_row(t, base, offset);
      }
      put_row(w, value_row(w, i, e), i->op[2], t);
    }
  }
}

template <class T, bool Store>
const Instr* local_at(Warp& w, const Instr* i, const u64* addresses) {
  const unsigned bytes = sizeof(T) * i->op[3];
  // Offsets by lane are signed numbers of 32 bits where gathers take them.
  constexpr u64 kMostStack = (u64{1} << 31) / kLanes;
  const u64 stack = w.worker->local_stack;
  if (stack < bytes || stack > kMostStack || !survey<u64>(addresses, bytes, 0, stack - bytes).fine)
    return Store ? store_slowly<T>(w, i, Space::local, addresses) : load_slowly<T>(w, i, Space::local, addresses);
  if constexpr (sizeof(T) >= 4) {
    if (all_equal(addresses)) {
      move_local_rows<T, Store>(w, i, addresses[0]);
      return i + 1;
    }
  }
  move_local_elements<T, Store>(w, i, addresses);
  return i + 1;
}

template <class T, bool Store>
const Instr* access_global(Warp& w, const Instr* i) {
  u64 addresses[kLanes];
  lane_addresses(w, i, addresses);
  return global_at<T, Store>(w, i, Space::global, addresses);
}

template <class T, bool Store>
const Instr* access_shared(Warp& w, const Instr* i) {
#if defined(__AVX512F__) && BANKSHOT_LANES == 32
  if constexpr (sizeof(T) == 4 && !Store) {
    if (load_shared_words(w, i)) return i + 1;
  }
#endif
  u32 offsets[kLanes];
  lane_addresses(w, i, offsets);
  without_own_rank(w, offsets);
  return shared_at<T, Store>(w, i, offsets);
}

template <class T, bool Store>
const Instr* access_local(Warp& w, const Instr* i) {
  u64 addresses[kLanes];
  lane_addresses(w, i, addresses);
  if (i->op[0] == OperandRef::kNone) {
    for (int l = 0; l < kLanes; ++l) addresses[l] += w.local_frame;
  }
  return local_at<T, Store>(w, i, addresses);
}

template <class T, bool Store>
const Instr* access_param(Warp& w, const Instr* i) {
  u64 addresses[kLanes];
  lane_addresses(w, i, addresses);
  const u64 base = reinterpret_cast<u64>(w.worker->launch->params);
  for (int l = 0; l < kLanes; ++l) addresses[l] += base;
  return global_at<T, Store>(w, i, Space::global, addresses);
}

/// The offsets in a window of the generic space for the active lanes that are there; @return those lanes.
uint64_t lanes_in_window(const Warp& w, const u64* addresses, u64 window, u64 bytes, u32* offsets) {
  uint64_t lanes = 0;
  for (int l = 0; l < kLanes; ++l) {
    const u64 offset = addresses[l] - window;
    offsets[l] = static_cast<u32>(offset);
    lanes |= static_cast<uint64_t>(offset < bytes) << l;
  }
  return lanes & w.active;
}

template <class T, bool Store>
const Instr* access_generic(Warp& w, const Instr* i) {
  u64 addresses[kLanes];
  lane_addresses(w, i, addresses);
  const Windows& windows = w.worker->windows;
  u32 offsets[kLanes];
  const uint64_t shared = lanes_in_window(w, addresses, windows.shared, Windows::kClusterBytes, offsets);
  without_own_rank(w, offsets);
  if (shared == w.active) {
    // The lanes that are off hold the address of the first active one.
    return shared_at<T, Store>(w, i, offsets);
  }
  u32 local_offsets[kLanes];
  const uint64_t local = lanes_in_window(w, addresses, windows.local, Windows::kLocalBytes, local_offsets);
  if (local == w.active) {
    for (int l = 0; l < kLanes; ++l) addresses[l] -= windows.local;
    return local_at<T, Store>(w, i, addresses);
  }
  if ((shared | local) == 0) return global_at<T, Store>(w, i, Space::generic, addresses);
  if (shared != 0) {
    const unsigned bytes = sizeof(T) * i->op[3];
    count_in_cluster(w, i->aux, Store ? scratchpad::AccessKind::store : scratchpad::AccessKind::load, bytes, offsets,
                     shared);
  }
  return Store ? store_slowly<T>(w, i, Space::generic, addresses) : load_slowly<T>(w, i, Space::generic, addresses);
}

/// The handler when the space is known only with the operands, and for accesses that may be waiting: `small` names it.
template <class T, bool Store>
const Instr* access(Warp& w, const Instr* i) {
  const Instr* next;
  switch (static_cast<Space>(i->small & MemorySmall::kSpaceMask)) {
    case Space::global:
    case Space::constant: next = access_global<T, Store>(w, i); break;
    case Space::shared: next = access_shared<T, Store>(w, i); break;
    case Space::local: next = access_local<T, Store>(w, i); break;
    case Space::param: next = access_param<T, Store>(w, i); break;
    default: next = access_generic<T, Store>(w, i); break;
  }
  return next != nullptr && i->flags & InstrFlag::kPolls ? polled(w, next) : next;
}

/// ld.param of the kernel's parameters by name, so that all lanes load one value: what most kernels begin with.
template <class T>
const Instr* load_parameter(Warp& w, const Instr* i) {
  const unsigned bytes = sizeof(T) * i->op[3];
  const u64 address = reinterpret_cast<u64>(w.worker->launch->params) + i->imm;
  const bool by_name =
      i->op[0] == OperandRef::kNone && i->small == (static_cast<u8>(Space::param) | MemorySmall::kEntryParam);
  if (!by_name || (address & (bytes - 1)) != 0) return access<T, false>(w, i);
  const Worker::Hit* const hit = allocation_around(w, i, address, false);
  if (hit == nullptr || hit->end - address < bytes) return access<T, false>(w, i);
  for (unsigned e = 0; e < i->op[3]; ++e) {
    T value;
    std::memcpy(&value, reinterpret_cast<const T*>(address) + e, sizeof value);
    put_value(w, value_row(w, i, e), i->op[2], value);
  }
  return i + 1;
}

template <bool Store>
Handler choose(const Match& m) {
  using P = ptx::Type;
  P type = m.type;
  if (type == P::f32) type = P::b32;
  if (type == P::f64) type = P::b64;
  const Space space = m.access.space;
  const bool plain = !m.access.may_poll();
  if (type == P::b128) return m.access.elements != 1 ? nullptr : Store ? &run_wide_store : &run_wide_load;
  return by_type<u8, u16, u32, u64, s8, s16, s32, s64>(type, [&](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    if (plain && (space == Space::global || space == Space::constant)) return &access_global<T, Store>;
    if (plain && space == Space::shared) return &access_shared<T, Store>;
    if constexpr (!Store) {
      if (plain && space == Space::param) return &load_parameter<T>;
    }
    return &access<T, Store>;
  });
}

const Instr* nothing(Warp&, const Instr* i) { return i + 1; }

}  // namespace

// An order and the scope it holds in are written together. Which hints go with what is said in lower_memory.cpp.
#define BANKSHOT_SCOPES(sem) sem ".cta " sem ".cluster " sem ".gpu " sem ".sys "
#define BANKSHOT_ORDERS(sem) \
  "order = weak volatile " BANKSHOT_SCOPES("relaxed") BANKSHOT_SCOPES(sem) "mmio.relaxed.sys; "
#define BANKSHOT_SETS                                                                                    \
  "space = global shared shared::cta shared::cluster local const param param::entry param::func;"        \
  "l1 = L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate;"            \
  "l2 = L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint; pf = L2::64B L2::128B L2::256B;" \
  "vec = v2 v4 v8; type = b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"

void memory_rows(Rows& rows) {
  rows.push_back({"ld{.order}{.space}{.cop}{.l1}{.l2}{.pf}{.vec}.type d, a:addr",
                  BANKSHOT_ORDERS("acquire") "cop = ca cg cs lu cv; " BANKSHOT_SETS, Unit::memory, choose<false>,
                  &lower_load});
  rows.push_back({"ld.global{.cop}.nc{.l1}{.l2}{.pf}{.vec}.type d, a:addr", "cop = ca cg cs; " BANKSHOT_SETS,
                  Unit::memory, choose<false>, &lower_load});
  rows.push_back({"st{.order}{.space}{.cop}{.l1}{.l2}{.vec}.type a:addr, b",
                  BANKSHOT_ORDERS("release") "cop = wb cg cs wt; " BANKSHOT_SETS, Unit::memory, choose<true>,
                  &lower_store});
  rows.push_back({"st.bulk{.weak}{.shared::cta} [a], size:u64, value:imm", "", Unit::memory, always(&run_bulk_fill),
                  &lower_bulk_fill});
  rows.push_back({"ldu{.global}{.vec}.type d, a:addr", BANKSHOT_SETS, Unit::memory, choose<false>, &lower_load});
  rows.push_back({"prefetch{.space}.level a:addr", "space = global local; level = L1 L2", Unit::memory,
                  always(&nothing), &lower_hint});
  rows.push_back({"prefetch{.global}.pr a:addr", "pr = L2::evict_last L2::evict_normal", Unit::memory, always(&nothing),
                  &lower_hint});
  rows.push_back(
      {"prefetch{.space}.tensormap a:addr", "space = const param", Unit::memory, always(&nothing), &lower_hint});
  rows.push_back({"prefetchu.L1 a:addr", "", Unit::memory, always(&nothing), &lower_hint});
  rows.push_back({"discard{.global}.L2 a:addr, size:imm", "", Unit::memory, always(&nothing), &lower_hint});
  rows.push_back(
      {"applypriority{.global}.L2::evict_normal a:addr, size:imm", "", Unit::memory, always(&nothing), &lower_hint});
}

#undef BANKSHOT_SCOPES
#undef BANKSHOT_ORDERS
#undef BANKSHOT_SETS

}  // namespace bankshot::simt::BANKSHOT_ISA

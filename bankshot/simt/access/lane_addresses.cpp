#include "bankshot/simt/access/lane_addresses.hpp"

#include <bit>

#include "bankshot/scratchpad/base/clones.hpp"
#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {

using ptx::Space;

uint64_t executing_lanes(const Warp& w, const Instr* i) {
  if (i->guard == OperandRef::kNone) return w.active;
  const uint64_t holds = w.predicate_value(i->guard);
  return (i->flags & InstrFlag::kGuardNegated ? ~holds : holds) & w.active;
}

/// Of lanes that access shared memory: whose?
static void part_elsewhere(const Warp& w, LaneAddresses& to) {
  for (uint64_t rest = to.shared; rest != 0; rest &= rest - 1) {
    uint64_t& address = to.address[static_cast<size_t>(std::countr_zero(rest))];
    if (!is_elsewhere(*w.cta, address)) {
      address = byte_in_cta(address);
      continue;
    }
    to.shared &= ~(rest & (0 - rest));
    to.elsewhere |= rest & (0 - rest);
  }
}

[[gnu::always_inline]] static inline void sort(const Warp& w, const Instr* i, uint64_t lanes, LaneAddresses& to) {
  const unsigned count = w.worker->program->lanes;
  to.shared = to.local = to.global = to.elsewhere = 0;
  switch (static_cast<Space>(i->small & MemorySmall::kSpaceMask)) {
    case Space::shared: {
      to.shared = lanes;
      uint64_t any = 0;
      for (unsigned lane = 0; lane < count; ++lane) any |= to.address[lane] &= 0xffffffffu;
      if (any >> Windows::kCtaShift != 0) part_elsewhere(w, to);  // else all are in that of the own CTA
      return;
    }
    case Space::local:
      to.local = lanes;
      if (i->op[0] == OperandRef::kNone) {
        for (unsigned lane = 0; lane < count; ++lane) to.address[lane] += w.local_frame;
      }
      return;
    case Space::generic: break;
    default: to.global = lanes; return;
  }
  const Windows& windows = w.worker->windows;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t bit = uint64_t{1} << lane;
    uint64_t& address = to.address[static_cast<size_t>(lane)];
    if (address - windows.shared < Windows::kClusterBytes) {
      address -= windows.shared;
      to.shared |= bit;
    } else if (address - windows.local < Windows::kLocalBytes) {
      address -= windows.local;
      to.local |= bit;
    } else {
      to.global |= bit;
    }
  }
  part_elsewhere(w, to);
}

void sort_by_space(const Warp& w, const Instr* i, uint64_t lanes, LaneAddresses& to) { sort(w, i, lanes, to); }

BANKSHOT_CLONES
void addresses_of(const Warp& w, const Instr* i, uint64_t lanes, LaneAddresses& to) {
  const unsigned count = w.worker->program->lanes;
  if (i->op[0] == OperandRef::kNone) {
    for (unsigned lane = 0; lane < count; ++lane) to.address[lane] = i->imm;
  } else if (!(i->flags & InstrFlag::kWide)) {
    const uint32_t* const base = w.row<const uint32_t>(i->op[0]);
    const auto offset = static_cast<uint32_t>(i->imm);
    for (unsigned lane = 0; lane < count; ++lane) to.address[lane] = base[lane] + offset;
  } else {
    const uint64_t* const base = w.row<const uint64_t>(i->op[0]);
    for (unsigned lane = 0; lane < count; ++lane) to.address[lane] = base[lane] + i->imm;
  }
  sort(w, i, lanes, to);
}

}  // namespace bankshot::simt

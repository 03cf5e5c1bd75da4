// Membermasks of the .sync instructions: which lanes they wait for, and which work together.
//
// Masks have 32 bits, and a row of masks may differ from lane to lane (tiles of a cooperative group execute the same
// instruction, each with its own mask). In warps of more than 32 lanes, masks cover lanes 0 to 31 only, but 0xffffffff
// means the whole warp.
#pragma once

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/warp_sync.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// redux.sync, in warp_redux.cpp.
void redux_rows(Rows& rows);

/// All lanes, active or not, have the same mask: an immediate, or a register that is likely to hold it everywhere.
inline bool is_uniform(const u32* masks, u32 op) {
  if (op >> 30 == OperandRef::kConstant >> 30) return true;
  u32 different = 0;
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) different |= masks[l] ^ masks[0];
  return different == 0;
}

/// All lanes that active lanes name.
inline uint64_t needed_lanes(const Warp& w, u32 op) {
  const u32* const masks = w.row<const u32>(op);
  if (is_uniform(masks, op)) return member_lanes(masks[0]);
  uint64_t need = 0;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) need |= member_lanes(masks[__builtin_ctzll(rest)]);
  return need;
}

/// Calls f(group, lanes) for each set of active lanes that have the same mask: `lanes` get what `group` makes together.
/// They are the same where each lane's mask names it, as it must. A lane that its mask does not name gets what the
/// active lanes make that it does name, as the machine code of sm_75 does it; `group` may be empty then.
/// @param op  the row of masks, kNone for the forms without: then all active lanes are one group
template <class F>
inline void for_groups(const Warp& w, u32 op, F f) {
  if (op == OperandRef::kNone) return f(w.active, w.active);
  const u32* const masks = w.row<const u32>(op);
  if (is_uniform(masks, op)) {
    const uint64_t group = w.active & member_lanes(masks[0]);
    if (group != w.active) rely_on(*w.worker, LeftOpen::unnamed_lane);
    return f(group, w.active);
  }
  for (uint64_t rest = w.active; rest != 0;) {
    const u32 mask = masks[__builtin_ctzll(rest)];
    uint64_t same = 0;
    for (uint64_t other = rest; other != 0; other &= other - 1) {
      const int l = __builtin_ctzll(other);
      same |= static_cast<uint64_t>(masks[l] == mask) << l;
    }
    rest &= ~same;
    const uint64_t named = member_lanes(mask), strangers = same & ~named;
    if ((same & named) != 0) f(same & named, same & named);
    if (strangers == 0) continue;
    rely_on(*w.worker, LeftOpen::unnamed_lane);
    f(w.active & named, strangers);
  }
}

/// A handler that runs Body when the lanes of all active lanes' masks are active too, and else waits for them. Where
/// the mask is kNone (the forms without .sync), the active lanes are enough.
template <SyncBody Body, SyncOperands Operands>
BANKSHOT_LANES_ONLY const Instr* gathered(Warp& w, const Instr* i) {
#if defined(BANKSHOT_LANE_CODE)  // of a whole warp
  Body(w, i);
  return i + 1;
#endif
  if (in_transaction(w)) return refuse_in_transaction(w, i, "an exchange between lanes");
  const u32 mask = i->op[Operands.mask()];
  if (mask != OperandRef::kNone && (needed_lanes(w, mask) & w.alive & ~w.active) != 0) {
    return wait_for_members(w, i, Operands, Body);
  }
  Body(w, i);
  if (w.worker->relied_on != 0) note_relied_on(*w.worker, i);
  return i + 1;
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// From a PTX address to host memory, guarded: bounds, alignment, lifetime, state space.
#pragma once

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// The address that a row of registers and an offset give a lane. @param base  kNone: the offset is all
/// @param wide  the registers have 64 bits
inline uint64_t lane_address(const Warp& w, uint32_t base, uint64_t offset, bool wide, unsigned lane) {
  if (base == OperandRef::kNone) return offset;
  if (wide) return w.row<const uint64_t>(base)[lane] + offset;
  return static_cast<uint32_t>(w.row<const uint32_t>(base)[lane] + static_cast<uint32_t>(offset));
}

/// The address that op[0], imm and kWide give a lane.
inline uint64_t lane_address(const Warp& w, const Instr* i, unsigned lane) {
  return lane_address(w, i->op[0], i->imm, (i->flags & InstrFlag::kWide) != 0, lane);
}

/// Host pointer for the access of one lane, or null after a fault was recorded.
/// @param space    global, shared, local, constant, param or generic (generic addresses are sorted by window)
/// @param address  in that space: shared and local are offsets, the others process addresses
/// @param bytes    size of the access; the address must be a multiple of it (16 at most)
/// Local memory is interleaved word by word: an access of 8 or 16 bytes there is not contiguous, so `local` and generic
/// pointers into the local window must go through load_lane and store_lane instead.
void* lane_pointer(Warp& warp, const Instr* i, ptx::Space space, uint64_t address, unsigned bytes, bool write,
                   unsigned lane);

/// Copies `bytes` of one lane from or to PTX memory. @return false after a fault
bool load_lane(Warp& warp, const Instr* i, ptx::Space space, uint64_t address, unsigned bytes, unsigned lane, void* to);
bool store_lane(Warp& warp, const Instr* i, ptx::Space space, uint64_t address, unsigned bytes, unsigned lane,
                const void* from);

/// The rules of an instruction that may have its own hash. A fault if it has one that is not for a word of the
/// access.
const scratchpad::Rules& rules_of(Warp& warp, uint32_t site, unsigned width, const uint32_t* addresses, uint64_t mask);

/// What the instruction of a site does to shared memory. Static, as count_shared() is.
static inline scratchpad::AccessKind kind_at(const Warp& warp, uint32_t site) {
  return warp.worker->program->sites[site].kind;
}

/// An access wrote to shared memory that products may read as a tile.
void note_writers(Cta& cta, uint32_t site, unsigned width, const uint32_t* addresses, uint64_t mask);

/// Counts one access to the shared memory of a CTA at the instruction's site (Instr::aux), if counting is on. Static,
/// so that who is compiled for some hosts only has a copy of its own.
static inline void count_in_cta(Warp& warp, Cta& cta, uint32_t site, scratchpad::AccessKind kind, unsigned width,
                                const uint32_t* addresses, uint64_t mask) {
  Worker& worker = *warp.worker;
  if (worker.counting && mask != 0) {
    if (cta.writers.followed() && scratchpad::writes(kind)) note_writers(cta, site, width, addresses, mask);
    const scratchpad::Rules& rules =
        worker.hashes.empty() ? *worker.rules : rules_of(warp, site, width, addresses, mask);
    const scratchpad::Cost cost = worker.sites[site].record(rules, kind, width, addresses, mask, warp.cta->linear);
    worker.shared_cost.wavefronts += cost.wavefronts;
    worker.shared_cost.ideal += cost.ideal;
    worker.shared_cost.position += cost.position;
  }
}
/// … to that of the warp's CTA.
static inline void count_shared(Warp& warp, uint32_t site, scratchpad::AccessKind kind, unsigned width,
                                const uint32_t* addresses, uint64_t mask) {
  count_in_cta(warp, *warp.cta, site, kind, width, addresses, mask);
}

/// The same for offsets in the shared window: an access to the memory of several CTAs is one to that of each.
void count_in_cluster(Warp& warp, uint32_t site, scratchpad::AccessKind kind, unsigned width, const uint32_t* offsets,
                      uint64_t mask);

}  // namespace bankshot::simt

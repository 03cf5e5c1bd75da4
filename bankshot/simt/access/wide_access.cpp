#include "bankshot/simt/access/wide_access.hpp"

#include <array>
#include <bit>

#include "bankshot/simt/access/access.hpp"

namespace bankshot::simt {
namespace {

const Instr* run(Warp& w, const Instr* i, bool store) {
  const auto space = static_cast<ptx::Space>(i->small & MemorySmall::kSpaceMask);
  const uint64_t frame = space == ptx::Space::local && i->op[0] == OperandRef::kNone ? w.local_frame : 0;
  std::array<uint32_t, 64> offsets{};
  std::array<std::byte, kWideBytes> unused;
  uint64_t in_shared = 0;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t address = lane_address(w, i, lane) + frame;
    std::byte* const value =
        i->op[1] == OperandRef::kNone ? unused.data() : w.row<std::byte>(i->op[1]) + size_t{lane} * kWideBytes;
    if (const int64_t offset = shared_offset(w, space, address); offset >= 0) {
      offsets[lane] = static_cast<uint32_t>(offset);
      in_shared |= uint64_t{1} << lane;
    }
    const bool fine = store ? store_lane(w, i, space, address, kWideBytes, lane, value)
                            : load_lane(w, i, space, address, kWideBytes, lane, value);
    if (!fine) return nullptr;
  }
  using scratchpad::AccessKind;
  if (in_shared != 0)
    count_in_cluster(w, i->aux, store ? AccessKind::store : AccessKind::load, kWideBytes, offsets.data(), in_shared);
  return i->flags & InstrFlag::kPolls ? polled(w, i + 1) : i + 1;
}

}  // namespace

const Instr* run_wide_load(Warp& w, const Instr* i) { return run(w, i, false); }
const Instr* run_wide_store(Warp& w, const Instr* i) { return run(w, i, true); }

}  // namespace bankshot::simt

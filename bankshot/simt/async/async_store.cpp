#include "bankshot/simt/async/async_store.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/bulk.hpp"
#include "bankshot/simt/access/reduce.hpp"
#include "bankshot/simt/async/bulk_targets.hpp"
#include "bankshot/simt/async/mbarrier.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/state/checker.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {
namespace {

using ptx::Space;

/// f(lane, offset in the shared window, that of the barrier, bytes, the lane's value) for the lanes that execute, and
/// their barriers learn of its bytes.
template <class F>
const Instr* for_stores(Warp& w, const Instr* i, scratchpad::AccessKind kind, F f) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "an asynchronous store");
  const std::vector<uint32_t>& rows = w.worker->program->lists[i->op[1]];
  const AddressRef& barrier = w.worker->program->copies[i->op[5]].barrier;
  const uint32_t width = i->op[2], bytes = width * static_cast<uint32_t>(rows.size());
  std::array<uint32_t, 64> offsets{};
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t address = lane_address(w, i, lane);
    const int64_t to = shared_offset(w, static_cast<Space>(i->small), address);
    if (to < 0) {
      return fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address,
                   "an asynchronous store is to shared memory of the cluster");
    }
    offsets[lane] = static_cast<uint32_t>(to);
    const int64_t word = shared_offset(w, barrier.space, address_of(w, barrier, lane));
    if (word < 0) {
      return fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address_of(w, barrier, lane),
                   "an mbarrier must be in shared memory of the cluster");
    }
    alignas(16) std::array<std::byte, 32> value;
    for (size_t k = 0; k < rows.size(); ++k)
      std::memcpy(value.data() + k * width, w.row<const std::byte>(rows[k]) + size_t{lane} * width, width);
    if (!f(lane, static_cast<uint64_t>(to), static_cast<uint64_t>(word), bytes, value.data())) return nullptr;
    if (!complete_bytes_at(w, i, static_cast<uint64_t>(word), bytes, lane)) return nullptr;
  }
  count_in_cluster(w, i->aux, kind, bytes, offsets.data(), w.active);
  return after_phase(w, i + 1);
}

}  // namespace

const Instr* run_async_store(Warp& w, const Instr* i) {
  return for_stores(w, i, scratchpad::AccessKind::store,
                    [&](unsigned lane, uint64_t to, uint64_t barrier, uint32_t bytes, const std::byte* value) {
                      if (Checker* const checks = w.worker->checks)
                        checks->copies_bulk(w, i, lane, to, bytes, true, static_cast<int64_t>(barrier));
                      return store_lane(w, i, Space::shared, to, bytes, lane, value);
                    });
}

const Instr* run_async_reduce(Warp& w, const Instr* i) {
  return for_stores(w, i, scratchpad::AccessKind::atomic,
                    [&](unsigned lane, uint64_t to, uint64_t barrier, uint32_t bytes, const std::byte* value) {
                      void* const target = lane_pointer(w, i, Space::shared, to, bytes, true, lane);
                      if (target == nullptr) return false;
                      if (Checker* const checks = w.worker->checks)
                        checks->reduces_async(w, i, lane, to, bytes, barrier);
                      reduce(static_cast<Reduction>(i->op[3]), static_cast<ptx::Type>(i->op[4]),
                             static_cast<std::byte*>(target), value);
                      return true;
                    });
}

}  // namespace bankshot::simt

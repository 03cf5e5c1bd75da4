#include "bankshot/simt/async/bulk_targets.hpp"

#include <bit>
#include <utility>

#include "bankshot/simt/async/mbarrier.hpp"

namespace bankshot::simt {

BulkTargets bulk_targets(const Warp& w, const CopyInfo& copy, unsigned lane, uint64_t to, uint64_t barrier) {
  BulkTargets targets;
  if (copy.ctas == OperandRef::kNone) {
    targets.places[targets.count++] = {to, barrier};
    return targets;
  }
  give_rank(*w.cta);
  for (uint32_t rest = w.row<const uint16_t>(copy.ctas)[lane]; rest != 0; rest &= rest - 1) {
    const uint64_t cta = (static_cast<uint64_t>(std::countr_zero(rest)) + 1) << Windows::kCtaShift;
    targets.places[targets.count++] = {cta | byte_in_cta(to), cta | byte_in_cta(barrier)};
  }
  return targets;
}

bool bulk_arrives(Warp& w, const Instr* i, const BulkTargets& targets, BulkArrival arrival, unsigned lane) {
  if (w.worker->sm >= 0) {
    for (unsigned k = 0; k < targets.count; ++k) arrival.barriers.push_back(targets.places[k].barrier);
    w.worker->bulk.push_back(std::move(arrival));
    return true;
  }
  for (unsigned k = 0; k < targets.count; ++k) {
    if (!complete_bytes_at(w, i, targets.places[k].barrier, arrival.bytes, lane)) return false;
  }
  return true;
}

void bulk_leaves(Warp& w, BulkArrival store) {
  if (w.worker->sm >= 0) w.worker->bulk.push_back(std::move(store));
}

}  // namespace bankshot::simt

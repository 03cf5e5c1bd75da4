#include "bankshot/simt/async/bulk_targets.hpp"

#include <bit>
#include <utility>

#include "bankshot/simt/async/mbarrier.hpp"

namespace bankshot::simt {

namespace {

/// .cta_group::2: which barrier learns of the bytes that go to the CTA of a rank. By its address programs choose one of
/// the even CTAs, or of the odd ones.
uint64_t barrier_of_pair(const Cta& cta, uint64_t barrier, uint64_t rank) {
  return in_rank((rank & ~uint64_t{1}) | (rank_at(cta, barrier) & 1), barrier);
}

}  // namespace

BulkTargets bulk_targets(const Warp& w, const CopyInfo& copy, unsigned lane, uint64_t to, uint64_t barrier) {
  BulkTargets targets;
  if (copy.ctas == OperandRef::kNone) {
    if (copy.to_pair) {
      give_rank(*w.cta);
      barrier = barrier_of_pair(*w.cta, barrier, rank_at(*w.cta, to));
    }
    targets.places[targets.count++] = {to, barrier};
    return targets;
  }
  give_rank(*w.cta);
  for (uint32_t rest = w.row<const uint16_t>(copy.ctas)[lane]; rest != 0; rest &= rest - 1) {
    const auto rank = static_cast<uint64_t>(std::countr_zero(rest));
    targets.places[targets.count++] = {in_rank(rank, to),
                                       copy.to_pair ? barrier_of_pair(*w.cta, barrier, rank) : in_rank(rank, barrier)};
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

#include "bankshot/simt/run/resident.hpp"

#include <algorithm>

#include "bankshot/simt/control/cluster.hpp"

namespace bankshot::simt {

Residents::Residents(Worker& worker, SlotPool& slots)
    : worker_(worker), size_(cluster_size(*worker.launch->config)), ended_(size_) {
  for (size_t rank = 0; rank < size_; ++rank) {
    slots_.push_back(&slots.take());
    slots_.back()->prepare(worker);
  }
}

void Residents::start(uint64_t cluster) {
  std::fill(ended_.begin(), ended_.end(), false);
  if (size_ == 1) return slots_[0]->start(cluster);
  const auto together = std::make_shared<Cluster>();
  together->ctas.resize(size_);
  for (uint32_t rank = 0; rank < size_; ++rank)
    slots_[rank]->start(cta_in_cluster(*worker_.launch, cluster, rank), together);
}

CtaSlot::Turn Residents::turn(const std::atomic<bool>* stop) {
  using Turn = CtaSlot::Turn;
  CtaSlot* blocked = nullptr;
  bool any_went_on = false, all_ended = true;
  for (size_t rank = 0; rank < size_; ++rank) {
    if (ended_[rank]) continue;
    const Turn turn = slots_[rank]->turn(stop);
    if (turn == Turn::faulted) return turn;
    ended_[rank] = turn == Turn::done;
    all_ended &= ended_[rank];
    any_went_on |= turn != Turn::blocked;
    if (turn == Turn::blocked && blocked == nullptr) blocked = slots_[rank];
  }
  if (all_ended) return Turn::done;
  if (any_went_on || blocked->release_or_fault()) return Turn::waiting;
  return Turn::faulted;
}

}  // namespace bankshot::simt

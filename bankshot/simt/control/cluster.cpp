#include "bankshot/simt/control/cluster.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/paths.hpp"
#include "bankshot/simt/state/checker.hpp"

namespace bankshot::simt {
namespace {

using State = Path::State;

Dim3 at(uint64_t linear, const Dim3& of) {
  return {static_cast<uint32_t>(linear % of.x), static_cast<uint32_t>(linear / of.x % of.y),
          static_cast<uint32_t>(linear / of.x / of.y)};
}

uint64_t linear(const Dim3& at, const Dim3& of) { return at.x + uint64_t{of.x} * (at.y + uint64_t{of.y} * at.z); }

}  // namespace

uint64_t cta_in_cluster(const Launch& launch, uint64_t cluster, uint32_t rank) {
  const Dim3 size = launch.config->cluster, first = at(cluster, launch.clusters), place = at(rank, size);
  return linear({first.x * size.x + place.x, first.y * size.y + place.y, first.z * size.z + place.z},
                launch.config->grid);
}

InCluster in_cluster(const Launch& launch, const Dim3& cta) {
  const Dim3 size = launch.config->cluster;
  InCluster in;
  in.cluster = {cta.x / size.x, cta.y / size.y, cta.z / size.z};
  in.place = {cta.x % size.x, cta.y % size.y, cta.z % size.z};
  in.linear = linear(in.cluster, launch.clusters);
  in.rank = static_cast<uint32_t>(linear(in.place, size));
  return in;
}

bool check_cluster(Cluster& cluster) {
  if (!cluster.arrived) return false;  // at the end of every thread: it must cost nothing
  bool any = false;
  for (const Cta* cta : cluster.ctas) {
    if (cta == nullptr) continue;
    for (const Warp& w : cta->warps) {
      if ((w.alive & ~w.cluster_arrived) != 0) return false;
      any |= w.cluster_arrived != 0;
    }
  }
  if (!any) return false;
  ++cluster.phases;
  bool told = false;
  cluster.arrived = false;
  for (Cta* cta : cluster.ctas) {
    if (cta == nullptr) continue;
    Checker* const checks = cta->warps[0].worker->checks;
    if (checks != nullptr && !std::exchange(told, true)) checks->cluster_completes(*cta, *cta->warps[0].worker);
    for (Warp& w : cta->warps) {
      w.cluster_arrived = 0;
      bool waited = false;
      for (Path& path : w.paths) {
        if (path.state != State::at_cluster_barrier) continue;
        path.state = State::ready;
        if (checks != nullptr) checks->passes_cluster(w, path.mask);
        waited = true;
      }
      if (waited) reunite(w);
    }
  }
  return true;
}

void cluster_changed(Cta& cta) {
  // What a timing model runs on several SMs is looked at between quanta, when none of them runs.
  const bool later = cta.cluster->ctas.size() > 1 && cta.warps[0].worker->sm >= 0;
  if (later) {
    cta.cluster_news = true;
  } else {
    check_cluster(*cta.cluster);
  }
}

const Instr* run_cluster_arrive(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "a barrier");
  if (const uint64_t again = w.cluster_arrived & w.active; again != 0) {
    return fault(
        w, i, Fault::Kind::bad_barrier, std::countr_zero(again), 0,
        "a thread arrives at the barrier of its cluster before it has waited for the phase of its previous arrival");
  }
  account(w, i, i + 1);
  w.cluster_arrived |= w.active;
  std::atomic_ref(w.cta->cluster->arrived).store(true, std::memory_order_relaxed);
  if (w.worker->checks != nullptr) w.worker->checks->arrives_in_cluster(w);
  cluster_changed(*w.cta);
  return i + 1;
}

const Instr* run_cluster_wait(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "a barrier");
  // As many phases as a lane has waited for are over, or one more: the one that it waits for now.
  const uint64_t odd = (w.cta->cluster->phases & 1) != 0 ? ~uint64_t{0} : 0;
  const uint64_t waiting = w.active & ~(odd ^ w.cluster_odd);
  if (const uint64_t never = waiting & ~w.cluster_arrived; never != 0) {
    return fault(w, i, Fault::Kind::bad_barrier, std::countr_zero(never), 0,
                 "a thread waits at the barrier of its cluster without having arrived there");
  }
  account(w, i, i + 1);
  w.cluster_odd ^= w.active;
  if (w.worker->checks != nullptr) w.worker->checks->passes_cluster(w, w.active & ~waiting);
  if (waiting == 0) return i + 1;
  Path& path = w.paths[static_cast<size_t>(w.current)];
  path.pc = i + 1;
  path.state = State::at_cluster_barrier;
  return next_path(w);
}

namespace {

/// The offset in the shared window of a lane's address; -1 after a fault.
template <class Address>
int64_t offset_of(Warp& w, const Instr* i, unsigned lane) {
  const auto address = static_cast<uint64_t>(w.row<const Address>(i->op[1])[lane]);
  const int64_t offset = shared_offset(w, static_cast<ptx::Space>(i->small), address);
  if (offset < 0) {
    fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address,
          "this is not an address of shared memory");
  }
  return offset;
}

}  // namespace

template <class Address>
const Instr* run_map_to_cta(Warp& w, const Instr* i) {
  const uint64_t window = static_cast<ptx::Space>(i->small) == ptx::Space::shared ? 0 : w.worker->windows.shared;
  const uint32_t* const ranks = w.row<const uint32_t>(i->op[2]);
  const size_t size = w.cta->cluster->ctas.size();
  give_rank(*w.cta);
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const int64_t offset = offset_of<Address>(w, i, lane);
    if (offset < 0) return nullptr;
    const uint32_t rank = ranks[lane];
    if (rank >= size) {
      return fault(
          w, i, Fault::Kind::illegal_address, static_cast<int>(lane), rank,
          "rank " + std::to_string(rank) + " in a cluster of " + std::to_string(size) + (size == 1 ? " CTA" : " CTAs"));
    }
    const uint64_t there = in_rank(rank, static_cast<uint64_t>(offset));
    w.row<Address>(i->op[0])[lane] = static_cast<Address>(window + there);
  }
  return i + 1;
}

template <class Address>
const Instr* run_rank_of(Warp& w, const Instr* i) {
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const int64_t offset = offset_of<Address>(w, i, lane);
    if (offset < 0) return nullptr;
    w.row<uint32_t>(i->op[0])[lane] = static_cast<uint32_t>(rank_at(*w.cta, static_cast<uint64_t>(offset)));
  }
  return i + 1;
}

template const Instr* run_map_to_cta<uint32_t>(Warp&, const Instr*);
template const Instr* run_map_to_cta<uint64_t>(Warp&, const Instr*);
template const Instr* run_rank_of<uint32_t>(Warp&, const Instr*);
template const Instr* run_rank_of<uint64_t>(Warp&, const Instr*);

}  // namespace bankshot::simt

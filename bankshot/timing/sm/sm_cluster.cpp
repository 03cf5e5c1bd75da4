// What CTAs on different SMs do with each other. An SM that advances touches nothing of another one: what reaches
// another CTA's shared memory takes effect at the end of the quantum, as atomics on global memory do, and so does the
// barrier of a cluster.
#include <algorithm>

#include "bankshot/timing/sm/sm.hpp"

namespace bankshot::timing {

/// An instruction that reaches another CTA is carried out later. What it loads crosses the interconnect twice.
void Sm::cross(Issue& issue) {
  const Operation& operation = *issue.operation;
  bool crosses = operation.is_access() && addresses_.elsewhere != 0;
  if (operation.crosses && !crosses) {
    const uint64_t lanes = simt::executing_lanes(*issue.warp, issue.instr);
    crosses = simt::reaches_elsewhere(*issue.warp, issue.instr, lanes);
  }
  if (operation.pair && operation.is_tensor_work()) crosses = simt::executing_lanes(*issue.warp, issue.instr) != 0;
  if (!crosses) return;
  issue.deferred = true;
  if (operation.writes == 0 || issue.ready == kNever) return;
  issue.ready = std::max(issue.ready, issue.now + 2 * config_.interconnect.latency + config_.scratchpad.latency);
  issue.why = Cause::memory;
}

void Sm::send_late_bulks(Cycle now) {
  for (LateBulk& late : late_bulks_) {
    worker_->bulk = std::move(late.arrivals);
    send_bulks(late.slot, late.instr, now);
  }
  late_bulks_.clear();
}

bool Sm::tell_others(const Pending& access) {
  simt::Warp& warp = *access.access.warp;
  return std::all_of(access.arrival.barriers.begin(), access.arrival.barriers.end(),
                     [&](uint64_t barrier) { return arrive(access.arrival, warp, access.access.instr, barrier); });
}

void Sm::cluster_news(std::vector<std::shared_ptr<simt::Cluster>>& clusters) {
  for (unsigned place = 0; place < launch_.ctas_per_sm; ++place) {
    simt::Cta& cta = ctas_[place].cta();
    if (!cta.cluster_news) continue;
    cta.cluster_news = false;
    if (std::find(clusters.begin(), clusters.end(), cta.cluster) == clusters.end()) clusters.push_back(cta.cluster);
  }
}

void Sm::cluster_goes_on(const simt::Cluster& cluster, Cycle at) {
  for (unsigned place = 0; place < launch_.ctas_per_sm; ++place) {
    if ((free_slots_ >> place & 1) != 0 || ctas_[place].cta().cluster.get() != &cluster) continue;
    wake_cta(place * launch_.warps_per_cta, at, Cause::barrier);
  }
}

bool Sm::release_blocked(Cycle now) {
  bool any = false;
  for (unsigned place = 0; place < launch_.ctas_per_sm; ++place) {
    if ((free_slots_ >> place & 1) != 0 || !ctas_[place].release()) continue;
    wake_cta(place * launch_.warps_per_cta, now, Cause::barrier);
    any = true;
  }
  return any;
}

}  // namespace bankshot::timing

// Which CTA starts where and when, and which only run.
#include <algorithm>
#include <numeric>

#include "bankshot/timing/chip/chip_state.hpp"

namespace bankshot::timing {

/// The CTAs of a cluster start together, each on the SM that has room for most; of several on the first.
void Chip::State::dispatch_clusters(Cycle at) {
  const auto all_room = [&] {
    return std::accumulate(sms.begin(), sms.end(), uint64_t{0},
                           [](uint64_t sum, const Sm& sm) { return sum + sm.room(); });
  };
  while (next_cta < ctas && all_room() >= cluster) {
    const auto together = std::make_shared<simt::Cluster>();
    together->ctas.resize(cluster);
    for (uint32_t rank = 0; rank < cluster; ++rank) {
      Sm& sm = *std::max_element(sms.begin(), sms.end(), [](const Sm& a, const Sm& b) { return a.room() < b.room(); });
      sm.start_cta(simt::cta_in_cluster(*launch, next_cta / cluster, rank), at, together);
    }
    next_cta += cluster;
  }
}

/// Barriers of clusters on several SMs.
void Chip::State::check_clusters() {
  std::vector<std::shared_ptr<simt::Cluster>> clusters;
  for (Sm& sm : sms) sm.cluster_news(clusters);
  for (const auto& one : clusters) {
    if (!simt::check_cluster(*one)) continue;
    for (Sm& sm : sms) sm.cluster_goes_on(*one, quantum_end);
  }
}

/// Whether the launch has asked the second-level cache for as much as it holds.
bool Chip::State::l2_is_settled() const {
  uint64_t sectors = 0;
  for (const Memory& memory : memories) {
    const Counters& counters = memory.partition.counters();
    sectors += counters.l2_reads + counters.l2_writes;
  }
  return sectors * config.l1.sector_bytes >= config.l2_bytes;
}

/// Whether the next CTA, for which there is room, starts: not if it is left out.
bool Chip::State::starts_next() {
  if (next_cta == plan.mark()) {
    const uint64_t to = plan.at_mark(quantum_end, warp_instructions(), l2_is_settled());
    if (to != next_cta) skip_to = to;
  }
  return next_cta >= skip_to;
}

/// A CTA to each SM in turn, as long as there is room.
void Chip::State::dispatch(Cycle at) {
  if (cluster > 1) return dispatch_clusters(at);
  for (bool any = true; any && next_cta < ctas;) {
    any = false;
    for (Sm& sm : sms) {
      if (next_cta == ctas) break;
      if (!sm.has_room()) continue;
      if (!starts_next()) return;
      sm.start_cta(next_cta++, at);
      any = true;
    }
  }
}

/// CTAs that the plan leaves out run functionally; CTAs that are resident do not see it. @return false if the launch
/// ends
bool Chip::State::skip(simt::ClusterRunner& runner) {
  if (next_cta >= skip_to) return false;
  const auto instructions = [&] {
    uint64_t sum = 0;
    for (const simt::Worker& worker : runner.workers()) sum += worker.warp_instructions;
    return sum;
  };
  for (bool on = true; on && next_cta < skip_to;) {
    const uint64_t end = std::min(skip_to, next_cta + plan.wave()), before = instructions();
    if ((fault = runner.run(next_cta, end, outputs)) != nullptr) return false;
    on = plan.wave_ran(end - next_cta, instructions() - before);
    skipped += end - next_cta;
    next_cta = end;
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) break;
    tell(false);
  }
  skip_to = 0;
  plan.resume(next_cta);
  dispatch(quantum_end);
  return go_on();
}

}  // namespace bankshot::timing

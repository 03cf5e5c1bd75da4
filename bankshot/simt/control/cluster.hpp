// Clusters of CTAs: they are resident together, see each other's shared memory and have a barrier. Source: PTX ISA 9.0,
// sections 2.2.2 (clusters), 9.7.13.4 (barrier.cluster) and 9.7.9.23 (mapa).
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/simt/state/instr.hpp"
#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {

struct Cluster {
  std::vector<Cta*> ctas;   ///< by rank; null: it has ended
  uint64_t phases = 0;      ///< of its barrier, that are over
  bool gave_ranks = false;  ///< of one CTA: an address that names it by rank was made, which else none does
  /// A lane has, at the barrier, since the last phase was over. In a timing model host threads may say so at the same
  /// time.
  bool arrived = false;
};

/// CTAs of a cluster of this launch.
inline uint32_t cluster_size(const LaunchConfig& config) { return static_cast<uint32_t>(config.cluster.count()); }
/// The CTA, counted in the grid, of a rank in a cluster, counted among those of the grid; both with x fastest.
uint64_t cta_in_cluster(const Launch& launch, uint64_t cluster, uint32_t rank);
/// The cluster of a CTA, and its place there.
struct InCluster {
  Dim3 cluster, place;
  uint64_t linear = 0;  ///< of the cluster
  uint32_t rank = 0;
};
InCluster in_cluster(const Launch& launch, const Dim3& cta);

/// Whether the upper part of an offset in the shared window may be a rank. Where a CTA is alone and has not asked for
/// such an address, as most programs never do, it is an index that is too large.
inline bool has_ranks(const Cta& cta) { return cta.cluster->ctas.size() > 1 || cta.cluster->gave_ranks; }
/// An address that names a CTA of the cluster by rank is made.
inline void give_rank(const Cta& cta) {
  if (cta.cluster->ctas.size() == 1) cta.cluster->gave_ranks = true;  // CTAs of larger ones may be on several threads
}
/// Whether an offset in the shared window is not in the CTA's own memory.
inline bool is_elsewhere(const Cta& cta, uint64_t offset) {
  const uint64_t tag = offset >> Windows::kCtaShift;
  return tag != 0 && (tag != cta.rank + 1 || !has_ranks(cta));
}
/// The CTA whose memory an offset in the shared window lies in; null if the cluster has none there any more, or never
/// had.
inline Cta* cta_at(Cta& cta, uint64_t offset) {
  if (!is_elsewhere(cta, offset)) return &cta;
  const uint64_t tag = offset >> Windows::kCtaShift;
  return has_ranks(cta) && tag <= cta.cluster->ctas.size() ? cta.cluster->ctas[tag - 1] : nullptr;
}
/// The byte in the memory of the CTA that it lies in.
inline uint64_t byte_in_cta(uint64_t offset) { return offset & (Windows::kSharedBytes - 1); }

/// Ends the phase of the barrier if all lanes that live have arrived. @return whether it did; who waited can go on
bool check_cluster(Cluster& cluster);
/// Lanes of the CTA have arrived or ended. A timing model checks at a time of its own: Cta::cluster_news.
void cluster_changed(Cta& cta);

const Instr* run_cluster_arrive(Warp& w, const Instr* i);
const Instr* run_cluster_wait(Warp& w, const Instr* i);
/// op[0]: destination, op[1]: address, op[2]: row of ranks; small: Space of the address
template <class Address>
const Instr* run_map_to_cta(Warp& w, const Instr* i);
/// op[0]: destination of 32 bits, op[1]: address; small: Space of the address
template <class Address>
const Instr* run_rank_of(Warp& w, const Instr* i);

}  // namespace bankshot::simt

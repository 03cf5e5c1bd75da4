// Clusters of CTAs: they are resident together, see each other's shared memory and have a barrier. Source: PTX ISA 9.0,
// sections 2.2.2 (clusters), 9.7.13.4 (barrier.cluster) and 9.7.9.23 (mapa).
#pragma once

#include <cstdint>

#include "bankshot/simt/state/instr.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

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

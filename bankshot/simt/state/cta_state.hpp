// The state of a running CTA and of the cluster that it is in.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bankshot/scratchpad/transactions/shared_transactions.hpp"
#include "bankshot/simt/state/fault.hpp"
#include "bankshot/simt/state/warp.hpp"
#include "bankshot/simt/tensor_memory/tensor_memory.hpp"
#include "bankshot/simt/tiles/tile_reads.hpp"

namespace bankshot::simt {

struct Cluster;
struct CtaChecks;

struct Barrier {
  uint32_t arrived = 0;   ///< threads
  uint32_t expected = 0;  ///< 0: all threads of the CTA
  uint32_t waiting = 0;   ///< paths that block
  uint64_t red_and = 1, red_or = 0, red_count = 0;
};

/// Shared memory is made in such units. The bytes behind shared_bytes are 0.
constexpr uint32_t kSharedUnit = 16;

struct Cta {
  uint64_t linear = 0;
  Dim3 index;
  std::byte* shared = nullptr;
  uint32_t shared_bytes = 0;
  uint32_t own_window = 0;  ///< what addresses of its variables begin with: 0, or its rank in a cluster of several
  uint32_t threads = 0;     ///< at start
  uint32_t exited = 0;
  uint32_t live_warps = 0;
  bool faulted = false;
  uint64_t clock_base = 0;  ///< Worker::warp_instructions at time 0
  Barrier barriers[16];
  uint32_t barriers_in_use = 0;  ///< bit n: a warp has arrived at barrier n; all others are as at the start
  std::vector<Warp> warps;
  std::string output;                                            ///< of vprintf
  std::unique_ptr<scratchpad::SharedTransactions> transactions;  ///< made by the first
  bool has_transactions = false;                                 ///< it was started for this CTA
  std::shared_ptr<Cluster> cluster;                              ///< cluster.hpp; of one CTA where the launch has none
  uint32_t rank = 0;                                             ///< in it
  bool cluster_news = false;    ///< lanes have arrived at the barrier of the cluster, or ended: for a timing model
  const Warp* alone = nullptr;  ///< no other one may be in a transaction
  std::unique_ptr<TensorMemory> tensor_memory;  ///< made by the first tcgen05.alloc
  TileWriters writers;                          ///< of its shared memory, where the worker has `tiles`
  std::shared_ptr<CtaChecks> checks;            ///< what Checks knows of it
};

/// CTAs that are resident together and see each other's shared memory: control/cluster.hpp.
struct Cluster {
  std::vector<Cta*> ctas;   ///< by rank; null: it has ended
  uint64_t phases = 0;      ///< of its barrier, that are over
  bool gave_ranks = false;  ///< of one CTA: an address that names it by rank was made, which else none does
  /// A lane has, at the barrier, since the last phase was over. In a timing model host threads may say so at the same
  /// time.
  bool arrived = false;
};

/// Whether the upper part of an offset in the shared window may be a rank. Where a CTA is alone and has not asked for
/// such an address, as most programs never do, it is an index that is too large.
inline bool has_ranks(const Cta& cta) { return cta.cluster->ctas.size() > 1 || cta.cluster->gave_ranks; }
/// Notes that an address that names a CTA of the cluster by rank was created.
inline void give_rank(const Cta& cta) {
  if (cta.cluster->ctas.size() == 1) cta.cluster->gave_ranks = true;  // CTAs of larger ones may be on several threads
}
/// The byte in the memory of the CTA that an offset in the shared window lies in.
inline uint64_t byte_in_cta(uint64_t offset) { return offset & (Windows::kSharedBytes - 1); }
/// The same byte of the CTA of a rank.
inline uint64_t in_rank(uint64_t rank, uint64_t offset) {
  return (Windows::kMostCtas + rank) << Windows::kCtaShift | byte_in_cta(offset);
}
/// The rank that an offset names; no possible one if it names none.
inline uint64_t rank_at(const Cta& cta, uint64_t offset) {
  const uint64_t tag = offset >> Windows::kCtaShift;
  return tag == 0 ? cta.rank : tag - Windows::kMostCtas;
}
/// Whether an offset in the shared window is not in the CTA's own memory.
inline bool is_elsewhere(const Cta& cta, uint64_t offset) {
  return offset >> Windows::kCtaShift != 0 && (rank_at(cta, offset) != cta.rank || !has_ranks(cta));
}
/// The CTA whose memory contains an offset in the shared window; null if the cluster has no such CTA, or it has ended.
inline Cta* cta_at(Cta& cta, uint64_t offset) {
  if (!is_elsewhere(cta, offset)) return &cta;
  const uint64_t rank = rank_at(cta, offset);
  return has_ranks(cta) && rank < cta.cluster->ctas.size() ? cta.cluster->ctas[rank] : nullptr;
}

}  // namespace bankshot::simt

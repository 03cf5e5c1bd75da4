#include "bankshot/accuracy/families/families.hpp"

#include <array>

namespace bankshot::accuracy {

std::span<const Family> families() {
  static constexpr std::array kAll = {
      Family{"latency", "pointer chases through L1, L2 and DRAM", plan_latency},
      Family{"l1-strides", "loads that hit L1, by stride", plan_l1_strides},
      Family{"shared", "loads of shared memory, by their conflicts", plan_shared},
      Family{"sm-bandwidth", "bandwidth of shared memory and L1, one SM", plan_sm_bandwidth},
      Family{"cache-bandwidth", "bandwidth of L1 and L2, all SMs", plan_cache_bandwidth},
      Family{"dram", "streams through DRAM", plan_dram},
      Family{"instructions", "latency and throughput of arithmetic", plan_instructions},
      Family{"barriers", "bar.sync, by number of warps", plan_barriers},
      Family{"atomics", "atomics on shared and global memory", plan_atomics},
      Family{"warp", "shuffles, votes, ldmatrix", plan_warp},
      Family{"tensor", "products of matrices", plan_tensor},
      Family{"issue", "when memory instructions issue", plan_issue},
  };
  return kAll;
}

std::optional<std::pair<const Family*, Plan>> plan_of(const Row& row) {
  for (const Family& family : families()) {
    if (auto plan = family.plan(row)) return std::pair(&family, std::move(*plan));
  }
  return std::nullopt;
}

}  // namespace bankshot::accuracy

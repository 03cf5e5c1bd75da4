#include "bankshot/simt/run/special_values.hpp"

#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/reserved_shared.hpp"

namespace bankshot::simt {
namespace {

using Place = const SpecialPlace&;

const Dim3& block(Place p) { return p.worker.launch->config->block; }
uint32_t thread(Place p, uint32_t lane) { return p.warp * p.worker.warp_size + lane; }
uint32_t own_bytes(Place p) { return own_shared(*p.worker.launch->kernel, *p.worker.launch->config); }
uint64_t bit_of(uint32_t lane) { return uint64_t{1} << lane; }

struct Special {
  std::string_view name;  ///< one that ends with a dot stands for those of all axes
  SpecialValue value;
};

constexpr Special kSpecials[] = {
    {"%tid.x", [](Place p, uint32_t lane) -> uint64_t { return thread(p, lane) % block(p).x; }},
    {"%tid.y", [](Place p, uint32_t lane) -> uint64_t { return thread(p, lane) / block(p).x % block(p).y; }},
    {"%tid.z", [](Place p, uint32_t lane) -> uint64_t { return thread(p, lane) / block(p).x / block(p).y; }},
    {"%ntid.", [](Place p, uint32_t) -> uint64_t { return along(block(p), p.name.back()); }},
    {"%nctaid.", [](Place p, uint32_t) -> uint64_t { return along(p.worker.launch->config->grid, p.name.back()); }},
    {"%nclusterid.", [](Place p, uint32_t) -> uint64_t { return along(p.worker.launch->clusters, p.name.back()); }},
    {"%laneid", [](Place, uint32_t lane) -> uint64_t { return lane; }},
    {"%warpid", [](Place p, uint32_t) -> uint64_t { return p.warp; }},
    {"%nwarpid", [](Place p, uint32_t) -> uint64_t { return p.cta.warps.size(); }},
    {"%nsmid", [](Place p, uint32_t) -> uint64_t { return p.worker.sms; }},
    {"%lanemask_eq", [](Place, uint32_t lane) -> uint64_t { return bit_of(lane); }},
    {"%lanemask_le", [](Place, uint32_t lane) -> uint64_t { return 2 * bit_of(lane) - 1; }},
    {"%lanemask_lt", [](Place, uint32_t lane) -> uint64_t { return bit_of(lane) - 1; }},
    {"%lanemask_ge", [](Place, uint32_t lane) -> uint64_t { return ~(bit_of(lane) - 1); }},
    {"%lanemask_gt", [](Place, uint32_t lane) -> uint64_t { return ~(2 * bit_of(lane) - 1); }},
    {kOwnDynamicShared, [](Place p, uint32_t) -> uint64_t { return p.worker.launch->kernel->dynamic_base; }},
    {"%envreg1", [](Place p, uint32_t) -> uint64_t { return p.worker.launch->grid_workspace >> 32; }},
    {"%envreg2", [](Place p, uint32_t) -> uint64_t { return p.worker.launch->grid_workspace & 0xffffffff; }},
    {"%dynamic_smem_size", [](Place p, uint32_t) -> uint64_t { return p.worker.launch->config->dynamic_shared; }},
    {"%total_smem_size", [](Place p, uint32_t) -> uint64_t { return own_bytes(p); }},
    {"%aggr_smem_size", [](Place p, uint32_t) -> uint64_t { return p.cta.shared_bytes; }},
    {"%cluster_nctaid.",
     [](Place p, uint32_t) -> uint64_t { return along(p.worker.launch->config->cluster, p.name.back()); }},
    {"%cluster_nctarank", [](Place p, uint32_t) -> uint64_t { return cluster_size(*p.worker.launch->config); }},
    {"%current_graph_exec", [](Place p, uint32_t) -> uint64_t { return p.worker.launch->config->graph; }},
    {"%is_explicit_cluster",  // a mask of lanes
     [](Place p, uint32_t) -> uint64_t { return p.worker.launch->config->explicit_cluster ? ~uint64_t{0} : 0; }},
};

}  // namespace

SpecialValue special_value(std::string_view name) {
  if (is_reserved_shared(name))
    return [](Place p, uint32_t) -> uint64_t { return reserved_shared(p.name, own_bytes(p)); };
  for (const Special& special : kSpecials) {
    if (special.name == name || (special.name.ends_with('.') && name.starts_with(special.name))) return special.value;
  }
  // %tid.w, %gridid, clocks (refreshed when read)
  return [](Place, uint32_t) -> uint64_t { return 0; };
}

}  // namespace bankshot::simt

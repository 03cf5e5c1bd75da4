#include "bankshot/cuda/launch/kernel_work.hpp"

#include <cstring>

#include "bankshot/cuda/launch/failed_launch.hpp"
#include "bankshot/cuda/launch/launch_attributes.hpp"
#include "bankshot/cuda/launch/launch_check.hpp"

namespace bankshot::cuda {

MadeWork kernel_work(Session& session, const void* key, const LaunchRequest& request, void** extra) {
  Function* function = session.modules().function(key);
  if (!function) return Status::invalid_device_function;
  LaunchRequest whole = request;
  if (request.arguments && extra) return Status::invalid_value;
  if (extra)
    if (const Status status = unpack_extra(extra, whole); status != Status::success) return status;
  return kernel_work(session, *function, whole);
}

MadeWork kernel_work(Session& session, Function& function, const LaunchRequest& request) {
  if (const Status status = load(session.load_target(), function); status != Status::success) return status;
  if (!function.info) return Status::invalid_device_function;
  if (const auto refusal = refusal_of(session.device(), function, request))
    return launch_failed(session, function.name, refusal->status, refusal->reason);
  KernelWork work{.function = &function,
                  .name = function.name,
                  .grid = request.grid,
                  .block = request.block,
                  .dynamic_shared = static_cast<uint32_t>(request.dynamic_shared),
                  .parameters = pack(*function.info, request),
                  .arguments = {},
                  .attributes = {}};
  for (const simt::ParamInfo& parameter : function.info->params)
    work.arguments.push_back(work.parameters.data() + parameter.offset);
  if (request.cooperative) work.attributes[abi::LaunchAttribute::cooperative] = {1};
  if (request.cluster.x != 0)
    std::memcpy(work.attributes[abi::LaunchAttribute::cluster_dimension].data(), &request.cluster,
                sizeof request.cluster);
  return Work(std::move(work));
}

LaunchRequest request_of(const KernelWork& kernel) {
  LaunchRequest request{
      .grid = kernel.grid, .block = kernel.block, .dynamic_shared = kernel.dynamic_shared, .packed = kernel.parameters};
  if (const auto found = kernel.attributes.find(abi::LaunchAttribute::cooperative); found != kernel.attributes.end())
    std::memcpy(&request.cooperative, found->second.data(), 1);
  if (const auto found = kernel.attributes.find(abi::LaunchAttribute::cluster_dimension);
      found != kernel.attributes.end())
    std::memcpy(&request.cluster, found->second.data(), sizeof request.cluster);
  return request;
}

}  // namespace bankshot::cuda

#include "bankshot/cuda/launch_attributes.hpp"

#include <fmt/format.h>

#include "bankshot/cuda/say.hpp"

namespace bankshot::cuda {
namespace {

Status refuse(std::string_view what) {
  say_once(what, fmt::format("a launch with {} is not supported", what));
  return Status::not_supported;
}

}  // namespace

Status apply_launch_attributes(std::span<const abi::LaunchAttribute> attributes, LaunchRequest& request) {
  using Id = abi::LaunchAttribute::Id;
  for (const auto& attribute : attributes) {
    switch (attribute.id) {
      case Id::cooperative: request.cooperative = attribute.value.cooperative_value != 0; break;
      case Id::cluster_dimension: {
        const auto& cluster = attribute.value.cluster;
        if (cluster.x > 1 || cluster.y > 1 || cluster.z > 1) return refuse("thread block clusters");
        break;
      }
      case Id::programmatic_event:
      case Id::launch_completion_event: return refuse("an event that the kernel triggers");
      case Id::device_updatable_kernel_node: return refuse("a device-updatable graph node");
      default: break;  // caches, priorities, memory domains, early start of the next kernel: no effect on results
    }
  }
  return Status::success;
}

}  // namespace bankshot::cuda

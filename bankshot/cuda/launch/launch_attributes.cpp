#include "bankshot/cuda/launch/launch_attributes.hpp"

#include <fmt/format.h>

#include "bankshot/cuda/process/say.hpp"

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
        if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0) return Status::invalid_cluster_size;
        request.cluster = {cluster.x, cluster.y, cluster.z};
        break;
      }
      // When a launch returns the kernel has run, so that whatever it or its end triggers is past.
      case Id::programmatic_event:
      case Id::launch_completion_event: request.event = attribute.value.event; break;
      case Id::device_updatable_kernel_node: return refuse("a device-updatable graph node");
      default: break;  // caches, priorities, memory domains, early start of the next kernel: no effect on results
    }
  }
  return Status::success;
}

Status unpack_extra(void** extra, LaunchRequest& request) {
  const void* buffer = nullptr;
  size_t size = 0;
  for (; *extra; extra += 2) {
    const auto tag = reinterpret_cast<uintptr_t>(extra[0]);
    if (tag == 1)
      buffer = extra[1];
    else if (tag == 2)
      size = *static_cast<const size_t*>(extra[1]);
    else
      return Status::invalid_value;
  }
  request.packed = {static_cast<const std::byte*>(buffer), buffer ? size : 0};
  return Status::success;
}

}  // namespace bankshot::cuda

#include "bankshot/cuda/launch/clusters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bankshot/cuda/launch/extents.hpp"
#include "bankshot/cuda/launch/kernel_limits.hpp"

namespace bankshot::cuda {

namespace {

constexpr int kFirstMajor = 9;  ///< of the compute capabilities that have clusters

Refusal wrong_size(std::string reason) { return {Status::invalid_cluster_size, std::move(reason)}; }

simt::Dim3 required(const simt::KernelInfo& kernel) {
  return {kernel.required_cluster[0], kernel.required_cluster[1], kernel.required_cluster[2]};
}

uint64_t resident_ctas(const DeviceInfo& device, const Function& function, const LaunchRequest& request) {
  return uint64_t{device.sms} *
         occupancy(device, function, static_cast<uint32_t>(request.block.count()), request.dynamic_shared);
}

}  // namespace

bool has_cluster(const simt::KernelInfo& kernel, const LaunchRequest& request) {
  return request.cluster.x != 0 || kernel.required_cluster[0] != 0;
}

simt::Dim3 cluster_of(const simt::KernelInfo& kernel, const LaunchRequest& request) {
  if (request.cluster.x != 0) return request.cluster;
  return kernel.required_cluster[0] != 0 ? required(kernel) : simt::Dim3{};
}

std::optional<Refusal> refusal_of_cluster(const DeviceInfo& device, const Function& function,
                                          const LaunchRequest& request) {
  const simt::KernelInfo& kernel = *function.info;
  if (!has_cluster(kernel, request)) {
    if (!kernel.explicit_cluster) return std::nullopt;
    return wrong_size("the kernel needs clusters, but the launch does not set their size");
  }
  const simt::Dim3 cluster = cluster_of(kernel, request);
  const uint64_t size = cluster.count();
  if (size == 0) return wrong_size(fmt::format("the cluster is {}: no extent may be 0", extents(cluster)));
  if (kernel.required_cluster[0] != 0 && cluster != required(kernel))
    return wrong_size(
        fmt::format("the cluster is {}, but the kernel requires {}", extents(cluster), extents(required(kernel))));
  if (size > kMostCluster)
    return wrong_size(fmt::format("a cluster of {} blocks; at most {} are possible", size, kMostCluster));
  if (size > kPortableCluster && !function.non_portable_cluster)
    return wrong_size(
        fmt::format("a cluster of {} blocks; at most {} are possible until cudaFuncSetAttribute sets "
                    "cudaFuncAttributeNonPortableClusterSizeAllowed",
                    size, kPortableCluster));
  if (kernel.most_cluster != 0 && size > kernel.most_cluster)
    return wrong_size(fmt::format("a cluster of {} blocks, but the kernel allows {}", size, kernel.most_cluster));
  const simt::Dim3& grid = request.grid;
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return wrong_size(fmt::format("the grid {} is not a multiple of the cluster {}", extents(grid), extents(cluster)));
  if (size == 1) return std::nullopt;
  if (device.major < kFirstMajor)
    return Refusal{
        Status::not_supported,
        fmt::format("clusters of {} blocks on a GPU of compute capability {}.{}: clusters need {}.0 or later", size,
                    device.major, device.minor, kFirstMajor)};
  if (kernel.has_transactions) return Refusal{Status::not_supported, "transactions in clusters of several blocks"};
  if (const uint64_t fit = resident_ctas(device, function, request); fit < size)
    return Refusal{Status::launch_out_of_resources,
                   fmt::format("a cluster of {} blocks, but only {} fit on the GPU at once", size, fit)};
  return std::nullopt;
}

uint64_t active_clusters(const DeviceInfo& device, const Function& function, const LaunchRequest& request) {
  return resident_ctas(device, function, request) / cluster_of(*function.info, request).count();
}

Status count_clusters(const DeviceInfo& device, const Function& function, const LaunchRequest& request, int* clusters) {
  const auto refusal = refusal_of_cluster(device, function, request);
  if (refusal && refusal->status != Status::launch_out_of_resources) return refusal->status;
  *clusters = static_cast<int>(active_clusters(device, function, request));
  return Status::success;
}

uint32_t largest_cluster(const DeviceInfo& device, const Function& function, const LaunchRequest& request) {
  if (device.major < kFirstMajor) return 1;
  uint32_t most = function.non_portable_cluster ? kMostCluster : kPortableCluster;
  if (function.info->most_cluster != 0) most = std::min(most, function.info->most_cluster);
  return static_cast<uint32_t>(std::min<uint64_t>(most, resident_ctas(device, function, request)));
}

}  // namespace bankshot::cuda

// Clusters of CTAs: their size in a launch, whether the GPU allows it, and how many fit on the GPU. Source: CUDA C++
// Programming Guide, "Thread block clusters"; PTX ISA 9.0, section 11.3 (cluster dimension directives).
#pragma once

#include <optional>
#include <string>

#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/launch/launch_request.hpp"
#include "bankshot/cuda/modules/modules.hpp"
#include "bankshot/simt/state/warp.hpp"

namespace bankshot::cuda {

/// The most CTAs per cluster: portably, and if the program opts in.
constexpr uint32_t kPortableCluster = 8, kMostCluster = simt::Windows::kMostCtas;

/// The cluster size that the launch asks for, else the kernel's, else one CTA.
simt::Dim3 cluster_of(const simt::KernelInfo& kernel, const LaunchRequest& request);
/// Whether the launch or the kernel asks for one: %is_explicit_cluster.
bool has_cluster(const simt::KernelInfo& kernel, const LaunchRequest& request);

/// Why the cluster is refused; nullopt if it is not.
std::optional<Refusal> refusal_of_cluster(const DeviceInfo& device, const Function& function,
                                          const LaunchRequest& request);

/// Clusters that fit on the GPU at once. An SM may hold several CTAs of a cluster. Hardware keeps a cluster in one
/// group of SMs; this is not modelled.
uint64_t active_clusters(const DeviceInfo& device, const Function& function, const LaunchRequest& request);
/// The same for occupancy queries. @return success, or why the launch would be refused
Status count_clusters(const DeviceInfo& device, const Function& function, const LaunchRequest& request, int* clusters);
/// CTAs of the largest cluster that fits on the GPU.
uint32_t largest_cluster(const DeviceInfo& device, const Function& function, const LaunchRequest& request);

}  // namespace bankshot::cuda

// Clusters of CTAs: how large they are in a launch, whether the GPU could have them, how many it holds. Source: CUDA
// C++ Programming Guide, "Thread block clusters"; PTX ISA 9.0, section 11.3 (cluster dimension directives).
#pragma once

#include <optional>

#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/launch/launch_request.hpp"
#include "bankshot/cuda/modules/modules.hpp"
#include "bankshot/simt/state/warp.hpp"

namespace bankshot::cuda {

/// CTAs of a cluster that every GPU with clusters allows, and those with the program's consent.
constexpr uint32_t kPortableCluster = 8, kMostCluster = simt::Windows::kMostCtas;

/// What the launch asks for, else what the kernel requires, else one CTA.
simt::Dim3 cluster_of(const simt::KernelInfo& kernel, const LaunchRequest& request);
/// Whether somebody asked: %is_explicit_cluster.
bool has_cluster(const simt::KernelInfo& kernel, const LaunchRequest& request);

/// Why the cluster is refused; nullopt if it is not.
std::optional<Refusal> refusal_of_cluster(const DeviceInfo& device, const Function& function,
                                          const LaunchRequest& request);

/// Clusters that the GPU holds at once. An SM may hold several CTAs of one; that hardware keeps a cluster in one group
/// of SMs is not modelled.
uint64_t active_clusters(const DeviceInfo& device, const Function& function, const LaunchRequest& request);
/// The same for the functions that ask. @return success, or why the launch would be refused
Status count_clusters(const DeviceInfo& device, const Function& function, const LaunchRequest& request, int* clusters);
/// CTAs of the largest cluster of which the GPU holds one.
uint32_t largest_cluster(const DeviceInfo& device, const Function& function, const LaunchRequest& request);

}  // namespace bankshot::cuda

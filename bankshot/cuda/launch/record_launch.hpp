// Records launches for `bankshot fix --device`, which repeats them on a GPU.
#pragma once

#include <cstddef>
#include <span>

#include "bankshot/cuda/process/recorded_launch.hpp"
#include "bankshot/simt/memory/memory.hpp"
#include "bankshot/simt/run/engine.hpp"

namespace bankshot::cuda {

/// Hands in the launch if the request names its kernel and no launch of this kernel so far had as many threads. It
/// must not have run yet.
void record_launch(const simt::Memory& memory, const simt::Program& program, const simt::KernelInfo& kernel,
                   const std::string& module, const simt::LaunchConfig& config);

/// What is handed in. Launches that need more than their parameters, what these point to and the variables of
/// the module are refused: clusters, cooperative launches, pointers that are stored in memory, memory of the host.
/// @param module  digest of its PTX
RecordedLaunch recorded(const simt::Memory& memory, const simt::Program& program, const simt::KernelInfo& kernel,
                        const std::string& module, const simt::LaunchConfig& config);

}  // namespace bankshot::cuda

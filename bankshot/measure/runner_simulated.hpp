// Micro-benchmarks on a simulated GPU.
#pragma once

#include <memory>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/measure/runner.hpp"
#include "bankshot/timing/base/config.hpp"

namespace bankshot::measure {

struct SimulatedOptions {
  /// Only one SM, as of a GPU on which nothing else runs. Faster, and enough for kernels that do not fill more.
  bool one_sm = true;
  /// Instructions as ptxas orders, joins and counts them, as `bankshot simulate` has them. Else those of the text.
  bool machine_code = false;
  unsigned threads = 1;  ///< host threads
};

/// @param gpu     whose values it reports as its own
/// @param config  the machine that is simulated, checked: cuda::simulated_config.
/// @return an error if its warps have not 32 lanes
Result<std::unique_ptr<Runner>> simulated_runner(const gpu::Gpu& gpu, const timing::Config& config,
                                                 const SimulatedOptions& options = {});

}  // namespace bankshot::measure

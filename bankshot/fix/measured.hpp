// What the forms of kernels take on a GPU, by recorded launches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bankshot/cuda/process/recorded_launch.hpp"
#include "bankshot/fix/plan.hpp"
#include "bankshot/measure/runner.hpp"

namespace bankshot::fix {

/// Kernels that have a form to measure, as in the PTX.
std::vector<std::string> kernels_to_measure(const Plan& plan);

/// Measures each rewritten kernel as it is and in each form, or says why not. A form that leaves something else in
/// memory than the kernel as it is has no time.
/// @param launches  of which the one with the most threads is taken for each kernel
/// @param ptx       of the modules as they are, by digest
void add_measured(Plan& plan, const std::vector<cuda::RecordedLaunch>& launches,
                  const std::map<std::string, std::string>& ptx, measure::Runner& runner);

}  // namespace bankshot::fix

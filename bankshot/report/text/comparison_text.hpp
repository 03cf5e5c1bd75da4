// One program on several simulated GPUs, as a person reads it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::report {

/// One kernel after the other, a line a GPU: cycles, time, how much faster than on the first, what its slots wait for.
/// Then all kernels together.
/// @param gpus  their names as given, one per report
/// @param reports  of simulated runs of one program; not empty
std::string comparison_text(std::span<const std::string> gpus, std::span<const RunReport> reports,
                            const TextOptions& options);

}  // namespace bankshot::report

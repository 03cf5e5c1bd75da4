// What Bankshot counts, by the names of Nsight Compute's metrics: docs/ncu.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::formats {

struct NcuMetric {
  std::string name;               ///< "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
  std::string_view unit;          ///< as Nsight Compute prints it; often empty
  double value = 0;               ///< of all launches together
  bool whole = true;              ///< it is a whole number
  std::string_view section = {};  ///< heading on the page "details", or empty
  std::string_view label = {};    ///< its name there
};

/// Those that are known of a kernel, in a fixed order. What an instruction of the kernel makes uncertain is left out.
std::vector<NcuMetric> ncu_metrics(const report::Kernel& kernel, const report::RunReport& report);

/// Sums over the accesses that Nsight Compute puts under one operation.
struct NcuShared {
  uint64_t wavefronts = 0, conflicts = 0;
};
/// @param operation  "ld" (with matrix loads), "st" (with matrix stores), "atom" or "ldgsts"
NcuShared ncu_shared(const report::Kernel& kernel, const scratchpad::Rules& rules, std::string_view operation);

/// Metrics that users look for and Bankshot does not know.
struct NotModelled {
  std::string_view name, reason;
};
std::span<const NotModelled> not_modelled();

/// ", as if the hardware chose banks by the hash xor": what the numbers hold under beside the GPU; or empty.
std::string assumption(const report::RunReport& report);

/// "1,234", "56.78"
std::string value_text(const NcuMetric& metric);

}  // namespace bankshot::formats

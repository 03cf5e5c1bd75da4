// The members of bankshot/simulate/1 that bankshot/explain/1 does not have: docs/json.md.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bankshot/report/json/source_json.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// Members of the whole report: cycles, ipc and stalls of all kernels, config. The report must have a machine.
nlohmann::ordered_json totals_json(const RunReport& report);

/// Members of a kernel. @param banks  of shared memory
nlohmann::ordered_json timing_json(const KernelTiming& timing, const SimulatedMachine& machine, unsigned banks);
/// The lists of a kernel, item by item.
std::vector<nlohmann::ordered_json> launches_json(const KernelTiming& timing, unsigned banks);
std::vector<nlohmann::ordered_json> instructions_json(const KernelTiming& timing, FrameTable& frames);
std::vector<nlohmann::ordered_json> timed_lines_json(const KernelTiming& timing);

/// Readers of the same. They throw json_values::Bad; derived values are not read.
SimulatedMachine read_machine(const nlohmann::json& config);
KernelTiming read_timing(const nlohmann::json& kernel, const SimulatedMachine& machine,
                         const std::vector<ptx::SourceFrame>& frames);

}  // namespace bankshot::report

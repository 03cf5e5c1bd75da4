// The report as JSON, schema bankshot/explain/1, of simulated launches bankshot/simulate/1, of a run with checks
// bankshot/check/1: docs/json.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::report {

inline constexpr std::string_view kSchema = "bankshot/explain/1", kSimulateSchema = "bankshot/simulate/1",
                                  kCheckSchema = "bankshot/check/1",
                                  kComparisonSchema = "bankshot/simulate-comparison/1";

/// Without a verdict: of one process.
std::string to_json(const RunReport& report);
/// As --json writes it. @param verdict  becomes the member `verdict`; see formats/verdict_json.hpp
std::string to_json(const RunReport& report, const nlohmann::ordered_json& verdict);
/// Reports of one program on several simulated GPUs. @param gpus  their names as given @param reports  what to_json
/// wrote for each of them
std::string comparison_json(std::span<const std::string> gpus, std::vector<std::string> reports);

/// Reads what to_json wrote, but not the verdict. Any bytes are allowed; the error says what is wrong and under which
/// key.
Result<RunReport> from_json(std::string_view json);

}  // namespace bankshot::report

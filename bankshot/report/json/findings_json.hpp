// What `bankshot check` found, as JSON: docs/json.md.
#pragma once

#include <nlohmann/json.hpp>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// Which checks there were, by name.
nlohmann::ordered_json checks_json(const simt::CheckOptions& checks);
nlohmann::ordered_json finding_json(const simt::Finding& finding, const RunReport& report);

/// Reads both. Throws json_values::Bad.
void read_findings(const nlohmann::json& root, RunReport& report);

}  // namespace bankshot::report

// What accesses of global memory cost in the first-level cache: docs/json.md.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bankshot/report/json/source_json.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

nlohmann::ordered_json l1_rules_json(const scratchpad::L1Rules& rules);
/// One of the list `l1` of a kernel.
nlohmann::ordered_json l1_site_json(const L1Site& site, FrameTable& frames);

/// Readers of the same. They throw json_values::Bad; derived values are not read.
/// @param shared  the rules of shared memory
scratchpad::L1Rules read_l1_rules(const nlohmann::json& object, const scratchpad::Rules& shared);
L1Site read_l1_site(const nlohmann::json& object, const std::vector<ptx::SourceFrame>& frames);

}  // namespace bankshot::report

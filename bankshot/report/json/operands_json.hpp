// What products read by matrix descriptors, and accesses to their tiles by swizzle: docs/json.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bankshot/report/json/source_json.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// Adds `operands` and `swizzles` to a site that has them.
void add_operands(nlohmann::ordered_json& json, const Site& site, FrameTable& frames);
/// Reads the same. Throws json_values::Bad.
void read_operands(const nlohmann::json& object, const std::vector<ptx::SourceFrame>& frames, Site& site);

}  // namespace bankshot::report

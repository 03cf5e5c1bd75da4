// Suppressions applied to a report.
#pragma once

#include <vector>

#include "bankshot/project/project.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::project {

/// Lists in `report.suppressed` what the project accepts, and takes such findings out of `report.findings`. Needs
/// report.source_text for suppressions with a text.
/// @return  suppressions that could have matched in a run of this kind and program, and did not
std::vector<const Suppression*> suppress(const Project& project, report::RunReport& report);

}  // namespace bankshot::project

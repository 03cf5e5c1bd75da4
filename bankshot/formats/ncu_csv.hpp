// CSV with the columns of `ncu --csv`.
#pragma once

#include <string>
#include <vector>

#include "bankshot/formats/verdict.hpp"

namespace bankshot::formats {

/// The page "details": a row for each metric and each remark of a rule. A kernel has one ID for all its launches. Every
/// kernel has a remark of the rule "Bankshot" that says where its numbers come from, and one for each gap of the run.
std::string to_ncu_details(const std::vector<Run>& runs);

/// The page "raw": a row for each kernel and a column for each metric that any has; the second row has the units. The
/// last column, "Bankshot", says where the numbers come from and what is missing; a run without kernels has a row for
/// each gap.
std::string to_ncu_raw(const std::vector<Run>& runs);

}  // namespace bankshot::formats

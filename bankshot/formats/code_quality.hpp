// The report of code quality that GitLab shows in merge requests.
#pragma once

#include <string>
#include <vector>

#include "bankshot/formats/verdict.hpp"

namespace bankshot::formats {

/// A JSON list with an entry for each notice that has a source line, and one for each gap.
std::string to_code_quality(const std::vector<Run>& runs, const Surroundings& around);

}  // namespace bankshot::formats

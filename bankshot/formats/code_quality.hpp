// The report of code quality that GitLab shows in merge requests.
#pragma once

#include <string>
#include <vector>

#include "bankshot/formats/verdict.hpp"

namespace bankshot::formats {

/// A JSON list with an entry for each notice and each gap. Where the source line is not known, the place is line 1 of
/// the kernel's source file or of the program.
std::string to_code_quality(const std::vector<Run>& runs, const Surroundings& around);

}  // namespace bankshot::formats

// Workflow commands of GitHub Actions: annotations of the lines of a pull request.
#pragma once

#include <string>
#include <vector>

#include "bankshot/formats/verdict.hpp"

namespace bankshot::formats {

/// One line for each annotation, the most important first. GitHub shows ten of a level and step; where there are more,
/// the tenth says how many are left out. Gaps come first, as errors.
std::string to_github(const std::vector<Run>& runs, const Surroundings& around);

}  // namespace bankshot::formats

// SARIF 2.1.0: the form in which GitHub's code scanning and editors read findings.
#pragma once

#include <string>
#include <vector>

#include "bankshot/formats/verdict.hpp"

namespace bankshot::formats {

/// One SARIF run for each run of the program. A run with gaps is not successful and has a notification for each of
/// them.
std::string to_sarif(const std::vector<Run>& runs, const Surroundings& around);

}  // namespace bankshot::formats

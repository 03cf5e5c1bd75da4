// JUnit's XML: the form in which continuous integration reads results of tests.
#pragma once

#include <string>
#include <vector>

#include "bankshot/formats/verdict.hpp"

namespace bankshot::formats {

/// A suite for each run. Of a check it has a case for each kernel and check that was made, else for each kernel and
/// limit, or a skipped case for each kernel if there are no limits. A baseline is a limit. The first case of a suite is
/// the run itself, an error if it has gaps; then no other case passes: what would pass is an error, too.
std::string to_junit(const std::vector<Run>& runs, const Surroundings& around);

}  // namespace bankshot::formats

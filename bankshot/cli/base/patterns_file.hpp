// The files that commands on patterns read.
#pragma once

#include <string>
#include <vector>

#include "bankshot/scratchpad/pattern.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

/// A patterns file; "-" is standard input. The error begins with the name of the file.
Result<scratchpad::PatternSet> read_patterns(const std::string& path);

/// Several of them as one: their patterns together. The error says which files have different banks.
Result<scratchpad::PatternSet> read_patterns(const std::vector<std::string>& paths);

}  // namespace bankshot::cli

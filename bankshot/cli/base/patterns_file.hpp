// The files that commands on patterns read.
#pragma once

#include <string>
#include <vector>

#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

/// A patterns file; "-" is standard input. The error begins with the name of the file.
/// @param gpu  whose banks count, by name or file; empty: those that the file names
Result<scratchpad::PatternSet> read_patterns(const std::string& path, const std::string& gpu = {});

/// Several of them as one: their patterns together. The error says which files have different banks.
Result<scratchpad::PatternSet> read_patterns(const std::vector<std::string>& paths, const std::string& gpu = {});

/// The help of the option that names that GPU.
inline constexpr const char* kPatternsGpuHelp =
    "count for the banks of this GPU (see bankshot gpus) instead of those in the patterns file";

}  // namespace bankshot::cli

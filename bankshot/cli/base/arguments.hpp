// Which arguments are ours and which are the program's.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace bankshot::cli {

/// Splits `arguments` (COMMAND first) at the first one that is neither an option of the command nor an option's value,
/// or after `--`. What comes before stays, the rest is returned: the target and its arguments.
std::vector<std::string> take_target(std::vector<std::string>& arguments, CLI::App& command);

}  // namespace bankshot::cli

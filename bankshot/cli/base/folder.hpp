// A folder that a command writes files into.
#pragma once

#include <optional>
#include <string>

#include "bankshot/support/diagnostic.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

/// Why files such as `file` cannot be written into it, asked before there are any; it need not exist yet.
std::optional<Error> cannot_use_folder(const std::string& folder, const std::string& file);
/// Where a file of this name goes: into the folder, under its own name.
std::string place_in_folder(const std::string& folder, const std::string& file);
/// Makes the folder unless it is there.
std::optional<Error> make_folder(const std::string& folder);

}  // namespace bankshot::cli

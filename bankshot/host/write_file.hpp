// Files that are there whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bankshot/support/result.hpp"

namespace bankshot::host {

/// The place behind symbolic links, so that a link stays a link. The file need not be there yet.
std::string real_place(const std::string& path);

/// Why a file of this name could not be written, or nothing. For asking before the long work.
std::optional<Error> cannot_write(const std::string& path);

/// Writes a temporary file and renames it; writes directly to anything that is not a plain file (a pipe, /dev/null).
/// SIGINT, SIGTERM, SIGHUP and SIGQUIT wait until a plain file is whole.
std::optional<Error> write_file(const std::string& path, std::string_view text);

}  // namespace bankshot::host

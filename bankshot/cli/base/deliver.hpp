// The result of a command, as text or as JSON: what --json FILE|- says.
#pragma once

#include <optional>
#include <string>

#include "bankshot/host/overwrite.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

/// Why `file`, of --json, cannot or must not be written; nothing for "" and "-". Called before the long work.
/// @param inputs  what the command reads
std::optional<Error> cannot_deliver(const std::string& file, const std::vector<host::Input>& inputs = {});

/// Writes a command's result: `json` to FILE or, if that is "-", to standard output; the text to standard output unless
/// the JSON went there. @return exit status
int deliver(const std::string& file, const std::string& json, const std::string& text);

}  // namespace bankshot::cli

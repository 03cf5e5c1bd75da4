// Modules that are replaced when they are loaded, and the texts of those that were: how `bankshot fix` gets at the PTX
// of a program and puts its own in place.
#pragma once

#include <optional>
#include <string>

#include "bankshot/support/result.hpp"

namespace bankshot::cuda {

struct Patch {
  std::string path, text;
};

/// <digest>.ptx in the patch folder of the request, or nothing if it has no such file. An error if it cannot be read.
Result<std::optional<Patch>> patch_of(const std::string& digest);

/// Hands in <digest>.ptx, if a witness or modules are wanted.
void keep_ptx(const std::string& digest, const std::string& text);

}  // namespace bankshot::cuda

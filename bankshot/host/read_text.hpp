// Text files that commands read.
#pragma once

#include <string>

#include "bankshot/support/result.hpp"

namespace bankshot::host {

/// All of a file; "-" is standard input. The error names the file and the reason.
Result<std::string> read_text(const std::string& file);

}  // namespace bankshot::host

// The version of Bankshot.
#pragma once

#include <string>

#include "include/bankshot/bankshot.h"

namespace bankshot::cli {

inline constexpr const char* kVersion = "bankshot " BANKSHOT_VERSION;

/// What `bankshot --version` prints: the version with the revision of the source, the compilers it was built by, and
/// the instruction sets that it has code for.
std::string version_text();

/// "g++ 12.2.0"
std::string built_by();
/// "avx512"
std::string instruction_set();

}  // namespace bankshot::cli

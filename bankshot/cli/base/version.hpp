// What `bankshot --version` prints.
#pragma once

namespace bankshot::cli {

inline constexpr const char* kVersion = "bankshot 0.1.0";

}  // namespace bankshot::cli

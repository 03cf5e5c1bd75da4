// What include/bankshot/tm.cuh makes of its functions: pragmas in a function's body.
#pragma once

#include <string_view>

namespace bankshot::ptx {

inline constexpr std::string_view kOurPragmas = "bankshot.";
inline constexpr std::string_view kTxBegin = "bankshot.tx_begin", kTxCommit = "bankshot.tx_commit";

}  // namespace bankshot::ptx

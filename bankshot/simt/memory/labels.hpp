// Names of allocations that are the engine's own.
#pragma once

#include <string_view>

namespace bankshot::simt {

constexpr std::string_view kParametersLabel = "kernel parameters";  ///< of the last launch

}  // namespace bankshot::simt

// What a module is assembled for.
#pragma once

#include <string>

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

/// "sm_90a" or "sm_90f" for 90 if the module is written for that alone, else "sm_90".
std::string target_for(const Module& module, unsigned architecture);

}  // namespace bankshot::ptx

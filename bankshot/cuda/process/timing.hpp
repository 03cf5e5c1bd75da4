// If the request asks for it: how long the engine itself took for each kernel, on standard error at exit. For
// bench/run.
#pragma once

#include <chrono>
#include <string>

#include "bankshot/simt/run/engine.hpp"

namespace bankshot::cuda {

/// Adds one launch. Callers hold the session's lock.
void time_launch(const std::string& kernel, const simt::LaunchStats& stats, std::chrono::steady_clock::duration taken);

}  // namespace bankshot::cuda

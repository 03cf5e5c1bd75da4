// If the request asks for it: how long the engine itself took for each kernel, on standard error at exit. For
// bench/run.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace bankshot::cuda {

/// Adds one launch. Callers hold the session's lock.
/// @param stretches  of its program that are compiled
void time_launch(const std::string& kernel, uint64_t warp_instructions, uint32_t stretches,
                 std::chrono::steady_clock::duration taken);

}  // namespace bankshot::cuda

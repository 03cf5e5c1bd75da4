// A recorded launch, repeated on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/cuda/process/recorded_launch.hpp"
#include "bankshot/measure/runner.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::fix {

/// Launches of one form of a kernel that are timed; one more comes before them.
inline constexpr unsigned kReplays = 9;

struct Replayed {
  double nanoseconds = 0;                     ///< median
  std::vector<std::vector<std::byte>> after;  ///< what its memory holds when it has run, in the launch's order
  bool repeats = true;                        ///< the last launch left the same as the first
};

/// Launches it again and again, each time with its memory as it was recorded.
/// @param launch  that is not refused
/// @param ptx  of its module, as it is or rewritten
Result<Replayed> replay(measure::Runner& runner, const cuda::RecordedLaunch& launch, std::string_view ptx);

/// The parameters for memory that lies elsewhere. @param addresses  of each of launch.memory
std::vector<std::byte> relocated(const cuda::RecordedLaunch& launch, std::span<const uint64_t> addresses);

/// Why launches of a kernel cannot be repeated because of its code, or empty: textures, surfaces and tensor maps, whose
/// handles mean nothing on another device; calls of what a device's runtime provides, such as printf and launches.
std::string cannot_replay(const ptx::Module& module, const std::string& kernel);

}  // namespace bankshot::fix

// A real GPU in place of the engine: what tests hold against a reference is held against what hardware computes, too.
// tests/device/run does it where there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/measure/runner.hpp"

namespace bankshot::device {

/// The GPU that the variable BANKSHOT_DEVICE names by its number, opened at the first call; null where it is not set.
/// If it cannot be opened the process says why and ends with status 2.
measure::Runner* real_gpu();

struct Outcome {
  /// The driver cannot compile the text: it says why. The GPU may lack an instruction.
  std::string refused;
  std::string failed;  ///< the launch did
  std::vector<uint8_t> out;
};

/// Runs entry `k`, whose parameters are two addresses and then `more`: bytes to read and bytes to change.
/// @param ptx  for any target; the GPU's is put in its place
Outcome run(measure::Runner& gpu, const std::string& ptx, const std::vector<uint8_t>& in,
            const std::vector<uint8_t>& before, simt::Dim3 grid, simt::Dim3 block, std::optional<uint64_t> more = {});

}  // namespace bankshot::device

// A kernel launch with its complete initial state, as a file: everything needed to launch it somewhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/simt/state/fault.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cuda {

/// An allocation that a parameter points into, or a variable of the kernel's module, as it was before the launch.
struct RecordedMemory {
  uint64_t address = 0;
  std::string variable;  ///< its name in the PTX; empty for an allocation
  std::vector<std::byte> contents;
};

struct RecordedLaunch {
  /// Contents of all memory together; launches with more are refused.
  static constexpr uint64_t kMostBytes = uint64_t{1} << 30;

  std::string module;  ///< digest of its PTX
  std::string kernel;  ///< as in the PTX
  simt::Dim3 grid, block;
  uint32_t dynamic_shared = 0;         ///< bytes
  std::string refusal;                 ///< why it cannot be launched elsewhere, or empty. Then what follows is empty
  std::vector<std::byte> parameters;   ///< laid out as the kernel declares them
  std::vector<uint32_t> pointers;      ///< offsets of those that point into memory, or just past it
  std::vector<RecordedMemory> memory;  ///< by address
};

/// One line of JSON, then the contents.
std::string to_file(const RecordedLaunch& launch);
/// The error says what is wrong in the text.
Result<RecordedLaunch> launch_from_file(std::string_view text);

}  // namespace bankshot::cuda

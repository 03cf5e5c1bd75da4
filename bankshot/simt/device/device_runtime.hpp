// What CUDA gives kernels to call: a heap, and launches of other kernels. Source: CUDA C++ Programming Guide, "Dynamic
// global memory allocation" and "CUDA dynamic parallelism"; the names and arguments of the latter as nvcc 13 writes
// them into PTX (CDP2).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bankshot/simt/state/instr.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::simt {

struct LoadedProgram;

struct DeviceFunction {
  std::string_view name;
  Handler handler = nullptr;
  std::vector<uint32_t> arguments;  ///< bytes of each
  std::string_view
      shares;  ///< what CTAs that call it share, and therefore run in one order: "the heap"; empty: nothing
  /// Prepares what a program that calls it needs; null: nothing. @return any number, or why it is not available
  Result<uint64_t> (*prepare)(LoadedProgram&) = nullptr;
};

/// A copy between addresses of the device, or a fill, that a kernel asks for. It stands among the DeviceLaunches as one
/// without a kernel's name that has these as parameters.
struct DeviceTransfer {
  uint64_t to = 0, from = 0, bytes = 0;
  uint64_t fills = 0, value = 0;  ///< a fill: 1, and the byte
};

/// The function of that name which the engine provides; null if there is none.
const DeviceFunction* device_function(std::string_view name);

}  // namespace bankshot::simt

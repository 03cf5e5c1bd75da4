// What CUDA gives kernels to call: a heap, and launches of other kernels. Source: CUDA C++ Programming Guide, "Dynamic global
// memory allocation" and "CUDA dynamic parallelism"; the names and arguments of the latter as nvcc 13 writes them into PTX (CDP2).
#pragma once

#include <string_view>

#include "bankshot/simt/instr.hpp"

namespace bankshot::simt {

struct DeviceFunction {
  std::string_view name;
  Handler handler = nullptr;
  size_t arguments = 0;
  std::string_view
      shares;  ///< what CTAs that call it share, and therefore run in one order: "the heap"; empty: nothing
};

/// The function of that name which the engine provides; null if there is none.
const DeviceFunction* device_function(std::string_view name);

}  // namespace bankshot::simt

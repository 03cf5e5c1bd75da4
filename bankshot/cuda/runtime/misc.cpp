// Other functions: channel descriptions, the profiler's switches, entry points of the driver.
#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/interface/entry_points.hpp"
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {

extern "C" __attribute__((visibility("default"))) abi::ChannelFormatDesc bankshot_cudaCreateChannelDesc(int x, int y,
                                                                                                        int z, int w,
                                                                                                        int kind) {
  return {x, y, z, w, kind};
}

BANKSHOT_API(cudaProfilerStart)() { return Status::success; }
BANKSHOT_API(cudaProfilerStop)() { return Status::success; }

/// @param result  cudaDriverEntryPointQueryResult: 0 found, 1 not found, 2 only in a newer version; may be null
BANKSHOT_API(cudaGetDriverEntryPointByVersion)
(const char* name, void** function, unsigned version, unsigned long long, int* result) {
  if (!name || !function) return remember(Status::invalid_value);
  *function = entry_point(name, static_cast<int>(version));
  if (result) *result = *function ? 0 : 1;
  // With a place for the result, not finding a function is no error. Source: CUDA runtime API reference
  return *function || result ? Status::success : remember(Status::not_found);
}

BANKSHOT_API(cudaGetDriverEntryPoint)(const char* name, void** function, unsigned long long flags, int* result) {
  return bankshot_cudaGetDriverEntryPointByVersion(name, function, kDriverVersion, flags, result);
}

/// Private tables of functions between NVIDIA's own libraries.
BANKSHOT_API(cudaGetExportTable)(const void** table, const void*) {
  if (table) *table = nullptr;
  return Status::invalid_value;
}

}  // namespace bankshot::cuda::runtime

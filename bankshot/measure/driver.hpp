// The entry points of NVIDIA's driver that are needed to run a kernel, looked up in its library when the program runs.
// Source: CUDA Driver API reference, for names, types and numbers; nothing of the toolkit is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bankshot/support/result.hpp"

namespace bankshot::measure {

/// Handles that only the driver looks into.
using DriverContext = struct DriverContextBody*;
using DriverModule = struct DriverModuleBody*;
using DriverFunction = struct DriverFunctionBody*;
using DriverStream = struct DriverStreamBody*;
using DriverEvent = struct DriverEventBody*;

/// Every call: the name that the library exports and its type. Functions return 0 or the number of an error.
#define BANKSHOT_DRIVER_CALLS(CALL)                                                                                    \
  CALL(cuInit, int(unsigned flags))                                                                                    \
  CALL(cuDriverGetVersion, int(int* version))                                                                          \
  CALL(cuGetErrorName, int(int error, const char** name))                                                              \
  CALL(cuGetErrorString, int(int error, const char** text))                                                            \
  CALL(cuDeviceGetCount, int(int* count))                                                                              \
  CALL(cuDeviceGet, int(int* device, int ordinal))                                                                     \
  CALL(cuDeviceGetName, int(char* name, int size, int device))                                                         \
  CALL(cuDeviceTotalMem_v2, int(size_t* bytes, int device))                                                            \
  CALL(cuDeviceGetAttribute, int(int* value, int attribute, int device))                                               \
  CALL(cuDevicePrimaryCtxRetain, int(DriverContext * context, int device))                                             \
  CALL(cuCtxSetCurrent, int(DriverContext context))                                                                    \
  CALL(cuCtxSynchronize, int())                                                                                        \
  CALL(cuModuleLoadDataEx, int(DriverModule * module, const void* image, unsigned count, int* options, void** values)) \
  CALL(cuModuleUnload, int(DriverModule module))                                                                       \
  CALL(cuModuleGetFunction, int(DriverFunction * function, DriverModule module, const char* name))                     \
  CALL(cuModuleGetGlobal_v2, int(uint64_t* address, size_t* bytes, DriverModule module, const char* name))             \
  CALL(cuMemAlloc_v2, int(uint64_t* address, size_t bytes))                                                            \
  CALL(cuMemFree_v2, int(uint64_t address))                                                                            \
  CALL(cuMemcpyHtoD_v2, int(uint64_t to, const void* from, size_t bytes))                                              \
  CALL(cuMemcpyDtoH_v2, int(void* to, uint64_t from, size_t bytes))                                                    \
  CALL(cuFuncSetAttribute, int(DriverFunction function, int attribute, int value))                                     \
  CALL(cuEventCreate, int(DriverEvent * event, unsigned flags))                                                        \
  CALL(cuEventRecord, int(DriverEvent event, DriverStream stream))                                                     \
  CALL(cuEventElapsedTime, int(float* milliseconds, DriverEvent from, DriverEvent to))                                 \
  CALL(cuLaunchKernel, int(DriverFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                 \
                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,                \
                           DriverStream stream, void** arguments, void** extra))

/// The loaded library. It stays loaded, because drivers have their own threads.
struct Driver {
  std::string library;  ///< as given
#define BANKSHOT_DRIVER_POINTER(name, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
  BANKSHOT_DRIVER_CALLS(BANKSHOT_DRIVER_POINTER)
#undef BANKSHOT_DRIVER_POINTER

  /// "no CUDA-capable device is detected (CUDA_ERROR_NO_DEVICE, 100)"
  std::string text_of(int error) const;
};

constexpr const char* kDriverLibrary = "libcuda.so.1";

/// @param library  a path, or a name that the dynamic linker finds
Result<Driver> open_driver(const std::string& library);

}  // namespace bankshot::measure

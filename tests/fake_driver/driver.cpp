// A driver library with one imaginary GPU, for tests of who calls it. Memory is the host's; every access takes 33
// ticks. The variable FAKE_DRIVER says what goes wrong.
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "bankshot/measure/driver.hpp"
#include "bankshot/measure/programs.hpp"

using namespace bankshot::measure;

#define FAKE_API(type) extern "C" __attribute__((visibility("default"))) type

namespace {

enum Code : int { kSuccess = 0, kNoDevice = 100, kInvalidPtx = 218, kNotFound = 500, kLaunchFailed = 719 };

bool scripted(std::string_view what) {
  const char* script = std::getenv("FAKE_DRIVER");
  return script && script == what;
}

std::string kernel;
int outcome = kSuccess;  // of the launch under way

/// As if every access took 33 ticks beyond what the sequence takes without it, and made `repeats` of them one by one.
[[maybe_unused]] void run(const Arguments& arguments, unsigned threads) {
  auto* times = reinterpret_cast<uint64_t*>(arguments.times);
  for (uint32_t round = 0; round < arguments.rounds; ++round) {
    if (kernel.starts_with("latency_")) {
      for (unsigned lane = 0; lane < 64; ++lane) *times++ = lane < 32 ? 12 : 45;
      continue;
    }
    for (unsigned thread = 0; thread < threads; ++thread) {
      *times++ = 1000;
      *times++ = 1000 + uint64_t{33} * arguments.repeats * kUnrolled * (threads / 32);
    }
  }
}

}  // namespace

FAKE_API(int) cuInit(unsigned) { return scripted("no_device") ? kNoDevice : kSuccess; }
FAKE_API(int) cuDriverGetVersion(int* version) {
  *version = 12040;
  return kSuccess;
}
FAKE_API(int) cuGetErrorName(int error, const char** name) {
  *name = error == kNoDevice       ? "CUDA_ERROR_NO_DEVICE"
          : error == kInvalidPtx   ? "CUDA_ERROR_INVALID_PTX"
          : error == kLaunchFailed ? "CUDA_ERROR_LAUNCH_FAILED"
                                   : nullptr;
  return *name ? kSuccess : 1;
}
FAKE_API(int) cuGetErrorString(int error, const char** text) {
  *text = error == kNoDevice       ? "no CUDA-capable device is detected"
          : error == kInvalidPtx   ? "a PTX JIT compilation failed"
          : error == kLaunchFailed ? "unspecified launch failure"
                                   : nullptr;
  return *text ? kSuccess : 1;
}
FAKE_API(int) cuDeviceGetCount(int* count) {
  *count = scripted("no_gpu") ? 0 : 1;
  return kSuccess;
}
FAKE_API(int) cuDeviceGet(int* device, int ordinal) {
  *device = ordinal + 7;  // a handle need not be the number
  return kSuccess;
}
FAKE_API(int) cuDeviceGetName(char* name, int size, int device) {
  if (device != 7) return 101;
  std::strncpy(name, "Imaginary \"GPU\"", static_cast<size_t>(size));
  return kSuccess;
}
FAKE_API(int) cuDeviceTotalMem_v2(size_t* bytes, int) {
  *bytes = size_t{8} << 30;
  return kSuccess;
}
FAKE_API(int) cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 1: *value = 1024; return kSuccess;
    case 8: *value = 49152; return kSuccess;
    case 10: *value = scripted("wide") ? 64 : 32; return kSuccess;
    case 13: *value = 1'234'000; return kSuccess;
    case 16: *value = 10; return kSuccess;
    case 38: *value = 1'000'001; return kSuccess;  // no cache is of this size
    case 39: *value = 1536; return kSuccess;
    case 75: *value = 7; return kSuccess;
    case 76: *value = 5; return kSuccess;
    default: return 1;
  }
}
FAKE_API(int) cuDevicePrimaryCtxRetain(DriverContext* context, int) {
  *context = reinterpret_cast<DriverContext>(&kernel);
  return kSuccess;
}
FAKE_API(int) cuCtxSetCurrent(DriverContext context) { return context ? kSuccess : 201; }
FAKE_API(int) cuCtxSynchronize() {
  const int result = outcome;
  outcome = kSuccess;
  return result;
}
FAKE_API(int) cuModuleLoadDataEx(DriverModule* module, const void* image, unsigned count, int* options, void** values) {
  if (scripted("jit")) {
    for (unsigned k = 0; k < count; ++k) {
      if (options[k] == 5) std::strcpy(static_cast<char*>(values[k]), "ptxas application ptx input, line 7; fatal");
    }
    return kInvalidPtx;
  }
  if (!std::strstr(static_cast<const char*>(image), ".entry")) return kInvalidPtx;
  *module = reinterpret_cast<DriverModule>(&kernel);
  return kSuccess;
}
FAKE_API(int) cuModuleUnload(DriverModule) { return kSuccess; }
FAKE_API(int) cuModuleGetFunction(DriverFunction* function, DriverModule, const char* name) {
  if (scripted("no_kernel")) return kNotFound;
  kernel = name;
  *function = reinterpret_cast<DriverFunction>(&kernel);
  return kSuccess;
}
FAKE_API(int) cuModuleGetGlobal_v2(uint64_t* address, size_t* bytes, DriverModule, const char* name) {
  static uint64_t variable = 0;
  if (std::string_view(name) != "variable") return kNotFound;
  *address = reinterpret_cast<uint64_t>(&variable);
  *bytes = sizeof variable;
  return kSuccess;
}
FAKE_API(int) cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  if (scripted("memory")) return 2;
  *address = reinterpret_cast<uint64_t>(std::calloc(1, bytes));
  return kSuccess;
}
FAKE_API(int) cuMemFree_v2(uint64_t address) {
  std::free(reinterpret_cast<void*>(address));
  return kSuccess;
}
FAKE_API(int) cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return kSuccess;
}
FAKE_API(int) cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return kSuccess;
}
FAKE_API(int) cuFuncSetAttribute(DriverFunction, int, int) { return kSuccess; }
FAKE_API(int) cuEventCreate(DriverEvent* event, unsigned) {
  *event = reinterpret_cast<DriverEvent>(&kernel);
  return kSuccess;
}
FAKE_API(int) cuEventRecord(DriverEvent event, DriverStream) { return event ? kSuccess : 1; }
FAKE_API(int) cuEventElapsedTime(float* milliseconds, DriverEvent, DriverEvent) {
  *milliseconds = 0.25f;
  return kSuccess;
}
#ifndef FAKE_DRIVER_IS_OLD
FAKE_API(int)
cuLaunchKernel(DriverFunction, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned, unsigned,
               unsigned shared_bytes, DriverStream, void** arguments, void** extra) {
  if (scripted("launch") || arguments || x != 1 || y != 1 || z != 1 || shared_bytes > 49152) return kLaunchFailed;
  outcome = scripted("fault") ? kLaunchFailed : kSuccess;
  // CU_LAUNCH_PARAM_BUFFER_POINTER, …_SIZE, …_END
  if (extra[0] != reinterpret_cast<void*>(1) || extra[2] != reinterpret_cast<void*>(2) || extra[4])
    return kLaunchFailed;
  Arguments packed;
  if (*static_cast<size_t*>(extra[3]) != sizeof packed) return kLaunchFailed;
  std::memcpy(&packed, extra[1], sizeof packed);
  run(packed, threads);
  return kSuccess;
}
#endif

// Initialisation, devices, versions, errors and entry points.
#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/launch/failed_launch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/interface/entry_points.hpp"
#include "bankshot/cuda/process/origin.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/gpu/machine_code.hpp"

namespace bankshot::cuda::driver {

BANKSHOT_API(cuInit)(unsigned flags) {
  if (flags != 0) return Status::invalid_value;
  Session& session = Session::get();
  std::lock_guard lock(session.mutex());
  Contexts::get().initialised = true;
  return Status::success;
}

BANKSHOT_API(cuDriverGetVersion)(int* version) { return give(version, kDriverVersion); }

BANKSHOT_API(cuDeviceGetCount)(int* count) {
  return query([&](Session&) { return give(count, 1); });
}

BANKSHOT_API(cuDeviceGet)(int* device, int ordinal) {
  return query([&](Session&) { return ordinal == 0 ? give(device, 0) : Status::invalid_device; });
}

BANKSHOT_API(cuDeviceGetName)(char* name, int size, int device) {
  return query([&](Session& session) {
    if (!name || size <= 0) return Status::invalid_value;
    if (device != 0) return Status::invalid_device;
    const std::string& text = session.device().name;
    const size_t length = std::min(text.size(), static_cast<size_t>(size) - 1);
    std::memcpy(name, text.data(), length);
    name[length] = '\0';
    return Status::success;
  });
}

BANKSHOT_API(cuDeviceGetUuid_v2)(unsigned char* uuid, int device) {
  return query([&](Session& session) {
    if (!uuid) return Status::invalid_value;
    if (device != 0) return Status::invalid_device;
    const auto bytes = uuid_of(session.device());
    std::copy(bytes.begin(), bytes.end(), uuid);
    return Status::success;
  });
}

BANKSHOT_API(cuDeviceTotalMem_v2)(size_t* bytes, int device) {
  return query(
      [&](Session& session) { return device == 0 ? give(bytes, session.device().memory) : Status::invalid_device; });
}

BANKSHOT_API(cuDeviceGetAttribute)(int* value, int number, int device) {
  return query([&](Session& session) {
    if (device != 0) return Status::invalid_device;
    const auto found = attribute(session.device(), number);
    return found ? give(value, *found) : Status::invalid_value;
  });
}

BANKSHOT_API(cuDeviceComputeCapability)(int* major, int* minor, int device) {
  return query([&](Session& session) {
    if (device != 0) return Status::invalid_device;
    if (!major || !minor) return Status::invalid_value;
    *major = session.device().major;
    *minor = session.device().minor;
    return Status::success;
  });
}

BANKSHOT_API(cuDeviceCanAccessPeer)(int* can, int device, int peer) {
  return query([&](Session&) { return device == 0 && peer == 0 ? give(can, 0) : Status::invalid_device; });
}

BANKSHOT_API(cuDeviceGetPCIBusId)(char* text, int size, int device) {
  return query([&](Session&) {
    if (!text || size <= static_cast<int>(std::strlen(kPciBusId))) return Status::invalid_value;
    if (device != 0) return Status::invalid_device;
    std::strcpy(text, kPciBusId);
    return Status::success;
  });
}

BANKSHOT_API(cuDeviceGetByPCIBusId)(int* device, const char* text) {
  return query([&](Session&) {
    if (!device || !text) return Status::invalid_value;
    return std::string_view(text) == kPciBusId ? give(device, 0) : Status::invalid_device;
  });
}

BANKSHOT_API(cuGetErrorName)(int code, const char** name) {
  const ErrorRow* row = find_error(code);
  if (!name) return Status::invalid_value;
  *name = row ? row->driver_name : nullptr;
  return *name ? Status::success : Status::invalid_value;
}

BANKSHOT_API(cuGetErrorString)(int code, const char** text) {
  const ErrorRow* row = find_error(code);
  if (!text) return Status::invalid_value;
  *text = row && row->driver_name ? row->text : nullptr;
  return *text ? Status::success : Status::invalid_value;
}

/// @param result  CUdriverProcAddressQueryResult: 0 found, 1 not found; may be null
BANKSHOT_API(cuGetProcAddress_v2)(const char* name, void** function, int version, uint64_t, int* result) {
  if (!name || !function) return Status::invalid_value;
  *function = entry_point(name, version);
  if (result) *result = *function ? 0 : 1;
  return *function ? Status::success : Status::not_found;
}

BANKSHOT_API(cuGetProcAddress)(const char* name, void** function, int version, uint64_t flags) {
  return bankshot_cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

/// NVIDIA's own runtime, linked into a program or library statically, asks for private tables here and cannot go on
/// without one of them: it would crash, so the program ends with the reason instead. It comes here only where
/// embedded/preload.cpp could not replace it. The names of libcuda.so.1 jump here, so the return address is in the file
/// that asks.
BANKSHOT_API(cuGetExportTable)(const void** table, const unsigned char* id) {
  constexpr unsigned char kRuntimeTable[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                               0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
  if (table) *table = nullptr;
  if (id && std::memcmp(id, kRuntimeTable, sizeof kRuntimeTable) == 0) {
    const Origin asks = origin_of(__builtin_return_address(0));
    if (gpu::machine_code_only(asks.file))
      say(fmt::format("{} was called; it cannot be used without a GPU, so the program ends", asks.file));
    else
      say(fmt::format(
          "{} has NVIDIA's runtime library linked into it (nvcc's default), which needs NVIDIA's driver and "
          "could not be replaced: run it with `bankshot run` and with its symbols (no strip, no -s), or rebuild "
          "it with -cudart shared{}",
          asks.is_program ? "this program" : asks.file,
          asks.is_program ? "" : ", if it is yours; a library of NVIDIA's cannot be used without a GPU"));
    _exit(1);
  }
  // The runtime asks for the first one before all, NVRTC for the second when it has compiled; both go on without it.
  constexpr unsigned char kOptionalTables[2][16] = {
      {0xf8, 0xcf, 0xf9, 0x51, 0x21, 0x46, 0x8b, 0x4e, 0xb9, 0xe2, 0xfb, 0x46, 0x9e, 0x7c, 0x0d, 0xd9},
      {0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41, 0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3, 0x28}};
  const auto is_asked_for = [id](const unsigned char(&table)[16]) { return std::memcmp(id, table, sizeof table) == 0; };
  if (id && std::none_of(std::begin(kOptionalTables), std::end(kOptionalTables), is_asked_for))
    say_once("cuGetExportTable",
             "cuGetExportTable: private tables of NVIDIA's driver do not exist; it returns "
             "CUDA_ERROR_INVALID_VALUE");
  return Status::invalid_value;
}

BANKSHOT_API(cuProfilerStart)() { return Status::success; }
BANKSHOT_API(cuProfilerStop)() { return Status::success; }

/// Where the functions without an implementation go; see libs/forward.hpp.
extern "C" __attribute__((visibility("default"))) Status bankshot_driver_not_supported(const char* name) {
  say_once(name, std::string(name) + " is not supported; it returns CUDA_ERROR_NOT_SUPPORTED");
  not_there(name);
  return Status::not_supported;
}

}  // namespace bankshot::cuda::driver

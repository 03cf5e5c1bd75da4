// Devices: there is one, the described GPU.
#include "bankshot/cuda/device/device.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {
namespace {

thread_local unsigned device_flags = 0;

Status give_properties(void* properties, int device, int version) {
  return query([&](Session& session) {
    if (!properties) return Status::invalid_value;
    if (device != 0) return Status::invalid_device;
    fill_properties(session.device(), version, properties);
    return Status::success;
  });
}

}  // namespace

BANKSHOT_API(cudaGetDeviceCount)(int* count) { return remember(give(count, 1)); }
BANKSHOT_API(cudaGetDevice)(int* device) { return remember(give(device, 0)); }

/// Since CUDA 12 it makes the primary context, and makes it current.
BANKSHOT_API(cudaSetDevice)(int device) {
  if (device != 0) return remember(Status::invalid_device);
  return call([](Session&) {
    bind_primary_context();
    return Status::success;
  });
}

/// The same without making it current.
BANKSHOT_API(cudaInitDevice)(int device, unsigned, unsigned) {
  if (device != 0) return remember(Status::invalid_device);
  return plain([](Session& session) {
    initialise_primary_context();
    return session.open();
  });
}

BANKSHOT_API(cudaSetValidDevices)(int* devices, int count) {
  if (!devices && count > 0) return remember(Status::invalid_value);
  return remember(std::all_of(devices, devices + std::max(count, 0), [](int d) { return d == 0; })
                      ? Status::success
                      : Status::invalid_device);
}

BANKSHOT_API(cudaSetDeviceFlags)(unsigned flags) {
  // 0-4 scheduling, 8 map host memory, 16 local memory, 0x80 sync memops. Source: CUDA runtime API reference
  if (flags & ~0x9fu) return remember(Status::invalid_value);
  device_flags = flags;
  return Status::success;
}

BANKSHOT_API(cudaGetDeviceFlags)(unsigned* flags) { return remember(give(flags, device_flags | 8)); }

BANKSHOT_API(cudaChooseDevice)(int* device, const void* properties) {
  return remember(properties ? give(device, 0) : Status::invalid_value);
}

BANKSHOT_API(cudaGetDeviceProperties_v11)(void* properties, int device) {
  return give_properties(properties, device, 11);
}
BANKSHOT_API(cudaGetDeviceProperties_v12)(void* properties, int device) {
  return give_properties(properties, device, 12);
}
BANKSHOT_API(cudaGetDeviceProperties_v13)(void* properties, int device) {
  return give_properties(properties, device, 13);
}

BANKSHOT_API(cudaDeviceGetAttribute)(int* value, int number, int device) {
  return query([&](Session& session) {
    if (device != 0) return Status::invalid_device;
    const auto found = attribute(session.device(), number);
    return found ? give(value, *found) : Status::invalid_value;
  });
}

BANKSHOT_API(cudaDeviceSynchronize)() {
  return call_synchronized([](Session& session) {
    session.report().refresh();
    return Status::success;
  });
}

BANKSHOT_API(cudaDeviceReset)() {
  return plain([](Session& session) {
    const Status status = session.reset();
    if (status == Status::success) last_error() = Status::success;
    return status;
  });
}

BANKSHOT_API(cudaDeviceSetLimit)(int limit, size_t value) {
  return call([&](Session& session) { return session.limits().set(limit, value, session.memory().engine()); });
}

BANKSHOT_API(cudaDeviceGetLimit)(size_t* value, int limit) {
  return call([&](Session& session) { return session.limits().get(limit, value); });
}

BANKSHOT_API(cudaDeviceSetCacheConfig)(int config) {
  return remember(config >= 0 && config <= 3 ? Status::success : Status::invalid_value);
}
BANKSHOT_API(cudaDeviceGetCacheConfig)(int* config) { return remember(give(config, 0)); }
BANKSHOT_API(cudaDeviceSetSharedMemConfig)(int config) {
  return remember(config >= 0 && config <= 2 ? Status::success : Status::invalid_value);
}
BANKSHOT_API(cudaDeviceGetSharedMemConfig)(int* config) { return remember(give(config, 1)); }  // four-byte banks
BANKSHOT_API(cudaCtxResetPersistingL2Cache)() { return Status::success; }

BANKSHOT_API(cudaDeviceCanAccessPeer)(int* can, int device, int peer) {
  if (device != 0 || peer != 0) return remember(Status::invalid_device);
  return remember(give(can, 0));
}
BANKSHOT_API(cudaDeviceEnablePeerAccess)(int, unsigned) { return remember(Status::invalid_device); }
BANKSHOT_API(cudaDeviceDisablePeerAccess)(int) { return remember(Status::peer_access_not_enabled); }
BANKSHOT_API(cudaDeviceGetP2PAttribute)(int*, int, int, int) { return remember(Status::invalid_device); }

BANKSHOT_API(cudaDeviceGetPCIBusId)(char* text, int size, int device) {
  if (!text || size <= 0) return remember(Status::invalid_value);
  if (device != 0) return remember(Status::invalid_device);
  if (static_cast<size_t>(size) <= std::strlen(kPciBusId)) return remember(Status::invalid_value);
  std::strcpy(text, kPciBusId);
  return Status::success;
}

BANKSHOT_API(cudaDeviceGetByPCIBusId)(int* device, const char* text) {
  if (!device || !text) return remember(Status::invalid_value);
  const std::string_view wanted = text, full = kPciBusId;
  // Domain and function may be left out: "01:00" or "01:00.0".
  if (wanted != full && wanted != full.substr(5) && wanted != full.substr(5, 5))
    return remember(Status::invalid_device);
  *device = 0;
  return Status::success;
}

BANKSHOT_API(cudaDriverGetVersion)(int* version) { return remember(give(version, kDriverVersion)); }
BANKSHOT_API(cudaRuntimeGetVersion_v13)(int* version) { return remember(give(version, kRuntimeVersion13)); }
BANKSHOT_API(cudaRuntimeGetVersion_v12)(int* version) { return remember(give(version, kRuntimeVersion12)); }

BANKSHOT_API(cudaDeviceGetStreamPriorityRange)(int* lowest, int* highest) {
  return query([&](Session&) {
    if (lowest) *lowest = kLowestPriority;
    if (highest) *highest = kHighestPriority;
    return Status::success;
  });
}

}  // namespace bankshot::cuda::runtime

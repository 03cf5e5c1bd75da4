// Multicast objects: see bankshot/cuda/memory/virtual_memory.hpp.
#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/memory/virtual_memory.hpp"
#include "bankshot/cuda/process/say.hpp"

namespace bankshot::cuda::driver {
namespace {

constexpr int kMulticastSupported = 132;  // CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED

/// Whether the GPU has multicast, and there can be such an object: of one device and not shared. Prints what Bankshot
/// does not support.
Status check(const Session& session, const abi::MulticastProperties* properties) {
  if (attribute(session.device(), kMulticastSupported) != 1) {
    say_once("no multicast", "multicast objects need a GPU of compute capability 9.0 or 10.x: choose one with --gpu");
    return Status::not_supported;
  }
  if (!properties || properties->devices == 0 || properties->flags != 0) return Status::invalid_value;
  if (properties->devices > 1) {
    say_once("multicast", "a multicast object of " + std::to_string(properties->devices) +
                              " devices is not supported: there is only one device");
    return Status::invalid_value;
  }
  if (properties->handle_types != 0) {
    say_once("shareable multicast", "multicast objects that are shared with other processes are not supported");
    return Status::not_supported;
  }
  return Status::success;
}

}  // namespace

BANKSHOT_API(cuMulticastGetGranularity)(size_t* bytes, const abi::MulticastProperties* properties, int option) {
  return call_anywhere([&](Session& session) {
    if (option < 0 || option > 1) return Status::invalid_value;
    const Status status = check(session, properties);
    return status == Status::success ? give(bytes, kGranularity) : status;
  });
}

BANKSHOT_API(cuMulticastCreate)(uint64_t* handle, const abi::MulticastProperties* properties) {
  return call_anywhere([&](Session& session) {
    if (!handle) return Status::invalid_value;
    if (const Status status = check(session, properties); status != Status::success) return status;
    return session.memory().virtual_memory.create_multicast(properties->bytes, *handle);
  });
}

BANKSHOT_API(cuMulticastAddDevice)(uint64_t handle, int device) {
  return call_anywhere([&](Session& session) {
    return device != 0 ? Status::invalid_device : session.memory().virtual_memory.add_device(handle);
  });
}

BANKSHOT_API(cuMulticastBindMem)
(uint64_t handle, size_t offset, uint64_t memory, size_t memory_offset, size_t bytes, unsigned long long flags) {
  return call_anywhere([&](Session& session) {
    if (flags != 0) return Status::invalid_value;
    return session.memory().virtual_memory.bind(session.memory().engine(), handle, offset, memory, memory_offset,
                                                bytes);
  });
}

BANKSHOT_API(cuMulticastBindAddr)
(uint64_t handle, size_t offset, DevicePointer address, size_t bytes, unsigned long long flags) {
  return call_anywhere([&](Session& session) {
    if (flags != 0) return Status::invalid_value;
    return session.memory().virtual_memory.bind_address(session.memory().engine(), handle, offset, address, bytes);
  });
}

BANKSHOT_API(cuMulticastUnbind)(uint64_t handle, int device, size_t offset, size_t bytes) {
  return call_anywhere([&](Session& session) {
    if (device != 0) return Status::invalid_device;
    return session.memory().virtual_memory.unbind(session.memory().engine(), handle, offset, bytes);
  });
}

}  // namespace bankshot::cuda::driver

// Virtual memory management; see bankshot/cuda/memory/virtual_memory.hpp.
#include "bankshot/cuda/memory/virtual_memory.hpp"

#include "bankshot/cuda/driver/call.hpp"

namespace bankshot::cuda::driver {
BANKSHOT_API(cuMemGetAllocationGranularity)(size_t* bytes, const abi::AllocationProperties* properties, int option) {
  return call_anywhere([&](Session&) {
    if (!properties || option < 0 || option > 1) return Status::invalid_value;
    return give(bytes, kGranularity);
  });
}

BANKSHOT_API(cuMemAddressReserve)
(DevicePointer* address, size_t bytes, size_t alignment, DevicePointer, unsigned long long flags) {
  return call_anywhere([&](Session& session) {
    if (!address || flags != 0) return Status::invalid_value;
    return session.memory().virtual_memory.reserve(session.memory().engine(), bytes, alignment, *address);
  });
}

BANKSHOT_API(cuMemAddressFree)(DevicePointer address, size_t bytes) {
  return call_anywhere([&](Session& session) {
    return session.memory().virtual_memory.unreserve(session.memory().engine(), address, bytes);
  });
}

BANKSHOT_API(cuMemCreate)
(uint64_t* handle, size_t bytes, const abi::AllocationProperties* properties, unsigned long long flags) {
  return call_anywhere([&](Session& session) {
    if (!handle || !properties || flags != 0) return Status::invalid_value;
    return session.memory().virtual_memory.create(session.memory().engine(), bytes, *properties, *handle);
  });
}

BANKSHOT_API(cuMemRelease)(uint64_t handle) {
  return call_anywhere([&](Session& session) { return session.memory().virtual_memory.release(handle); });
}

BANKSHOT_API(cuMemMap)(DevicePointer address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags) {
  return call_anywhere([&](Session& session) {
    if (flags != 0) return Status::invalid_value;
    return session.memory().virtual_memory.map(session.memory().engine(), address, bytes, offset, handle);
  });
}

BANKSHOT_API(cuMemUnmap)(DevicePointer address, size_t bytes) {
  return call_anywhere([&](Session& session) {
    return session.memory().virtual_memory.unmap(session.memory().engine(), address, bytes);
  });
}

/// Of several places that get access only the one device matters.
BANKSHOT_API(cuMemSetAccess)
(DevicePointer address, size_t bytes, const abi::AccessDescription* descriptions, size_t count) {
  return call_anywhere([&](Session& session) {
    if (!descriptions || count == 0) return Status::invalid_value;
    for (size_t k = 0; k < count; ++k) {
      constexpr int kOnDevice = 1;
      if (descriptions[k].location.type != kOnDevice) continue;
      if (descriptions[k].location.id != 0) return Status::invalid_device;
      const Status status =
          session.memory().virtual_memory.set_access(session.memory().engine(), address, bytes, descriptions[k].flags);
      if (status != Status::success) return status;
    }
    return Status::success;
  });
}

BANKSHOT_API(cuMemGetAccess)(uint64_t* flags, const abi::Location* location, DevicePointer address) {
  return call_anywhere([&](Session& session) {
    if (!flags || !location) return Status::invalid_value;
    return session.memory().virtual_memory.access(address, *flags);
  });
}

BANKSHOT_API(cuMemRetainAllocationHandle)(uint64_t* handle, void* address) {
  return call_anywhere([&](Session& session) {
    return handle ? session.memory().virtual_memory.retain(reinterpret_cast<uint64_t>(address), *handle)
                  : Status::invalid_value;
  });
}

BANKSHOT_API(cuMemGetAllocationPropertiesFromHandle)(abi::AllocationProperties* properties, uint64_t handle) {
  return call_anywhere([&](Session& session) {
    const PhysicalMemory* memory = session.memory().virtual_memory.find(handle);
    return memory ? give(properties, memory->properties) : Status::invalid_value;
  });
}

}  // namespace bankshot::cuda::driver

// Memory: allocation, registration, attributes of pointers.
#include <algorithm>
#include <cstring>

#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/graphs/node_work.hpp"
#include "bankshot/cuda/memory/allocate.hpp"
#include "bankshot/cuda/memory/managed_memory.hpp"

namespace bankshot::cuda::driver {
namespace {

using simt::MemoryKind;

/// Unlike the runtime interface, zero bytes are an error.
template <class Pointer>
Status give_memory(Session& session, Pointer* pointer, size_t bytes, MemoryKind kind) {
  if (!pointer || bytes == 0) return Status::invalid_value;
  uint64_t address = 0;
  if (const Status status = allocate(session.memory(), bytes, kind, address); status != Status::success) return status;
  *pointer = (Pointer)address;
  return Status::success;
}

void* as_pointer(DevicePointer address) { return reinterpret_cast<void*>(address); }

}  // namespace

BANKSHOT_API(cuMemAlloc_v2)(DevicePointer* address, size_t bytes) {
  return call_unsafe([&](Session& session) { return give_memory(session, address, bytes, MemoryKind::device); });
}

/// Zero bytes are none at all, as cuda.core's tests (test_device_alloc_zero_bytes) ask of NVIDIA's driver.
BANKSHOT_API(cuMemAllocFromPoolAsync)(DevicePointer* address, size_t bytes, void* pool, void* stream) {
  return issue(
      stream,
      [&](Session& session) {
        return address ? allocate_from(session.memory(), pool, bytes, *address) : Status::invalid_value;
      },
      [&](Session& session) { return allocate_later(session.memory(), address, bytes); });
}

BANKSHOT_API(cuMemAllocAsync)(DevicePointer* address, size_t bytes, void* stream) {
  return bankshot_cuMemAllocFromPoolAsync(address, bytes, nullptr, stream);
}

BANKSHOT_API(cuMemAllocManaged)(DevicePointer* address, size_t bytes, unsigned flags) {
  return call_unsafe([&](Session& session) {
    if (flags != 1 && flags != 2) return Status::invalid_value;
    return give_memory(session, address, bytes, MemoryKind::managed);
  });
}

BANKSHOT_API(cuMemAllocPitch_v2)(DevicePointer* address, size_t* pitch, size_t width, size_t height, unsigned element) {
  return call_unsafe([&](Session& session) {
    if (!pitch || (element != 4 && element != 8 && element != 16)) return Status::invalid_value;
    size_t bytes = 0;
    if (__builtin_mul_overflow(pitch_for(width), height, &bytes)) return Status::out_of_memory;
    const Status status = give_memory(session, address, bytes, MemoryKind::device);
    if (status == Status::success) *pitch = pitch_for(width);
    return status;
  });
}

BANKSHOT_API(cuMemFree_v2)(DevicePointer address) {
  return call_unsafe([&](Session& session) {
    return release(session.memory(), as_pointer(address), {MemoryKind::device, MemoryKind::managed});
  });
}

BANKSHOT_API(cuMemFreeAsync)(DevicePointer address, void* stream) {
  return issue(
      stream, [&](Session& session) { return release(session.memory(), as_pointer(address), {MemoryKind::device}); },
      [&](Session& session) { return free_work(session.memory(), address); });
}

BANKSHOT_API(cuMemHostAlloc)(void** pointer, size_t bytes, unsigned flags) {
  return call_unsafe([&](Session& session) {
    if (flags & ~7u) return Status::invalid_value;
    const Status status = give_memory(session, pointer, bytes, MemoryKind::pinned);
    if (status == Status::success) session.memory().host_flags[reinterpret_cast<uint64_t>(*pointer)] = flags | 2;
    return status;
  });
}

BANKSHOT_API(cuMemAllocHost_v2)(void** pointer, size_t bytes) { return bankshot_cuMemHostAlloc(pointer, bytes, 0); }

BANKSHOT_API(cuMemFreeHost)(void* pointer) {
  return call_unsafe([&](Session& session) { return release(session.memory(), pointer, {MemoryKind::pinned}); });
}

BANKSHOT_API(cuMemHostRegister_v2)(void* pointer, size_t bytes, unsigned flags) {
  return call_unsafe([&](Session& session) { return register_host(session.memory(), pointer, bytes, flags); });
}

BANKSHOT_API(cuMemHostUnregister)(void* pointer) {
  return call_unsafe([&](Session& session) { return unregister_host(session.memory(), pointer); });
}

BANKSHOT_API(cuMemHostGetDevicePointer_v2)(DevicePointer* address, void* pointer, unsigned flags) {
  return call([&](Session& session) {
    if (flags || !is_host_memory(session.memory(), pointer)) return Status::invalid_value;
    return give(address, reinterpret_cast<DevicePointer>(pointer));
  });
}

BANKSHOT_API(cuMemHostGetFlags)(unsigned* flags, void* pointer) {
  return call([&](Session& session) { return host_flags(session.memory(), pointer, flags); });
}

BANKSHOT_API(cuMemGetInfo_v2)(size_t* free, size_t* total) {
  return call([&](Session& session) {
    memory_info(session.memory().engine(), free, total);
    return Status::success;
  });
}

BANKSHOT_API(cuMemGetAddressRange_v2)(DevicePointer* base, size_t* size, DevicePointer address) {
  return call([&](Session& session) {
    const PointerView view = look_at(session.memory(), as_pointer(address));
    if (!view.allocation) return Status::not_found;
    if (base) *base = view.allocation->address;
    if (size) *size = view.allocation->size;
    return Status::success;
  });
}

/// Addresses are the process's (CUDA driver API reference, "Unified Addressing"): no context need be current.
BANKSHOT_API(cuPointerGetAttribute)(void* value, int which, DevicePointer address) {
  return call_anywhere([&](Session& session) {
    if (!value) return Status::invalid_value;
    const PointerView view = look_at(session.memory(), as_pointer(address));
    if (!view.allocation && session.device().pageable_memory && which == 3)
      return give(static_cast<DevicePointer*>(value), address);
    if (!view.allocation) return Status::invalid_value;
    const bool managed = view.type == PointerView::managed_memory;
    // Numbers: CUDA driver API reference, enum CUpointer_attribute.
    switch (which) {
      case 1:
        return give(static_cast<Context**>(value), current_context() ? current_context() : Contexts::get().primary());
      case 2: return give(static_cast<unsigned*>(value), view.type == PointerView::host_memory ? 1 : 2);
      case 3: return give(static_cast<DevicePointer*>(value), address);
      case 4:
        if (!view.host) return Status::invalid_value;
        return give(static_cast<void**>(value), view.host);
      case 6: return give(static_cast<unsigned*>(value), 0);  // synchronises always
      case 7: return give(static_cast<unsigned long long*>(value), view.allocation->address);
      case 8: return give(static_cast<unsigned*>(value), managed);
      case 9: return give(static_cast<int*>(value), 0);
      case 11: return give(static_cast<DevicePointer*>(value), view.allocation->address);
      case 12: return give(static_cast<size_t*>(value), view.allocation->size);
      case 13: return give(static_cast<unsigned*>(value), 1);
      default: return Status::not_supported;
    }
  });
}

BANKSHOT_API(cuPointerGetAttributes)(unsigned count, const int* which, void** values, DevicePointer address) {
  if (!which || !values) return Status::invalid_value;
  for (unsigned i = 0; i < count; ++i) {
    const Status status = bankshot_cuPointerGetAttribute(values[i], which[i], address);
    // The reference says that an attribute that the pointer lacks is null.
    if (status == Status::invalid_value && values[i]) {
      const bool word = which[i] == 2 || which[i] == 6 || which[i] == 8 || which[i] == 9 || which[i] == 13;
      std::memset(values[i], 0, word ? 4 : 8);
      continue;
    }
    if (status != Status::success) return status;
  }
  return Status::success;
}

BANKSHOT_API(cuPointerSetAttribute)(const void*, int which, DevicePointer) {
  return call([&](Session&) { return which == 6 ? Status::success : Status::invalid_value; });
}

// The first forms take the number of a device, the second ones a location.

BANKSHOT_API(cuMemAdvise_v2)(DevicePointer address, size_t bytes, int advice, abi::Location location) {
  return call([&](Session& session) { return advise(session.memory(), as_pointer(address), bytes, advice, location); });
}
BANKSHOT_API(cuMemAdvise)(DevicePointer address, size_t bytes, int advice, int device) {
  return bankshot_cuMemAdvise_v2(address, bytes, advice, location_of(device));
}

BANKSHOT_API(cuMemPrefetchAsync_v2)(DevicePointer address, size_t bytes, abi::Location location) {
  return call([&](Session& session) { return prefetch(session.memory(), as_pointer(address), bytes, location); });
}
BANKSHOT_API(cuMemPrefetchAsync)(DevicePointer address, size_t bytes, int device) {
  return bankshot_cuMemPrefetchAsync_v2(address, bytes, location_of(device));
}

BANKSHOT_API(cuMemRangeGetAttribute)(void* data, size_t size, int which, DevicePointer address, size_t bytes) {
  return call([&](Session& session) {
    return range_attribute(session.memory(), data, size, which, as_pointer(address), bytes);
  });
}
BANKSHOT_API(cuMemRangeGetAttributes)
(void** data, const size_t* sizes, const int* which, size_t count, DevicePointer address, size_t bytes) {
  return call([&](Session& session) {
    return range_attributes(session.memory(), data, sizes, which, count, as_pointer(address), bytes);
  });
}

}  // namespace bankshot::cuda::driver

#include "bankshot/cuda/memory/allocate.hpp"

#include <algorithm>

#include "bankshot/cuda/memory/transfer.hpp"

namespace bankshot::cuda {
namespace {

constexpr size_t kPitch = 512;

/// The live allocation with the address in it, or null.
const simt::Allocation* live(DeviceMemory& memory, const void* pointer) {
  const simt::Allocation* allocation = memory.engine().find(address_of(pointer));
  return allocation && allocation->live ? allocation : nullptr;
}

}  // namespace

Status allocate(DeviceMemory& memory, uint64_t bytes, simt::MemoryKind kind, uint64_t& address) {
  address = 0;
  if (bytes == 0) return Status::success;
  auto result = memory.engine().allocate(bytes, kind);
  if (!result) return Status::out_of_memory;
  address = *result;
  return Status::success;
}

Status allocate_from(DeviceMemory& memory, const void* handle, uint64_t bytes, uint64_t& address) {
  Pool* pool = handle ? memory.pools.find(handle) : memory.pools.current();
  if (!pool) return Status::invalid_value;
  const Status status = allocate(memory, bytes, simt::MemoryKind::device, address);
  if (status == Status::success && address != 0) memory.pools.allocated(*pool, address, bytes);
  return status;
}

Status release(DeviceMemory& memory, const void* pointer, std::initializer_list<simt::MemoryKind> kinds) {
  if (!pointer) return Status::success;
  const simt::Allocation* allocation = live(memory, pointer);
  if (!allocation || allocation->address != address_of(pointer) || std::ranges::count(kinds, allocation->kind) == 0)
    return Status::invalid_value;
  memory.host_flags.erase(address_of(pointer));
  memory.pools.freed(address_of(pointer));
  memory.managed_ranges.forget(allocation->address, allocation->size);
  if (allocation->mapped) {
    if (!allocation->charged) return Status::invalid_value;  // virtual memory management: cuMemUnmap
    memory.graph_use.freed(allocation->size);
    return memory.engine().unmap(address_of(pointer)) ? Status::success : Status::invalid_value;
  }
  return memory.engine().free(address_of(pointer)) ? Status::success : Status::invalid_value;
}

size_t pitch_for(size_t width) { return width > SIZE_MAX - kPitch ? SIZE_MAX : (width + kPitch - 1) / kPitch * kPitch; }

Status register_host(DeviceMemory& memory, void* pointer, size_t bytes, unsigned flags) {
  if (!pointer || bytes == 0 || (flags & ~0xfu)) return Status::invalid_value;
  if (live(memory, pointer)) return Status::already_registered;
  if (!memory.engine().register_host(address_of(pointer), bytes)) return Status::already_registered;
  memory.host_flags[address_of(pointer)] = flags | 2;
  return Status::success;
}

Status unregister_host(DeviceMemory& memory, void* pointer) {
  if (!memory.engine().unregister_host(address_of(pointer))) return Status::not_registered;
  memory.host_flags.erase(address_of(pointer));
  return Status::success;
}

bool is_host_memory(DeviceMemory& memory, const void* pointer) {
  return look_at(memory, pointer).type == PointerView::host_memory;
}

Status host_flags(DeviceMemory& memory, const void* pointer, unsigned* flags) {
  const auto found = memory.host_flags.find(address_of(pointer));
  if (!flags || found == memory.host_flags.end()) return Status::invalid_value;
  *flags = found->second;
  return Status::success;
}

void memory_info(const simt::Memory& memory, size_t* free, size_t* total) {
  if (free) *free = memory.capacity() - std::min(memory.capacity(), memory.used());
  if (total) *total = memory.capacity();
}

PointerView look_at(DeviceMemory& memory, const void* pointer) {
  PointerView view;
  void* address = const_cast<void*>(pointer);
  view.allocation = live(memory, pointer);
  if (!view.allocation) {
    view.host = address;
    return view;
  }
  view.device = address;
  switch (view.allocation->kind) {
    case simt::MemoryKind::pinned:
    case simt::MemoryKind::registered:
      view.type = PointerView::host_memory;
      view.host = address;
      break;
    case simt::MemoryKind::managed:
      view.type = PointerView::managed_memory;
      view.host = address;
      break;
    default: view.type = PointerView::device_memory;
  }
  return view;
}

Status check_managed(DeviceMemory& memory, const void* pointer, size_t bytes) {
  const PointerView view = look_at(memory, pointer);
  // A __managed__ variable is a global of its module; the engine may say so by its kind or as a module global.
  const bool managed = view.type == PointerView::managed_memory ||
                       (view.allocation && view.allocation->kind == simt::MemoryKind::module_global);
  if (!managed) return Status::invalid_value;
  return check_range(memory.engine(), address_of(pointer), bytes, Side::either);
}

}  // namespace bankshot::cuda

#include "bankshot/cuda/memory/virtual_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "bankshot/cuda/process/say.hpp"

namespace bankshot::cuda {
namespace {

constexpr int kMappedReadWrite = 3, kMappedRead = 1;

bool is_multiple(uint64_t number) { return number % kGranularity == 0; }
bool is_size(uint64_t bytes) { return bytes != 0 && is_multiple(bytes); }

}  // namespace

PhysicalMemory::~PhysicalMemory() {
  close(file);
  memory.give_back(bytes);
}

Status VirtualMemory::reserve(simt::Memory& memory, uint64_t bytes, uint64_t alignment, uint64_t& address) {
  if (!is_size(bytes) || (alignment != 0 && !std::has_single_bit(alignment))) return Status::invalid_value;
  const auto found = memory.reserve(bytes, std::max(alignment, kGranularity));
  if (!found) return Status::out_of_memory;
  address = *found;
  return Status::success;
}

Status VirtualMemory::unreserve(simt::Memory& memory, uint64_t address, uint64_t bytes) {
  const auto after = mappings_.lower_bound(address);
  if (after != mappings_.end() && after->first - address < bytes) return Status::invalid_value;
  return memory.unreserve(address, bytes) ? Status::success : Status::invalid_value;
}

Status VirtualMemory::create(simt::Memory& memory, uint64_t bytes, const abi::AllocationProperties& properties,
                             uint64_t& handle) {
  constexpr int kPinned = 1, kOnDevice = 1;
  if (!is_size(bytes) || properties.type != kPinned) return Status::invalid_value;
  if (properties.handle_types != 0) {
    say_once("shareable memory", "cuMemCreate: memory to be shared with other processes is not supported");
    return Status::not_supported;
  }
  if (properties.location.type != kOnDevice) {
    say_once("cuMemCreate on the host", "cuMemCreate: memory of the host is not supported; use cuMemHostAlloc");
    return Status::not_supported;
  }
  if (properties.location.id != 0) return Status::invalid_device;
  if (!memory.take(bytes)) return Status::out_of_memory;
  const int file = memfd_create("bankshot", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    if (file >= 0) close(file);
    memory.give_back(bytes);
    return Status::out_of_memory;
  }
  handle = next_handle_++;
  handles_[handle].physical = std::make_shared<PhysicalMemory>(memory, file, bytes, properties);
  return Status::success;
}

Status VirtualMemory::release(uint64_t handle) {
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return Status::invalid_value;
  if (--found->second.references == 0) handles_.erase(found);
  return Status::success;
}

const PhysicalMemory* VirtualMemory::find(uint64_t handle) const {
  const auto found = handles_.find(handle);
  return found == handles_.end() ? nullptr : found->second.physical.get();
}

Status VirtualMemory::retain(uint64_t address, uint64_t& handle) {
  const auto mapping = at(address);
  if (mapping == mappings_.end()) return Status::invalid_value;
  handle = mapping->second.handle;
  const auto [entry, fresh] = handles_.try_emplace(handle, Handle{mapping->second.physical, 1});
  if (!fresh) ++entry->second.references;
  return Status::success;
}

Status VirtualMemory::map(simt::Memory& memory, uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle) {
  const auto found = handles_.find(handle);
  // No other offset is allowed. Source: CUDA driver API reference, cuMemMap
  if (found == handles_.end() || offset != 0 || !is_size(bytes) || !is_multiple(address)) return Status::invalid_value;
  if (bytes > found->second.physical->bytes || !memory.is_reserved(address, bytes)) return Status::invalid_value;
  const auto after = mappings_.lower_bound(address);
  if (after != mappings_.end() && after->first - address < bytes) return Status::invalid_value;
  if (at(address) != mappings_.end()) return Status::invalid_value;
  mappings_[address] = {bytes, handle, found->second.physical, 0};
  return Status::success;
}

Status VirtualMemory::unmap(simt::Memory& memory, uint64_t address, uint64_t bytes) {
  if (!covers(address, bytes)) return Status::invalid_value;
  const auto first = mappings_.find(address), last = mappings_.lower_bound(address + bytes);
  for (auto it = first; it != last; ++it)
    if (it->second.access != 0) memory.unmap(it->first);
  mappings_.erase(first, last);
  return Status::success;
}

Status VirtualMemory::set_access(simt::Memory& memory, uint64_t address, uint64_t bytes, int flags) {
  if (!covers(address, bytes) || (flags != 0 && flags != kMappedRead && flags != kMappedReadWrite))
    return Status::invalid_value;
  const auto last = mappings_.lower_bound(address + bytes);
  for (auto it = mappings_.find(address); it != last; ++it) {
    Mapping& mapping = it->second;
    if (mapping.access == flags) continue;
    if (mapping.access != 0) memory.unmap(it->first);
    mapping.access = 0;
    if (flags != 0 && !memory.map(it->first, mapping.bytes, mapping.physical->file, 0, flags == kMappedReadWrite))
      return Status::out_of_memory;
    mapping.access = flags;
  }
  return Status::success;
}

Status VirtualMemory::access(uint64_t address, uint64_t& flags) const {
  const auto mapping = at(address);
  if (mapping == mappings_.end()) return Status::invalid_value;
  flags = static_cast<uint64_t>(mapping->second.access);
  return Status::success;
}

void VirtualMemory::clear() {
  mappings_.clear();
  handles_.clear();
}

bool VirtualMemory::covers(uint64_t address, uint64_t bytes) const {
  const uint64_t end = address + bytes;
  if (bytes == 0 || end < address) return false;
  for (auto it = mappings_.find(address); it != mappings_.end() && it->first == address; ++it) {
    address += it->second.bytes;
    if (address >= end) break;
  }
  return address == end;
}

VirtualMemory::Mappings::const_iterator VirtualMemory::at(uint64_t address) const {
  auto it = mappings_.upper_bound(address);
  if (it == mappings_.begin()) return mappings_.end();
  --it;
  return address - it->first < it->second.bytes ? it : mappings_.end();
}

}  // namespace bankshot::cuda

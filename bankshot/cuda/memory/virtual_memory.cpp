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

/// With a GPU these calls block until the devices of the team are there.
Status no_device_yet() {
  say_once("no device", "a multicast object is used before it has a device; call cuMulticastAddDevice first");
  return Status::illegal_state;
}

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
  handles_[handle].object.physical = std::make_shared<PhysicalMemory>(memory, file, bytes, properties);
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
  return found == handles_.end() ? nullptr : found->second.object.physical.get();
}

Status VirtualMemory::retain(uint64_t address, uint64_t& handle) {
  const auto mapping = at(address);
  if (mapping == mappings_.end()) return Status::invalid_value;
  handle = mapping->second.handle;
  const auto [entry, fresh] = handles_.try_emplace(handle, Handle{mapping->second.object, 1});
  if (!fresh) ++entry->second.references;
  return Status::success;
}

Status VirtualMemory::map(simt::Memory& memory, uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle) {
  const auto found = handles_.find(handle);
  // No other offset is allowed. Source: CUDA driver API reference, cuMemMap
  if (found == handles_.end() || offset != 0 || !is_size(bytes) || !is_multiple(address)) return Status::invalid_value;
  const Object& object = found->second.object;
  if (object.multicast && !object.multicast->has_device) return no_device_yet();
  if (bytes > (object.multicast ? object.multicast->bytes : object.physical->bytes)) return Status::invalid_value;
  if (!memory.is_reserved(address, bytes)) return Status::invalid_value;
  const auto after = mappings_.lower_bound(address);
  if (after != mappings_.end() && after->first - address < bytes) return Status::invalid_value;
  if (at(address) != mappings_.end()) return Status::invalid_value;
  mappings_[address] = {.bytes = bytes, .handle = handle, .object = object};
  return Status::success;
}

Status VirtualMemory::unmap(simt::Memory& memory, uint64_t address, uint64_t bytes) {
  if (!covers(address, bytes)) return Status::invalid_value;
  const auto first = mappings_.find(address), last = mappings_.lower_bound(address + bytes);
  for (auto it = first; it != last; ++it)
    if (it->second.access != 0) end_access(memory, it->first, it->second);
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
    if (mapping.access != 0) end_access(memory, it->first, mapping);
    mapping.access = 0;
    if (flags != 0 && !begin_access(memory, it->first, mapping, flags == kMappedReadWrite))
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

Status VirtualMemory::create_multicast(uint64_t bytes, uint64_t& handle) {
  if (!is_size(bytes)) return Status::invalid_value;
  handle = next_handle_++;
  handles_[handle].object.multicast = std::make_shared<MulticastObject>(MulticastObject{.bytes = bytes});
  return Status::success;
}

MulticastObject* VirtualMemory::find_multicast(uint64_t handle) {
  const auto found = handles_.find(handle);
  return found == handles_.end() ? nullptr : found->second.object.multicast.get();
}

Status VirtualMemory::add_device(uint64_t multicast) {
  MulticastObject* const object = find_multicast(multicast);
  if (object == nullptr || object->has_device) return Status::invalid_value;
  object->has_device = true;
  return Status::success;
}

Status VirtualMemory::bind(simt::Memory& memory, uint64_t multicast, uint64_t offset, uint64_t handle,
                           uint64_t memory_offset, uint64_t bytes) {
  MulticastObject* const object = find_multicast(multicast);
  const auto found = handles_.find(handle);
  if (object == nullptr || found == handles_.end() || !found->second.object.physical) return Status::invalid_value;
  return bind(memory, *object, offset, {found->second.object.physical, memory_offset, bytes});
}

Status VirtualMemory::bind_address(simt::Memory& memory, uint64_t multicast, uint64_t offset, uint64_t address,
                                   uint64_t bytes) {
  MulticastObject* const object = find_multicast(multicast);
  const auto mapping = at(address);
  if (object == nullptr) return Status::invalid_value;
  if (mapping == mappings_.end() || !mapping->second.object.physical) {
    say_once("cuMulticastBindAddr",
             "cuMulticastBindAddr: only memory of cuMemCreate, mapped by cuMemMap, is supported");
    return Status::invalid_value;
  }
  if (bytes > mapping->first + mapping->second.bytes - address) return Status::invalid_value;
  return bind(memory, *object, offset, {mapping->second.object.physical, address - mapping->first, bytes});
}

Status VirtualMemory::bind(simt::Memory& memory, MulticastObject& object, uint64_t offset,
                           MulticastObject::Bound bound) {
  if (!object.has_device) return no_device_yet();
  const auto fits = [&bound](uint64_t at, uint64_t whole) { return at <= whole && bound.bytes <= whole - at; };
  if (!is_size(bound.bytes) || !is_multiple(offset) || !is_multiple(bound.offset) || !fits(offset, object.bytes) ||
      !fits(bound.offset, bound.physical->bytes))
    return Status::invalid_value;
  const auto after = object.bound.lower_bound(offset);
  if (after != object.bound.end() && after->first - offset < bound.bytes) return Status::invalid_value;
  if (after != object.bound.begin() && offset - std::prev(after)->first < std::prev(after)->second.bytes)
    return Status::invalid_value;
  object.bound[offset] = std::move(bound);
  if (map_again(memory, object)) return Status::success;
  object.bound.erase(offset);
  map_again(memory, object);
  return Status::out_of_memory;
}

Status VirtualMemory::unbind(simt::Memory& memory, uint64_t multicast, uint64_t offset, uint64_t bytes) {
  MulticastObject* const object = find_multicast(multicast);
  if (object == nullptr) return Status::invalid_value;
  uint64_t end = offset;
  const auto first = object->bound.find(offset);
  auto last = first;
  for (; last != object->bound.end() && last->first == end && end - offset < bytes; ++last) end += last->second.bytes;
  if (bytes == 0 || end - offset != bytes) return Status::invalid_value;
  object->bound.erase(first, last);
  return map_again(memory, *object) ? Status::success : Status::out_of_memory;
}

bool VirtualMemory::map_again(simt::Memory& memory, const MulticastObject& object) {
  bool mapped = true;
  for (auto& [_, mapping] : mappings_) {
    if (mapping.object.multicast.get() != &object || mapping.access == 0) continue;
    unmap_pieces(memory, mapping);
    mapped &= map_pieces(memory, mapping, mapping.access == kMappedReadWrite);
  }
  return mapped;
}

bool VirtualMemory::begin_access(simt::Memory& memory, uint64_t address, Mapping& mapping, bool writable) {
  if (mapping.object.physical) return memory.map(address, mapping.bytes, mapping.object.physical->file, 0, writable);
  const auto alias = memory.reserve(mapping.bytes, kGranularity);
  if (!alias) return false;
  mapping.alias = *alias;
  memory.add_multicast(address, mapping.bytes, mapping.alias);
  if (map_pieces(memory, mapping, writable)) return true;
  end_access(memory, address, mapping);
  return false;
}

bool VirtualMemory::map_pieces(simt::Memory& memory, Mapping& mapping, bool writable) {
  for (const auto& [offset, bound] : mapping.object.multicast->bound) {
    if (offset >= mapping.bytes) break;
    const uint64_t piece = mapping.alias + offset, bytes = std::min(bound.bytes, mapping.bytes - offset);
    if (!memory.map(piece, bytes, bound.physical->file, bound.offset, writable)) return false;
    mapping.pieces.push_back(piece);
  }
  return true;
}

void VirtualMemory::end_access(simt::Memory& memory, uint64_t address, Mapping& mapping) {
  if (mapping.object.physical) {
    memory.unmap(address);
    return;
  }
  memory.remove_multicast(address);
  unmap_pieces(memory, mapping);
  memory.unreserve(mapping.alias, mapping.bytes);
}

void VirtualMemory::unmap_pieces(simt::Memory& memory, Mapping& mapping) {
  for (const uint64_t piece : mapping.pieces) memory.unmap(piece);
  mapping.pieces.clear();
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

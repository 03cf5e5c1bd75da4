// Allocation, registration and classification of memory, shared by both interfaces.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/memory/device_memory.hpp"

namespace bankshot::cuda {

/// Zero bytes give address 0. @return success or out_of_memory
Status allocate(DeviceMemory& memory, uint64_t bytes, simt::MemoryKind kind, uint64_t& address);

/// The same from a pool, null for the current one. @return … or invalid_value if it is not a pool
Status allocate_from(DeviceMemory& memory, const void* pool, uint64_t bytes, uint64_t& address);

/// Frees a live allocation of one of these kinds, given its start. Does nothing for null.
/// @return success or invalid_value
Status release(DeviceMemory& memory, const void* pointer, std::initializer_list<simt::MemoryKind> kinds);

/// Row pitch of a pitched allocation, in bytes. Source: real GPUs give multiples of 512
size_t pitch_for(size_t width);

/// cudaHostRegister. @return success, invalid_value or already_registered
Status register_host(DeviceMemory& memory, void* pointer, size_t bytes, unsigned flags);
/// @return success or not_registered
Status unregister_host(DeviceMemory& memory, void* pointer);

/// Whether the address is in pinned or registered memory.
bool is_host_memory(DeviceMemory& memory, const void* pointer);
/// Flags of pinned or registered memory, which must be given by its start. @return success or invalid_value
Status host_flags(DeviceMemory& memory, const void* pointer, unsigned* flags);

/// Free and total bytes of device memory. Either pointer may be null.
void memory_info(const simt::Memory& memory, size_t* free, size_t* total);

/// What an address is to a program.
struct PointerView {
  enum Type : int { unregistered = 0, host_memory = 1, device_memory = 2, managed_memory = 3 };
  Type type = unregistered;
  void* device = nullptr;  ///< address for kernels, or null
  void* host = nullptr;    ///< address for the host, or null
  const simt::Allocation* allocation = nullptr;
};
PointerView look_at(DeviceMemory& memory, const void* pointer);

/// success if the whole range is managed memory, else invalid_value.
Status check_managed(DeviceMemory& memory, const void* pointer, size_t bytes);

}  // namespace bankshot::cuda

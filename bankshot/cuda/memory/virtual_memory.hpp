// Virtual memory management: the program reserves addresses, allocates memory, and maps one to the other.
// Source: CUDA driver API reference, "Virtual Memory Management".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

#include "bankshot/cuda/abi/abi_graph.hpp"
#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/simt/memory/memory.hpp"

namespace bankshot::cuda {

/// Sizes, addresses and offsets are multiples of this, as on real GPUs.
constexpr uint64_t kGranularity = uint64_t{2} << 20;

/// Memory without an address: an anonymous file, so that it can be mapped in several places and keeps its contents.
struct PhysicalMemory {
  PhysicalMemory(simt::Memory& memory, int file, uint64_t bytes, const abi::AllocationProperties& properties)
      : memory(memory), file(file), bytes(bytes), properties(properties) {}
  ~PhysicalMemory();
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;

  simt::Memory& memory;
  int file;
  uint64_t bytes;
  abi::AllocationProperties properties;
};

/// Ranges and handles of the process. Requires the session's lock. Every function returns invalid_value for an invalid
/// range or handle, and for sizes, addresses and offsets that are not multiples of the granularity.
class VirtualMemory {
 public:
  Status reserve(simt::Memory& memory, uint64_t bytes, uint64_t alignment, uint64_t& address);
  Status unreserve(simt::Memory& memory, uint64_t address, uint64_t bytes);

  /// @return … out_of_memory, invalid_device, or not_supported: memory of the host, or to be shared with other
  /// processes
  Status create(simt::Memory& memory, uint64_t bytes, const abi::AllocationProperties& properties, uint64_t& handle);
  /// The memory is freed when its last handle and its last mapping are gone.
  Status release(uint64_t handle);
  /// Null if the handle is invalid.
  const PhysicalMemory* find(uint64_t handle) const;
  /// Another reference to the handle of the memory mapped at an address. It needs its own release().
  Status retain(uint64_t address, uint64_t& handle);

  /// Nobody may access the range before set_access().
  Status map(simt::Memory& memory, uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle);
  /// The range consists of whole mappings, here and below.
  Status unmap(simt::Memory& memory, uint64_t address, uint64_t bytes);
  /// @param flags  0 none, 1 read, 3 read and write
  Status set_access(simt::Memory& memory, uint64_t address, uint64_t bytes, int flags);
  Status access(uint64_t address, uint64_t& flags) const;

  void clear();

 private:
  struct Handle {
    std::shared_ptr<PhysicalMemory> physical;
    uint64_t references = 1;
  };
  struct Mapping {
    uint64_t bytes = 0, handle = 0;
    std::shared_ptr<PhysicalMemory> physical;
    int access = 0;
  };
  using Mappings = std::map<uint64_t, Mapping>;
  bool covers(uint64_t address, uint64_t bytes) const;
  Mappings::const_iterator at(uint64_t address) const;

  std::unordered_map<uint64_t, Handle> handles_;
  Mappings mappings_;  ///< by address
  uint64_t next_handle_ = 1;
};

}  // namespace bankshot::cuda

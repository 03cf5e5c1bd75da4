// Virtual memory management: the program reserves addresses, allocates memory, and maps one to the other.
// Source: CUDA driver API reference, "Virtual Memory Management".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

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

/// What multimem instructions access: memory of all devices of a team, here of one. Source: CUDA driver API reference,
/// "Multicast Object Management".
struct MulticastObject {
  struct Bound {
    std::shared_ptr<PhysicalMemory> physical;
    uint64_t offset = 0, bytes = 0;  ///< in that memory
  };
  uint64_t bytes = 0;
  bool has_device = false;
  std::map<uint64_t, Bound> bound;  ///< by offset in the object
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

  // Multicast objects are created, mapped and released like memory. Kernels access them by multimem only.

  /// A team of one device.
  Status create_multicast(uint64_t bytes, uint64_t& handle);
  Status add_device(uint64_t multicast);
  /// Binds memory to a part of the object where nothing is bound yet. @return … illegal_state before add_device()
  Status bind(simt::Memory& memory, uint64_t multicast, uint64_t offset, uint64_t handle, uint64_t memory_offset,
              uint64_t bytes);
  /// The same with memory of the mapping that contains the address.
  Status bind_address(simt::Memory& memory, uint64_t multicast, uint64_t offset, uint64_t address, uint64_t bytes);
  /// @param bytes  of whole bindings
  Status unbind(simt::Memory& memory, uint64_t multicast, uint64_t offset, uint64_t bytes);

  void clear();

 private:
  /// Memory, or a multicast object: the other is null.
  struct Object {
    std::shared_ptr<PhysicalMemory> physical;
    std::shared_ptr<MulticastObject> multicast;
  };
  struct Handle {
    Object object;
    uint64_t references = 1;
  };
  struct Mapping {
    uint64_t bytes = 0, handle = 0;
    Object object{};
    int access = 0;
    // Of a multicast object with access:
    uint64_t alias = 0;              ///< where its memory is mapped, for multimem
    std::vector<uint64_t> pieces{};  ///< addresses of what is mapped there
  };
  MulticastObject* find_multicast(uint64_t handle);
  Status bind(simt::Memory& memory, MulticastObject& object, uint64_t offset, MulticastObject::Bound bound);
  /// Maps what is bound now, wherever the object is mapped with access. @return false if there is no room
  bool map_again(simt::Memory& memory, const MulticastObject& object);
  static bool begin_access(simt::Memory& memory, uint64_t address, Mapping& mapping, bool writable);
  static bool map_pieces(simt::Memory& memory, Mapping& mapping, bool writable);
  static void unmap_pieces(simt::Memory& memory, Mapping& mapping);
  static void end_access(simt::Memory& memory, uint64_t address, Mapping& mapping);
  using Mappings = std::map<uint64_t, Mapping>;
  bool covers(uint64_t address, uint64_t bytes) const;
  Mappings::const_iterator at(uint64_t address) const;

  std::unordered_map<uint64_t, Handle> handles_;
  Mappings mappings_;  ///< by address
  uint64_t next_handle_ = 1;
};

}  // namespace bankshot::cuda

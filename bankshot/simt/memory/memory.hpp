// Device memory: a reserved range of the process's own address space and the table that guards it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bankshot/simt/memory/free_ranges.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::simt {

inline constexpr uint64_t kPage = 4096;  ///< of the host, bytes

constexpr uint64_t kMemoryBytes = uint64_t{16} << 30;  ///< memory of a device by default

enum class MemoryKind : uint8_t { device, pinned, managed, module_global, module_constant, registered, heap };

struct Allocation {
  uint64_t address = 0;
  uint64_t size = 0;  ///< bytes asked for; the guard is exact
  MemoryKind kind = MemoryKind::device;
  bool live = true;      ///< false: freed, kept so that a later use can be named
  bool writable = true;  ///< false for constants
  bool mapped = false;   ///< by Memory::map: what follows at the next byte may belong to the same array
  bool charged = true;   ///< counts in Memory::used()
  std::string label{};   ///< variable name, or empty
};

/// Device pointers are addresses of this process, so managed, pinned and device memory need no translation.
/// Freed ranges are reused only after the reserve is exhausted, so that use after free is seen.
/// Lookups may run concurrently with each other, not with changes.
class Memory {
 public:
  /// @param capacity  bytes the device has (what cudaMemGetInfo calls total)
  explicit Memory(uint64_t capacity);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Zero-filled. @param alignment  power of two; at least 256 is used
  /// Error when the device's capacity or the reserve is exhausted.
  Result<uint64_t> allocate(uint64_t bytes, MemoryKind kind, uint64_t alignment = 256, std::string label = {});
  /// @return false if `address` is not the start of a live allocation
  bool free(uint64_t address);
  /// Makes a range of the host's own memory accessible to kernels (cudaHostRegister).
  bool register_host(uint64_t address, uint64_t bytes);
  bool unregister_host(uint64_t address);

  /// For malloc() in kernels: a block of the heap, at a multiple of 16. @return 0 if the heap is full
  uint64_t heap_allocate(uint64_t bytes);
  /// @return false if the address is not the start of a live block
  bool heap_free(uint64_t address);
  /// Bytes of the heap, once the first block is there for good. Source: cudaLimitMallocHeapSize, 8 MiB.
  uint64_t heap_bytes = uint64_t{8} << 20;
  // Address ranges without memory, into which memory is mapped later. All sizes and addresses are multiples of a page.

  /// Takes address space only; no access to it is allowed until something is mapped there.
  Result<uint64_t> reserve(uint64_t bytes, uint64_t alignment);
  /// Gives the address space back; @return false if [address, address + bytes) was not reserved as one, or is mapped in
  /// part
  bool unreserve(uint64_t address, uint64_t bytes);
  /// Whether the range lies in one reserved range.
  bool is_reserved(uint64_t address, uint64_t bytes) const;
  /// Maps memory into a reserved range: fresh zeros, or those bytes of a file, which may be mapped elsewhere, too.
  /// Fresh memory counts as used. @param file  descriptor, or -1 for fresh memory
  /// @return false if something is mapped there, or the device or the host has no memory left
  bool map(uint64_t address, uint64_t bytes, int file = -1, uint64_t offset = 0, bool writable = true);
  /// Unmaps what map() has mapped by this address.
  bool unmap(uint64_t address);
  /// From now on multimem at `address` + n accesses `alias` + n.
  void add_multicast(uint64_t address, uint64_t bytes, uint64_t alias) { multicast_[address] = {bytes, alias}; }
  void remove_multicast(uint64_t address) { multicast_.erase(address); }
  /// The address where multimem instructions find what they access; 0 if no multicast object is mapped there.
  uint64_t behind_multicast(uint64_t address) const;
  /// Counts memory outside all ranges, such as files to map. @return false if the device does not have that much
  bool take(uint64_t bytes);
  void give_back(uint64_t bytes) { used_ -= bytes; }

  /// Whether the address is in the device's range, allocated or not: the program's own memory is outside.
  bool contains(uint64_t address) const { return address - base_ < reserve_; }
  /// Where that range starts: another place in every process.
  uint64_t base() const { return base_; }
  /// The allocation (live or freed) that contains the address, or null.
  const Allocation* find(uint64_t address) const;
  /// What a kernel may access there: find(), or else the range of the host's memory with the address.
  const Allocation* accessible(uint64_t address) const;
  /// The host's own memory that kernels may access although nobody allocated it here: pageable memory, on systems where
  /// GPUs read the host's page tables. @param ranges  by address; none overlaps the device's range
  void set_host_ranges(std::vector<Allocation> ranges);
  bool has_host_ranges() const { return !host_ranges_.empty(); }
  /// The allocation nearest below or above, for messages; null if there is none.
  const Allocation* nearest(uint64_t address) const;

  /// Told of each new allocation.
  std::function<void(const Allocation&)> after_allocate;
  /// Told of each allocation, while its contents are still there, before it is freed.
  std::function<void(const Allocation&)> before_free;
  /// Calls `visit` for each live allocation, by address.
  template <class Visit>
  void for_each_live(Visit visit) const {
    for (const auto& [address, allocation] : table_) {
      if (allocation.live) visit(allocation);
    }
  }

  uint64_t capacity() const { return capacity_; }
  uint64_t used() const { return used_; }
  /// Changes whenever the table does: cached lookups of an older generation are void.
  uint64_t generation() const { return generation_; }

 private:
  uint64_t capacity_ = 0, used_ = 0, generation_ = 1;
  uint64_t base_ = 0, reserve_ = 0, next_ = 0;
  std::map<uint64_t, Allocation> table_;   ///< by start address
  std::map<uint64_t, uint64_t> reserved_;  ///< start -> bytes
  struct Multicast {
    uint64_t bytes = 0, alias = 0;
  };
  std::map<uint64_t, Multicast> multicast_;  ///< by start address
  std::vector<Allocation> host_ranges_;
  FreeRanges freed_;                       ///< reusable when the reserve is exhausted
  uint64_t heap_next_ = 0, heap_end_ = 0;  ///< of the heap what no block has had yet
  FreeRanges heap_freed_;
};

}  // namespace bankshot::simt

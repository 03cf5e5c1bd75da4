// Which bytes of memory have been written.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace bankshot::hazards {

/// Of one range that begins at 0.
class WrittenBytes {
 public:
  explicit WrittenBytes(uint64_t bytes) : bits_((bytes + 63) / 64), unwritten_(bytes) {}

  /// Both ranges lie within.
  void write(uint64_t offset, uint64_t bytes);
  bool is_written(uint64_t offset, uint64_t bytes) const;
  bool all_written() const { return unwritten_ == 0; }

 private:
  std::vector<uint64_t> bits_;
  uint64_t unwritten_;  ///< bytes
};

/// Of many ranges of an address space. What lies in none of them counts as written.
class WrittenRanges {
 public:
  /// Adds a range in which nothing is written; forgets the ranges that it overlaps.
  void add(uint64_t address, uint64_t bytes);
  void remove(uint64_t address);
  /// Ranges that [address, address + bytes) touches are forgotten.
  void forget(uint64_t address, uint64_t bytes);
  void clear() { ranges_.clear(); }
  void write(uint64_t address, uint64_t bytes);
  /// @return the first byte of [address, address + bytes) that was not written, or its end
  uint64_t first_unwritten(uint64_t address, uint64_t bytes);

 private:
  static constexpr uint64_t kPage = 1 << 16;
  struct Range {
    uint64_t end = 0;
    std::unordered_map<uint64_t, WrittenBytes> pages;  ///< by address / kPage; one that is missing has nothing written
  };
  using Ranges = std::map<uint64_t, Range>;

  /// The first range that ends behind the address.
  Ranges::iterator from(uint64_t address);
  WrittenBytes* page_of(Range& range, uint64_t address, bool make);

  Ranges ranges_;  ///< by first address
};

}  // namespace bankshot::hazards

// What products read of shared memory by matrix descriptors: in which layouts, and who wrote it. Knows instructions by
// the numbers of their sites.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bankshot/simt/tiles/operand_layout.hpp"

namespace bankshot::simt {

/// Who wrote 16 bytes of shared memory last.
struct TileWriter {
  static constexpr uint32_t kNobody = UINT32_MAX;
  uint32_t site = kNobody;
  bool is_tensor = false;  ///< a copy by a tensor map
  Swizzle swizzle;         ///< … that has this one

  auto operator<=>(const TileWriter&) const = default;
};

/// Of each 16 bytes of a CTA's shared memory.
class TileWriters {
 public:
  static constexpr unsigned kBytes = 16;

  /// Nobody wrote anything so far.
  void start(uint32_t shared_bytes) { writers_.assign((shared_bytes + kBytes - 1) / kBytes, {}); }
  bool followed() const { return !writers_.empty(); }
  /// @param offset  bytes; what lies behind the end is ignored
  void wrote(const TileWriter& by, uint64_t offset, unsigned bytes) {
    for (uint64_t k = offset / kBytes; k <= (offset + bytes - 1) / kBytes && k < writers_.size(); ++k) writers_[k] = by;
  }
  TileWriter at(uint32_t offset) const {
    const size_t k = offset / kBytes;
    return k < writers_.size() ? writers_[k] : TileWriter{};
  }

 private:
  std::vector<TileWriter> writers_;
};

/// The reads of one operand at one site in one layout.
struct OperandReads {
  OperandLayout layout;
  uint64_t reads = 0;  ///< times that an instruction read it
  struct Part {
    TileWriter by;
    uint64_t bytes = 0;  ///< that were read
  };
  std::vector<Part> written;  ///< by writer

  void add(const TileWriter& by, uint64_t bytes);
  void merge(const OperandReads& other);
};

/// Where 16 bytes lie in the tile that products read there.
struct TilePlace {
  Swizzle swizzle;
  unsigned row = 0;          ///< of the eight of an atom
  unsigned column = 0;       ///< units of 16 bytes along the contiguous dimension …
  unsigned known_width = 0;  ///< … modulo this many: 1, 2, 4 or 8
};

/// The reads of a launch. One per worker thread; merged afterwards. The result does not depend on the order.
class TileReads {
 public:
  TileReads(uint32_t shared_bytes, size_t sites);

  /// An instruction is about to read an operand. @param start  of its descriptor, bytes @param columns  units of 16
  /// bytes along the contiguous dimension
  void begin(uint32_t site, const OperandLayout& layout, uint32_t start, unsigned columns);
  /// It reads 16 bytes at each of these offsets.
  void read(std::span<const uint32_t> offsets, const TileWriters& writers);
  void merge(const TileReads& other);

  /// By layout.
  const std::vector<OperandReads>& at(uint32_t site) const { return sites_[site]; }
  /// Nothing if no product read there, or products read there in several layouts.
  std::optional<TilePlace> place(uint32_t offset) const;

 private:
  static constexpr uint16_t kNone = 0, kSeveral = UINT16_MAX;
  /// All tiles of an operand that have one layout.
  struct Tiles {
    char operand = 'A';
    TileLayout layout;
    unsigned columns = 0;          ///< units of 16 bytes along the contiguous dimension that an instruction reads
    std::vector<uint32_t> starts;  ///< of descriptors, ascending
    void add(uint32_t start, unsigned more_columns);
  };
  static std::optional<TilePlace> place_in_cores(const Tiles& tiles, uint32_t offset);
  uint16_t number_of(char operand, const TileLayout& layout);
  void note(size_t chunk, uint16_t number);

  std::vector<std::vector<OperandReads>> sites_;
  std::vector<Tiles> tiles_;
  std::vector<uint16_t> number_;  ///< of each 16 bytes: 1 + its index in tiles_, kNone or kSeveral
  OperandReads* reading_ = nullptr;
  uint16_t reading_number_ = kNone;
};

}  // namespace bankshot::simt

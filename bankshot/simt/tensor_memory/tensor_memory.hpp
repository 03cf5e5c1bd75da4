// Tensor memory: what a CTA has of it, and where loads, stores and products find their elements there. Pure
// descriptions. Source: PTX ISA 9.0, section 9.7.16 (tcgen05).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bankshot::simt {

/// An address: the lane in the upper half, the column in the lower one.
struct TensorAddress {
  uint32_t lane = 0, column = 0;
  static TensorAddress unpacked(uint32_t bits) { return {bits >> 16, bits & 0xffff}; }
  uint32_t packed() const { return lane << 16 | column; }
  bool operator==(const TensorAddress&) const = default;
};

/// What an instruction accesses at once.
struct TensorRange {
  TensorAddress at;
  unsigned lanes = 0, columns = 0;
  bool written = false;
  bool spread = false;  ///< the first 16 of each 32 lanes only: rows of an M of 64

  bool operator==(const TensorRange&) const = default;
  bool has(unsigned lane) const {
    return lane >= at.lane && lane < at.lane + lanes && (!spread || (lane - at.lane) % 32 < 16);
  }
  bool overlaps(const TensorRange& other) const {
    const auto meet = [](unsigned a, unsigned size_a, unsigned b, unsigned size_b) {
      return a < b + size_b && b < a + size_a;
    };
    if (!meet(at.column, columns, other.at.column, other.columns)) return false;
    for (unsigned lane = at.lane; lane < at.lane + lanes; ++lane) {
      if (has(lane) && other.has(lane)) return true;
    }
    return false;
  }
};

/// 128 lanes of 512 columns of 32 bits, of which columns are allocated. An SM has one; here each CTA has its own.
class TensorMemory {
 public:
  static constexpr unsigned kLanes = 128, kColumns = 512, kLeastColumns = 32;

  TensorMemory() : cells_(size_t{kLanes} * kColumns), range_(kColumns, 0) {}

  /// A power of two from kLeastColumns on.
  static bool can_be_allocated(uint64_t columns);
  /// @param columns  can_be_allocated() @return the first, a multiple of `columns`; nothing if so many are not free
  std::optional<unsigned> allocate(unsigned columns);
  /// @return false, and nothing is freed, if no allocation of so many columns begins there
  bool free(unsigned first, unsigned columns);
  /// Whether all of them are.
  bool allocated(unsigned first, unsigned columns) const;
  /// Allocated ones.
  unsigned in_use() const;
  /// No more columns are allocated for the CTA.
  void relinquish() { relinquished_ = true; }
  bool relinquished() const { return relinquished_; }

  /// The lanes of a column.
  uint32_t* column(unsigned column) { return cells_.data() + size_t{column} * kLanes; }

  unsigned waited = 0;  ///< how often an allocation found too few columns since the last one that did not

 private:
  std::vector<uint32_t> cells_;  ///< [column][lane]
  std::vector<uint16_t> range_;  ///< by column: columns of the allocation that it is in
  bool relinquished_ = false;
};

/// How tcgen05.ld and .st lay a warp's registers out.
struct TensorMoveShape {
  enum class Kind : uint8_t { b32x32, b64x16, b128x16, b256x16, b32x16x2 };  ///< bits of a lane × lanes
  Kind kind = Kind::b32x32;
  unsigned registers = 1;
  bool packed = false;  ///< .pack::16b, .unpack::16b: a register holds the lower halves of two columns

  /// @param shape  "16x64b" @param num  "x4" @return false if there is no such one
  static bool named(std::string_view shape, std::string_view num, bool packed, TensorMoveShape& out);
  uint32_t bits() const { return registers | static_cast<uint32_t>(kind) << 8 | (packed ? 1u << 16 : 0); }
  static TensorMoveShape from_bits(uint32_t bits);

  /// Lanes of tensor memory that a warp accesses.
  unsigned lanes() const { return kind == Kind::b32x32 ? 32 : 16; }
  /// Columns, of the first or only part.
  unsigned columns() const;
  /// Where the register of a thread is, from the address on; if packed, the column is that of its lower half.
  /// @param split  columns from the first part to the second, of b32x16x2
  TensorAddress cell(unsigned reg, unsigned thread, unsigned split) const;
};

}  // namespace bankshot::simt

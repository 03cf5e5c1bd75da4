// Which registers of a function are still needed where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bankshot/optimise/values.hpp"

namespace bankshot::optimise {

/// A set of registers, by entity.
class LiveSet {
 public:
  explicit LiveSet(size_t entities) : bits_((entities + 63) / 64) {}
  bool has(int entity) const { return (word(entity) >> (entity % 64) & 1) != 0; }
  void insert(int entity) { word(entity) |= uint64_t{1} << (entity % 64); }
  void erase(int entity) { word(entity) &= ~(uint64_t{1} << (entity % 64)); }
  /// @return whether that added any
  bool insert(const LiveSet& other);

 private:
  uint64_t& word(int entity) { return bits_[static_cast<size_t>(entity) / 64]; }
  uint64_t word(int entity) const { return bits_[static_cast<size_t>(entity) / 64]; }
  std::vector<uint64_t> bits_;
};

class Liveness {
 public:
  Liveness(const ptx::KernelCode& code, const Control& control);
  /// Registers whose value may still be read after a block.
  const LiveSet& behind(uint32_t block) const { return out_[block]; }
  /// The step behind a block.
  size_t end(uint32_t block) const;
  /// From behind step `from` - 1 to behind step `to` - 1 of the same block, which comes before it.
  void back(size_t from, size_t to, LiveSet& live) const;

 private:
  const ptx::KernelCode& code_;
  const Control& control_;
  std::vector<LiveSet> out_;  ///< by block
};

/// 32-bit registers that a value takes; predicates take none.
unsigned words_of(const ptx::KernelCode& code, int entity);

/// 32-bit registers in use at once, at the most.
unsigned most_in_use(const ptx::KernelCode& code, const Control& control, const Liveness& liveness);

}  // namespace bankshot::optimise

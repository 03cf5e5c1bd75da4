// The different accesses of one instruction, in bounded memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bankshot/scratchpad/access/access.hpp"

namespace bankshot::scratchpad {

/// Every different access (lanes and their word addresses) with how often it came. Of more than `capacity` different
/// ones a sample is kept: those whose 64-bit digests are the least. Which those are does not depend on the order in
/// which the accesses came nor on how they were spread over workers, and the counts of those that are kept are exact.
class AccessTrace {
 public:
  /// @param capacity  different accesses that are kept at most; 0 records nothing
  AccessTrace() = default;
  explicit AccessTrace(size_t capacity) : capacity_(capacity) {}

  struct Access {
    uint64_t digest = 0;
    uint64_t count = 0;
    uint64_t mask = 0;
    size_t first = 0;  ///< of its words, one an active lane, in the store
  };

  size_t capacity() const { return capacity_; }
  uint64_t recorded() const { return recorded_; }  ///< accesses, those that were not kept included
  bool is_sample() const { return limit_ != UINT64_MAX || accesses_.size() > capacity_; }

  /// @param addresses  byte addresses, those of inactive lanes are not read @param mask  not 0
  void record(const uint32_t* addresses, uint64_t mask);
  /// @param words  word addresses of the active lanes, in their order @param count  how many such accesses
  void record_words(std::span<const uint32_t> words, uint64_t mask, uint64_t count);
  /// Accesses that were recorded elsewhere and not kept there; call it after those that were.
  void record_lost(uint64_t count);
  void merge(const AccessTrace& other);

  /// What is kept, least digest first: at most `capacity` accesses.
  std::vector<Access> kept() const;
  std::span<const uint32_t> words(const Access& access) const;

 private:
  void add(uint64_t digest, std::span<const uint32_t> words, uint64_t mask, uint64_t count);
  void index_again(size_t slots);
  void drop_the_greatest();

  size_t capacity_ = 0;
  uint64_t recorded_ = 0;
  uint64_t limit_ = UINT64_MAX;   ///< what has a greater digest is not among those kept
  std::vector<Access> accesses_;  ///< up to twice the capacity, so that dropping is rare
  std::vector<uint32_t> store_;
  std::vector<uint32_t> slots_;  ///< open addressing: index of an access plus 1, or 0
};

}  // namespace bankshot::scratchpad

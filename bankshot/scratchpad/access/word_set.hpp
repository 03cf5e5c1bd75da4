// Which words of shared memory one phase has touched.
#pragma once

#include <array>
#include <cstdint>

namespace bankshot::scratchpad {

/// A set of word addresses below kWords: constant time whatever the pattern, and clearing costs what adding did.
/// Shared memory is at most 228 KB an SM, so a bitmap of it stays in the first-level cache.
class WordSet {
 public:
  static constexpr uint32_t kWords = 1u << 16;

  /// @return 1 if the word was not yet there, else 0
  uint32_t add(uint32_t word) {
    uint64_t& bits = bits_[word / 64];
    const uint64_t bit = uint64_t{1} << (word % 64);
    const uint32_t fresh = (bits & bit) == 0;
    bits |= bit;
    return fresh;
  }
  void remove(uint32_t word) { bits_[word / 64] = 0; }

  /// One for each thread, empty between uses.
  static WordSet& local();

 private:
  std::array<uint64_t, kWords / 64> bits_{};
};

}  // namespace bankshot::scratchpad

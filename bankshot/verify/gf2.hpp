// Vectors of bits. The checker has its own few lines, so that a mistake elsewhere cannot hide here as well.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace bankshot::verify {

inline bool odd(uint32_t x) { return (std::popcount(x) & 1) != 0; }

/// Independent vectors, each of which has a leading bit (its highest) that no other one has.
class Basis {
 public:
  /// @return whether x was independent of the others
  bool add(uint32_t x) {
    x = rest(x);
    if (x == 0) return false;
    for (uint32_t& vector : vectors_) {
      if ((vector & std::bit_floor(x)) != 0) vector ^= x;
    }
    vectors_.push_back(x);
    return true;
  }
  /// What is left of x when the vectors are taken away from it; 0 if it is a sum of them.
  uint32_t rest(uint32_t x) const {
    for (uint32_t vector : vectors_) {
      if ((x & std::bit_floor(vector)) != 0) x ^= vector;
    }
    return x;
  }
  uint32_t leading_bits() const {
    uint32_t bits = 0;
    for (uint32_t vector : vectors_) bits |= std::bit_floor(vector);
    return bits;
  }
  size_t size() const { return vectors_.size(); }

 private:
  std::vector<uint32_t> vectors_;
};

}  // namespace bankshot::verify

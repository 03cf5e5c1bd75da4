// A set of lanes of one warp.
#pragma once

#include <bit>
#include <cstdint>

namespace bankshot::scratchpad {

constexpr unsigned kMaxLanes = 64;

/// Bit l is lane l. Not a number: a count of lanes, a lane and a set of lanes cannot be mixed up.
class LaneMask {
 public:
  constexpr LaneMask() = default;
  constexpr explicit LaneMask(uint64_t bits) : bits_(bits) {}
  /// Lanes 0 to count - 1. @param count  0 to kMaxLanes
  static constexpr LaneMask first(unsigned count) { return LaneMask(count == 0 ? 0 : ~uint64_t{0} >> (64 - count)); }

  constexpr uint64_t bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr unsigned count() const { return static_cast<unsigned>(std::popcount(bits_)); }
  constexpr bool has(unsigned lane) const { return (bits_ >> lane & 1) != 0; }
  /// Of a set that is not empty.
  constexpr unsigned lowest() const { return static_cast<unsigned>(std::countr_zero(bits_)); }
  constexpr unsigned highest() const { return 63 - static_cast<unsigned>(std::countl_zero(bits_)); }

  constexpr void add(unsigned lane) { bits_ |= uint64_t{1} << lane; }
  constexpr LaneMask shifted(unsigned lanes) const { return LaneMask(bits_ << lanes); }
  constexpr LaneMask without(LaneMask other) const { return LaneMask(bits_ & ~other.bits_); }
  friend constexpr LaneMask operator&(LaneMask a, LaneMask b) { return LaneMask(a.bits_ & b.bits_); }
  friend constexpr LaneMask operator|(LaneMask a, LaneMask b) { return LaneMask(a.bits_ | b.bits_); }
  bool operator==(const LaneMask&) const = default;

  /// The lanes in ascending order: for (unsigned lane : mask).
  class Iterator {
   public:
    constexpr explicit Iterator(uint64_t rest) : rest_(rest) {}
    constexpr unsigned operator*() const { return static_cast<unsigned>(std::countr_zero(rest_)); }
    constexpr Iterator& operator++() {
      rest_ &= rest_ - 1;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    uint64_t rest_;
  };
  constexpr Iterator begin() const { return Iterator(bits_); }
  constexpr Iterator end() const { return Iterator(0); }

 private:
  uint64_t bits_ = 0;
};

}  // namespace bankshot::scratchpad

// How registers are kept in native code: as one number for all lanes where lanes differ by known distances.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "bankshot/simt/state/program.hpp"

namespace bankshot::jit {

inline constexpr unsigned kLanes = 32;

/// Distances of lanes from one number. Of 32-bit registers they are in [-2^31, 2^31).
using Pattern = std::array<int64_t, kLanes>;

/// Whether all distances are multiples of a size.
inline bool is_aligned(const Pattern& pattern, unsigned bytes) {
  return std::all_of(pattern.begin(), pattern.end(), [&](int64_t d) { return (d - pattern[0]) % bytes == 0; });
}

/// The least and the greatest distance.
inline std::pair<int64_t, int64_t> range_of(const Pattern& pattern) {
  const auto [least, most] = std::minmax_element(pattern.begin(), pattern.end());
  return {*least, *most};
}

/// Patterns by number. 0 is that of values that are the same in all lanes.
class Patterns {
 public:
  Patterns() { intern(Pattern{}); }
  int32_t intern(const Pattern& pattern);
  const Pattern& operator[](int32_t id) const { return *all_[static_cast<size_t>(id)]; }

 private:
  std::map<Pattern, int32_t> ids_;
  std::vector<const Pattern*> all_;
};

/// The class of a register at a place: the number of its pattern, or one of these.
inline constexpr int32_t kVector = -1;   ///< anything, in all lanes
inline constexpr int32_t kUnknown = -2;  ///< no way to this place is known yet
inline constexpr int32_t kUniform = 0;

inline int32_t meet(int32_t a, int32_t b) { return a == kUnknown ? b : b == kUnknown || a == b ? a : kVector; }

/// Folds a distance into the range of registers of so many bytes.
inline int64_t wrapped(int64_t distance, unsigned bytes) {
  return bytes == 4 ? static_cast<int32_t>(static_cast<uint64_t>(distance)) : distance;
}

/// What an instruction does with patterns if it is linear in its operands.
struct Linear {
  enum class How : uint8_t {
    none,
    copy,
    sum,
    difference,
    product,
    product_sum,
    shift,
    widen,
    widen_product,
    widen_product_sum
  };
  How how = How::none;
  bool is_signed = false;  ///< widen…: how the narrow operands are meant
  unsigned bytes = 0;      ///< of the result
};
Linear linear_of(const std::string& text);

}  // namespace bankshot::jit

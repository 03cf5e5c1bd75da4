// What kind of pattern one warp access is.
#include <algorithm>
#include <array>
#include <bit>

#include "bankshot/scratchpad/access/access.hpp"

namespace bankshot::scratchpad {
namespace {

/// Byte addresses of the active lanes, in lane order.
struct Lanes {
  const uint32_t* address;
  unsigned count;
  int32_t step(unsigned i) const { return static_cast<int32_t>(address[i + 1] - address[i]); }
  unsigned steps() const { return count - 1; }
};

bool constant(const Lanes& lanes) {
  for (unsigned i = 1; i < lanes.steps(); ++i) {
    if (lanes.step(i) != lanes.step(0)) return false;
  }
  return true;
}

/// Rows whose neighbours are `inside` apart: all steps between rows are equal and equally far from each other. The
/// first row may begin before the warp's first lane and the last may end after its last.
bool rows(const Lanes& lanes, int32_t inside) {
  unsigned breaks = 0, previous = 0, first = 0, length = 0;
  int32_t between = 0;
  for (unsigned i = 0; i < lanes.steps(); ++i) {
    if (lanes.step(i) == inside) continue;
    if (breaks == 0) {
      between = lanes.step(i);
      first = i + 1;
    } else {
      if (lanes.step(i) != between) return false;
      if (breaks == 1) length = i - previous;
      if (i - previous != length || length < 2) return false;
    }
    previous = i;
    ++breaks;
  }
  // Two rows of a tile wider than half a warp; a handful of lanes must show more than chance would.
  if (breaks < 2) return breaks == 1 && lanes.steps() - breaks >= 2;
  const unsigned last = lanes.steps() - previous;
  return first <= length && last <= length;
}

/// Whether the first three steps all differ: rows have two, one inside of them and one between. Most accesses that are
/// no rows are told by this.
bool starts_with_three_steps(const Lanes& lanes) {
  if (lanes.steps() < 3) return false;
  const int32_t a = lanes.step(0), b = lanes.step(1), c = lanes.step(2);
  return a != b && a != c && b != c;
}

bool one_word(const Rules& rules, unsigned width, const Lanes& lanes) {
  const int shift = std::countr_zero(std::max(width, rules.bank_bytes));
  for (unsigned i = 1; i < lanes.count; ++i) {
    if (lanes.address[i] >> shift != lanes.address[0] >> shift) return false;
  }
  return true;
}

}  // namespace

const char* name(PatternClass pattern) {
  constexpr std::array<const char*, kPatternClasses> kNames = {"linear", "stride", "block", "broadcast", "random"};
  return kNames[static_cast<unsigned>(pattern)];
}

Shape classify(const Rules& rules, unsigned width, const uint32_t* addresses, uint64_t mask) {
  const auto unit = static_cast<int32_t>(width);
  if ((mask & (mask - 1)) == 0) return {PatternClass::linear, unit};
  std::array<uint32_t, kMaxLanes> active;
  Lanes lanes{addresses, static_cast<unsigned>(std::popcount(mask))};
  if ((mask & (mask + 1)) != 0) {  // lanes are missing in between
    lanes.address = active.data();
    for (unsigned i = 0; i < lanes.count; ++i, mask &= mask - 1) active[i] = addresses[std::countr_zero(mask)];
  }
  const bool even = constant(lanes);
  if (even && lanes.step(0) == unit) return {PatternClass::linear, unit};
  if (one_word(rules, width, lanes)) return {PatternClass::broadcast, 0};
  if (even) return {PatternClass::stride, lanes.step(0)};
  if (starts_with_three_steps(lanes)) return {PatternClass::random, 0};
  // A warp that begins with the last lane of a row shows the inner distance only in its second step.
  if (rows(lanes, lanes.step(0)) || rows(lanes, lanes.step(1))) return {PatternClass::block, 0};
  return {PatternClass::random, 0};
}

}  // namespace bankshot::scratchpad

// Random numbers that are the same on every host for the same seed; the standard's distributions are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace bankshot::sweep {

/// A whole number below `bound`, which is not 0; each is equally likely.
inline uint64_t draw_below(std::mt19937_64& random, uint64_t bound) {
  const uint64_t end = ~uint64_t{0} - ~uint64_t{0} % bound;
  uint64_t drawn = random();
  while (drawn >= end) drawn = random();
  return drawn % bound;
}

template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[draw_below(random, k)]);
}

}  // namespace bankshot::sweep

// What both heuristics of section 5.2 work on: candidate bits and their values in every word.
#pragma once

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

#include "bankshot/search/search.hpp"

namespace bankshot::search {

/// Single address bits, then, if `pairs`, all XORs of two: Table 3 without its lower half.
inline std::vector<uint32_t> candidates_singles_first(unsigned address_bits, bool pairs) {
  std::vector<uint32_t> all;
  for (unsigned i = 0; i < address_bits; ++i) all.push_back(1u << i);
  for (unsigned i = 0; pairs && i < address_bits; ++i) {
    for (unsigned j = i + 1; j < address_bits; ++j) all.push_back(1u << i | 1u << j);
  }
  return all;
}

/// The order of Table 3, row by row: (0) (0^1) (0^2) … (1) (1^2) ….
inline std::vector<uint32_t> candidates_by_rows(unsigned address_bits, bool pairs) {
  std::vector<uint32_t> all;
  for (unsigned i = 0; i < address_bits; ++i) {
    all.push_back(1u << i);
    for (unsigned j = i + 1; pairs && j < address_bits; ++j) all.push_back(1u << i | 1u << j);
  }
  return all;
}

/// Sums of ratios that are equal on paper differ in their last digits.
inline bool clearly_less(double a, double b) { return a < b - 1e-9 * std::max(1.0, b); }

}  // namespace bankshot::search

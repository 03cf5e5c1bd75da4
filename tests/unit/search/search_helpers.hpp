// What the tests of the search and of its checker share.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::search {

/// The least excess of all row spaces that a restriction allows, one after the other.
inline uint64_t brute_force(const Problem& p, const Restriction& restriction = {}) {
  const Evaluator evaluator(p.groups);
  uint64_t best = ~uint64_t{0};
  std::vector<uint32_t> rows;
  const std::function<void(uint32_t)> visit = [&](uint32_t first) {
    if (rows.size() == p.size.bank_bits) {
      if (scratchpad::rank(rows) < rows.size() || !restriction.allows(*scratchpad::rows_hash(p.size, rows))) return;
      best = std::min(best, evaluator.excess(rows));
      return;
    }
    for (uint32_t row = first; row < 1u << p.size.address_bits; ++row) {
      rows.push_back(row);
      visit(row + 1);
      rows.pop_back();
    }
  };
  visit(1);
  return best + p.unavoidable;
}

}  // namespace bankshot::search

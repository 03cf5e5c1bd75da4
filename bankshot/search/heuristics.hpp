// What both heuristics of section 5.2 work on: candidate bits and their values in every word.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/search/evaluate.hpp"
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
inline bool clearly_less(double a, double b) { return a < b - 1e-9 * std::max(1.0, std::abs(b)); }

/// Which candidates keep the bits taken so far within a restriction.
class Permission {
 public:
  Permission(const Restriction& restriction, scratchpad::HashSize size)
      : restriction_(restriction), low_((1u << size.bank_bits) - 1) {}

  bool may_take(const std::vector<uint32_t>& taken, uint32_t candidate) const {
    if (taken.size() < restriction_.plain_low_bits) return candidate == 1u << taken.size();
    if (!restriction_.in_place) return true;
    std::vector<uint32_t> low{candidate & low_};
    for (uint32_t row : taken) low.push_back(row & low_);
    return scratchpad::rank(low) == low.size();
  }

 private:
  Restriction restriction_;
  uint32_t low_;
};

/// Takes the candidate of least cost, the first of equals, once for every bank bit. @return what was chosen, evaluated
/// @param cost   cost(group, candidate index): summed over the groups, weighted
/// @param taken  taken(candidate index), called after each choice
template <class Cost, class Taken>
Found select(const Problem& problem, const std::vector<uint32_t>& candidates, const Restriction& restriction, Cost cost,
             Taken taken) {
  const Permission permission(restriction, problem.size);
  Found found;
  std::vector<char> chosen(candidates.size(), 0);
  while (found.bits.size() < problem.size.bank_bits) {
    size_t best = candidates.size();
    double least = 0;
    std::vector<std::pair<size_t, double>> sums;  // of what may be taken
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (chosen[i] || !permission.may_take(found.bits, candidates[i])) continue;
      double sum = 0;
      for (size_t g = 0; g < problem.groups.size(); ++g)
        sum += static_cast<double>(problem.groups[g].weight) * cost(g, i);
      sums.emplace_back(i, sum);
      if (best != candidates.size() && !clearly_less(sum, least)) continue;
      best = i;
      least = sum;
    }
    chosen[best] = 1;
    taken(best);
    found.bits.push_back(candidates[best]);
    std::vector<uint32_t>& ties = found.ties.emplace_back();
    for (const auto& [i, sum] : sums) {
      if (i != best && !clearly_less(least, sum)) ties.push_back(candidates[i]);
    }
  }
  found.hash = *scratchpad::rows_hash(problem.size, found.bits);
  found.excess = problem.unavoidable + Evaluator(problem.groups).excess(found.hash.rows());
  found.status = Status::heuristic;
  found.evaluated = 1;
  return found;
}

}  // namespace bankshot::search

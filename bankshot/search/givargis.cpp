// Givargis's heuristic, extended over sets of patterns: the XOR-hash paper, section 5.2.1, Eq. 11 and 12.
#include <bit>

#include "bankshot/scratchpad/gf2.hpp"
#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/heuristics.hpp"

namespace bankshot::search {
namespace {

/// min/max of how often a bit is 1 and 0 (or two bits agree and differ) in a set.
double balance(unsigned some, unsigned all) {
  const unsigned rest = all - some;
  return static_cast<double>(std::min(some, rest)) / std::max(some, rest);
}

unsigned count(const scratchpad::Group& group, uint32_t bits) {
  unsigned ones = 0;
  for (uint32_t word : group.words) ones += scratchpad::parity(word & bits);
  return ones;
}

}  // namespace

Found givargis(const Problem& problem, bool pairs) {
  const std::vector<uint32_t> candidates = candidates_by_rows(problem.size.address_bits, pairs);
  std::vector<std::vector<double>> quality;  // of each set, Eq. 11
  for (const scratchpad::Group& group : problem.groups) {
    std::vector<double>& own = quality.emplace_back();
    for (uint32_t bits : candidates) own.push_back(balance(count(group, bits), static_cast<unsigned>(group.words.size())));
  }
  Found found;
  std::vector<char> taken(candidates.size(), 0);
  while (found.bits.size() < problem.size.bank_bits) {
    size_t best = candidates.size();
    double most = 0;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (taken[i]) continue;
      double sum = 0;
      for (size_t s = 0; s < quality.size(); ++s) sum += static_cast<double>(problem.groups[s].weight) * quality[s][i];
      if (best == candidates.size() || clearly_less(most, sum)) {
        best = i;
        most = sum;
      }
    }
    taken[best] = 1;
    found.bits.push_back(candidates[best]);
    // What agrees with a bit that is taken, or is always its opposite, adds nothing: Eq. 12.
    for (size_t s = 0; s < quality.size(); ++s) {
      const scratchpad::Group& group = problem.groups[s];
      for (size_t i = 0; i < candidates.size(); ++i) {
        quality[s][i] *= balance(count(group, candidates[best] ^ candidates[i]), static_cast<unsigned>(group.words.size()));
      }
    }
  }
  found.hash = *scratchpad::rows_hash(problem.size, found.bits);
  found.excess = problem.unavoidable + Evaluator(problem.groups).excess(found.hash.rows());
  found.status = Status::heuristic;
  found.evaluated = 1;
  return found;
}

}  // namespace bankshot::search

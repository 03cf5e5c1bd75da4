// Givargis's heuristic, extended over sets of patterns: the XOR-hash paper, section 5.2.1, Eq. 11 and 12.
#include "bankshot/scratchpad/hash/gf2.hpp"
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

Found givargis(const Problem& problem, bool pairs, const Restriction& restriction) {
  const std::vector<uint32_t> candidates = candidates_by_rows(problem.size.address_bits, pairs);
  std::vector<std::vector<double>> quality;  // of each set, Eq. 11
  for (const scratchpad::Group& group : problem.groups) {
    std::vector<double>& own = quality.emplace_back();
    for (uint32_t bits : candidates)
      own.push_back(balance(count(group, bits), static_cast<unsigned>(group.words.size())));
  }
  const auto cost = [&](size_t g, size_t i) { return -quality[g][i]; };
  // What agrees with a bit that is taken, or is always its opposite, adds nothing: Eq. 12.
  const auto taken = [&](size_t best) {
    for (size_t g = 0; g < quality.size(); ++g) {
      const scratchpad::Group& group = problem.groups[g];
      for (size_t i = 0; i < candidates.size(); ++i) {
        quality[g][i] *=
            balance(count(group, candidates[best] ^ candidates[i]), static_cast<unsigned>(group.words.size()));
      }
    }
  };
  return select(problem, candidates, restriction, cost, taken);
}

}  // namespace bankshot::search

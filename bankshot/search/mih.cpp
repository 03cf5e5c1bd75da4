// The minimum imbalance heuristic: the XOR-hash paper, section 5.2.2, Eq. 13 to 15.
#include <array>
#include <cmath>

#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/search/heuristics.hpp"

namespace bankshot::search {
namespace {

/// Eq. 14 for one set: how far the words are from being spread evenly over the cells that the bits taken so far and
/// this one make. @param cell  of each word by the bits taken so far; @param taken  how many these are
double imbalance(const scratchpad::Group& group, const std::vector<uint8_t>& cell, size_t taken, uint32_t bits) {
  std::array<uint32_t, 2 * scratchpad::kMaxBanks> histogram{};
  const size_t cells = size_t{2} << taken;
  for (size_t k = 0; k < group.words.size(); ++k) {
    ++histogram[cell[k] | scratchpad::parity(group.words[k] & bits) << taken];
  }
  const double even = static_cast<double>(group.words.size()) / static_cast<double>(cells);
  double sum = 0;
  for (size_t j = 0; j < cells; ++j) sum += std::abs(histogram[j] - even);
  return sum / static_cast<double>(group.words.size());
}

}  // namespace

Found minimum_imbalance(const Problem& problem, bool pairs, const Restriction& restriction) {
  const std::vector<uint32_t> candidates = candidates_singles_first(problem.size.address_bits, pairs);
  std::vector<std::vector<uint8_t>> cell;
  for (const scratchpad::Group& group : problem.groups) cell.emplace_back(group.words.size(), 0);
  size_t done = 0;  // bits taken
  const auto cost = [&](size_t g, size_t i) { return imbalance(problem.groups[g], cell[g], done, candidates[i]); };
  const auto taken = [&](size_t best) {
    for (size_t g = 0; g < cell.size(); ++g) {
      for (size_t k = 0; k < cell[g].size(); ++k) {
        cell[g][k] |= static_cast<uint8_t>(scratchpad::parity(problem.groups[g].words[k] & candidates[best]) << done);
      }
    }
    ++done;
  };
  return select(problem, candidates, restriction, cost, taken);
}

}  // namespace bankshot::search

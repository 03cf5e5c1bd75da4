#include "bankshot/scratchpad/atomics/voting.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace bankshot::scratchpad {
namespace {

constexpr std::array<std::string_view, kMappings> kMappingNames = {"cyclic", "block", "stretched"};

}  // namespace

std::string_view name(Mapping mapping) { return kMappingNames[static_cast<size_t>(mapping)]; }

Votes random_votes(uint64_t seed, size_t warps, unsigned lanes, unsigned words) {
  std::mt19937_64 random(seed);
  Votes votes{lanes, std::vector<uint32_t>(warps * lanes), {}};
  // The standard's distributions differ from library to library.
  for (uint32_t& vote : votes.of) vote = static_cast<uint32_t>((random() >> 32) * words >> 32);
  return votes;
}

void sort_warps(Votes& votes) {
  for (size_t k = 0; k < votes.warps(); ++k) {
    const auto first = votes.of.begin() + static_cast<ptrdiff_t>(k * votes.lanes);
    std::sort(first, first + votes.lanes);
  }
}

VotingCost voting_cost(const AtomicsModel& model, const Layout& layout, const Votes& votes) {
  std::array<uint32_t, 64> start{}, words;
  for (uint32_t lane = 0; lane < votes.lanes; ++lane) start[lane] = layout.word(0, lane, votes.lanes);
  const uint32_t scale = layout.word(1, 0, votes.lanes) - layout.word(0, 0, votes.lanes);
  double weights = 0;
  VotingCost sum;
  for (size_t k = 0; k < votes.warps(); ++k) {
    const uint32_t* const vote = votes.of.data() + k * votes.lanes;
    for (uint32_t lane = 0; lane < votes.lanes; ++lane) words[lane] = start[lane] + scale * vote[lane];
    const AtomicsCost cost = model(words.data(), votes.lanes);
    const double weight = votes.weights.empty() ? 1 : static_cast<double>(votes.weights[k]);
    weights += weight;
    sum.rounds += weight * static_cast<double>(cost.cycles.rounds);
    sum.reads += weight * static_cast<double>(cost.cycles.reads);
    sum.writes += weight * static_cast<double>(cost.cycles.writes);
    sum.lock_degree += weight * cost.lock_degree;
    sum.bank_degree += weight * cost.bank_degree;
  }
  if (weights == 0) return {};
  sum.latency = (sum.rounds + sum.reads + sum.writes) / weights;
  for (double* part : {&sum.rounds, &sum.reads, &sum.writes, &sum.lock_degree, &sum.bank_degree}) *part /= weights;
  return sum;
}

std::vector<Layout> layouts(unsigned words, unsigned lanes, uint64_t budget) {
  std::vector<unsigned> copies;
  for (unsigned r = 1; r <= lanes; r *= 2) copies.push_back(r);
  const auto most = static_cast<unsigned>(std::min<uint64_t>(lanes, budget / words));
  if (most != 0 && std::find(copies.begin(), copies.end(), most) == copies.end()) copies.push_back(most);
  std::sort(copies.begin(), copies.end());
  std::vector<Layout> all;
  for (unsigned r : copies) {
    for (const Mapping mapping : {Mapping::cyclic, Mapping::block, Mapping::stretched}) {
      for (const unsigned padding : {0u, 1u}) {
        const Layout layout{words, r, padding, mapping};
        if (r == 1 && (mapping != Mapping::cyclic || padding != 0)) continue;  // one copy is the same in all
        if (layout.size() <= budget) all.push_back(layout);
      }
    }
  }
  return all;
}

}  // namespace bankshot::scratchpad

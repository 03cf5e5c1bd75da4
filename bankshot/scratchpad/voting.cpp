#include "bankshot/scratchpad/voting.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace bankshot::scratchpad {
namespace {

constexpr std::array<std::string_view, kMappings> kNames = {"cyclic", "block", "stretched"};

}  // namespace

std::string_view name(Mapping mapping) { return kNames[static_cast<size_t>(mapping)]; }

std::optional<Mapping> mapping_of(std::string_view name) {
  for (unsigned k = 0; k < kMappings; ++k) {
    if (kNames[k] == name) return static_cast<Mapping>(k);
  }
  return std::nullopt;
}

Votes random_votes(uint64_t seed, size_t warps, unsigned lanes, unsigned words) {
  std::mt19937_64 random(seed);
  Votes votes{lanes, std::vector<uint32_t>(warps * lanes)};
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
  uint64_t rounds = 0, reads = 0, writes = 0, locks = 0, banks = 0;
  for (size_t k = 0; k < votes.warps(); ++k) {
    const uint32_t* const vote = votes.of.data() + k * votes.lanes;
    for (uint32_t lane = 0; lane < votes.lanes; ++lane) words[lane] = start[lane] + scale * vote[lane];
    const AtomicsCost cost = model(words.data(), votes.lanes);
    rounds += cost.cycles.rounds;
    reads += cost.cycles.reads;
    writes += cost.cycles.writes;
    locks += cost.lock_degree;
    banks += cost.bank_degree;
  }
  const auto mean = [&](uint64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(std::max<size_t>(1, votes.warps()));
  };
  return {mean(rounds + reads + writes), mean(rounds), mean(reads), mean(writes), mean(locks), mean(banks)};
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

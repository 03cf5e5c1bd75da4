#include "bankshot/measure/vote_check.hpp"

#include <algorithm>
#include <cmath>

namespace bankshot::measure {
namespace {

using scratchpad::Layout;
using scratchpad::Mapping;

constexpr unsigned kMostCopies = 8;  // with as many as lanes, cyclic and block mapping are the same

std::vector<VoteCase> cases_of(uint32_t usable) {
  std::vector<VoteCase> all;
  for (const unsigned words : {32u, 256u, 1024u, 4096u}) {
    if (words > usable) break;
    all.push_back({Layout{words}, false, {}, {}, {}});
    unsigned copies = 1;
    while (copies < kMostCopies && 2 * copies * words <= usable) copies *= 2;
    if (copies == 1) continue;
    for (const Mapping mapping : {Mapping::cyclic, Mapping::block, Mapping::stretched}) {
      for (const bool sorted : {false, true}) all.push_back({Layout{words, copies, 0, mapping}, sorted, {}, {}, {}});
    }
  }
  return all;
}

/// Where the votes of all cases go, by case, then by warp.
std::vector<Pattern> patterns_of(const std::vector<VoteCase>& cases, uint64_t seed, unsigned warps) {
  std::vector<Pattern> patterns;
  for (const VoteCase& one : cases) {
    scratchpad::Votes votes = scratchpad::random_votes(seed, warps, kLanes, one.layout.words);
    if (one.sorted) scratchpad::sort_warps(votes);
    for (unsigned warp = 0; warp < warps; ++warp) {
      Pattern& pattern = patterns.emplace_back();
      for (unsigned lane = 0; lane < kLanes; ++lane)
        pattern[lane] = one.layout.word(votes.of[warp * kLanes + lane], lane, kLanes);
    }
  }
  return patterns;
}

}  // namespace

Apart VoteCheck::apart(std::vector<double> VoteCase::* of) const {
  std::vector<double> percent;
  for (const VoteCase& one : cases) {
    for (size_t k = 0; k < one.measured.size(); ++k)
      percent.push_back(100 * std::abs((one.*of)[k] - one.measured[k]) / std::max(1.0, one.measured[k]));
  }
  const double most = percent.empty() ? 0 : *std::max_element(percent.begin(), percent.end());
  return {median(std::move(percent)), most};
}

Result<VoteCheck> check_votes(Runner& measured, Runner& simulated, const scratchpad::AtomicsModel& model,
                              unsigned samples, uint64_t seed, unsigned warps) {
  const uint32_t usable = std::min(usable_words(measured.device()), usable_words(simulated.device()));
  VoteCheck check{seed, warps, cases_of(usable)};
  const std::vector<Pattern> patterns = patterns_of(check.cases, seed, warps);
  if (patterns.empty()) return check;
  const auto there = latencies(measured, Access::add, patterns, samples);
  if (!there) return there.error();
  const auto here = latencies(simulated, Access::add, patterns, 1);
  if (!here) return here.error();
  for (size_t k = 0; k < patterns.size(); ++k) {
    VoteCase& one = check.cases[k / warps];
    one.measured.push_back((*there)[k].median());
    one.simulated.push_back((*here)[k].median());
    one.model.push_back(static_cast<double>(model(patterns[k].data(), kLanes).cycles.total()));
  }
  return check;
}

}  // namespace bankshot::measure

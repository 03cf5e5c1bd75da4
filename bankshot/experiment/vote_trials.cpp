#include "bankshot/experiment/vote_trials.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "bankshot/experiment/atomics_machine.hpp"
#include "bankshot/support/thread_pool.hpp"

namespace bankshot::experiment {
namespace {

using scratchpad::VotingCost;

constexpr size_t kChunk = 10'000;  // warps whose votes are in memory at once

/// Some of the votes for a vote space.
struct Item {
  unsigned words = 0;
  uint64_t seed = 0;
  size_t patterns = 0;
  std::vector<VotingCost> costs;  ///< by trial; of trials with another vote space zeros
};

void add(VotingCost& sum, const VotingCost& cost, double weight) {
  sum.latency += cost.latency * weight;
  sum.rounds += cost.rounds * weight;
  sum.reads += cost.reads * weight;
  sum.writes += cost.writes * weight;
  sum.lock_degree += cost.lock_degree * weight;
  sum.bank_degree += cost.bank_degree * weight;
}

void vote(Item& item, const std::vector<VoteTrial>& trials, const scratchpad::AtomicsModel& model) {
  item.costs.resize(trials.size());
  scratchpad::Votes votes = scratchpad::random_votes(item.seed, item.patterns, kLanes, item.words);
  for (const bool sorted : {false, true}) {
    if (sorted) scratchpad::sort_warps(votes);
    for (size_t k = 0; k < trials.size(); ++k) {
      if (trials[k].layout.words != item.words || trials[k].sorted != sorted) continue;
      item.costs[k] = scratchpad::voting_cost(model, trials[k].layout, votes);
    }
  }
}

}  // namespace

std::vector<VotingCost> mean_costs(const VoteSetup& setup, const std::vector<VoteTrial>& trials) {
  std::set<unsigned> sizes;
  for (const VoteTrial& trial : trials) sizes.insert(trial.layout.words);
  std::vector<Item> items;
  for (const unsigned words : sizes) {
    for (size_t first = 0; first < setup.patterns; first += kChunk) {
      // Far from those of other seeds: the next seed's votes are not these, one chunk further on.
      items.push_back(
          {words, setup.seed * 0x9e3779b97f4a7c15 + first / kChunk, std::min(kChunk, setup.patterns - first), {}});
    }
  }
  std::atomic<size_t> next = 0;
  const unsigned threads = setup.threads != 0 ? setup.threads : std::max(1u, std::thread::hardware_concurrency());
  ThreadPool pool;
  pool.run_independent(threads, [&](unsigned) {
    const scratchpad::AtomicsModel model = scratchpad::lock_model(setup.geometry, setup.times);
    for (size_t k; (k = next.fetch_add(1)) < items.size();) vote(items[k], trials, model);
  });
  std::vector<VotingCost> means(trials.size());
  for (const Item& item : items) {
    for (size_t k = 0; k < trials.size(); ++k)
      add(means[k], item.costs[k], static_cast<double>(item.patterns) / static_cast<double>(setup.patterns));
  }
  return means;
}

}  // namespace bankshot::experiment

// Successive halving: many candidates are looked at cheaply, the better ones more and more carefully.
// Source: Karnin, Koren, Somekh: Almost optimal exploration in multi-armed bandits, 2013; Jamieson, Talwalkar:
// Non-stochastic best arm identification and hyperparameter optimization, 2016.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace bankshot::sweep {

struct HalvingOptions {
  uint64_t seed = 1;
  size_t candidates = 243;  ///< looked at, chosen at random; all if there are no more
  size_t keep = 3;          ///< one of so many goes on from a rung to the next
  size_t first = 3;         ///< instances of the first rung, at most
  size_t finalists = 3;     ///< that are measured in full at the end, at least
  bool samples = true;      ///< there are cheap estimates
};

struct Rung {
  size_t instances = 0;
  bool sampled = false;
  std::vector<size_t> candidates;
  std::vector<std::optional<double>> values;  ///< of each; none: it failed, and is out
};

/// Measures candidates on instances (programs, seeds); less is better. @return a value for each candidate, or nothing
/// to stop
using Evaluate = std::function<std::optional<std::vector<std::optional<double>>>(
    const std::vector<size_t>& candidates, const std::vector<size_t>& instances, bool sampled)>;

/// All rungs. The first has `first` instances, each further one `keep` times as many, all with estimates; the last
/// measures the finalists on all instances without. Its best candidate is the answer. Candidates with equal values go
/// on together. The same seed and values give the same rungs.
std::vector<Rung> halve(size_t candidates, size_t instances, const HalvingOptions& options, const Evaluate& evaluate);

}  // namespace bankshot::sweep

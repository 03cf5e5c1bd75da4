#include "bankshot/sweep/run/halving.hpp"

#include <algorithm>
#include <numeric>

#include "bankshot/sweep/plan/draw.hpp"

namespace bankshot::sweep {
namespace {

std::vector<size_t> shuffled(size_t count, std::mt19937_64& random) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  shuffle(order, random);
  return order;
}

/// The best ones, and those as good as the last of them; in ascending order of their numbers.
std::vector<size_t> best_of(const Rung& rung, size_t wanted) {
  std::vector<std::pair<double, size_t>> ranked;
  for (size_t k = 0; k < rung.candidates.size(); ++k) {
    if (rung.values[k]) ranked.emplace_back(*rung.values[k], rung.candidates[k]);
  }
  std::ranges::sort(ranked);
  size_t count = std::min(wanted, ranked.size());
  while (count > 0 && count < ranked.size() && ranked[count].first == ranked[count - 1].first) ++count;
  std::vector<size_t> best;
  for (size_t k = 0; k < count; ++k) best.push_back(ranked[k].second);
  std::ranges::sort(best);
  return best;
}

}  // namespace

std::vector<Rung> halve(size_t candidates, size_t instances, const HalvingOptions& options, const Evaluate& evaluate) {
  std::mt19937_64 random(options.seed);
  std::vector<size_t> left = shuffled(candidates, random);
  left.resize(std::min(left.size(), options.candidates));
  std::ranges::sort(left);
  const std::vector<size_t> order = shuffled(instances, random);
  std::vector<Rung> rungs;
  size_t used = std::min<size_t>(instances, options.first);
  const auto climb = [&](size_t count, bool sampled) {
    Rung rung{count, sampled, left, {}};
    auto values = evaluate(left, {order.begin(), order.begin() + static_cast<ptrdiff_t>(count)}, sampled);
    if (!values) return false;
    rung.values = *std::move(values);
    rungs.push_back(std::move(rung));
    return true;
  };
  // A rung on all instances is the last with estimates: another one would tell nothing new.
  for (bool is_last = false; !is_last && left.size() > options.finalists && (options.samples || used < instances);) {
    is_last = used == instances;
    if (!climb(used, options.samples)) return rungs;
    left = best_of(rungs.back(), std::max(options.finalists, (left.size() + options.keep - 1) / options.keep));
    used = std::min(instances, used * options.keep);
  }
  if (!left.empty()) climb(instances, false);
  return rungs;
}

}  // namespace bankshot::sweep

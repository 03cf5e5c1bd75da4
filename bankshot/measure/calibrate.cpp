#include "bankshot/measure/calibrate.hpp"

#include <algorithm>

namespace bankshot::measure {
namespace {

/// Where no words share a lock, the distance at which Fermi's do. Source: TPDS'13, section 2.1.2.
constexpr uint32_t kFermiLocks = 1024;

/// Ticks that a clock which counts in whole ones cannot tell from none.
constexpr double kNothing = 0.5;

/// Degrees 1 to 32, or as many as the block's memory allows.
std::vector<Pattern> conflicts_of(uint32_t stride, uint32_t words) {
  std::vector<Pattern> patterns;
  for (uint32_t degree = 1; degree <= kLanes && (degree - 1) * stride < words; ++degree) {
    patterns.push_back(conflict_pattern(stride, degree));
  }
  return patterns;
}

std::vector<double> medians(const std::vector<Samples>& all) {
  std::vector<double> list;
  for (const Samples& one : all) list.push_back(one.median());
  return list;
}

double largest_spread(const std::vector<Samples>& all) {
  double most = 0;
  for (const Samples& one : all) most = std::max(most, one.spread());
  return most;
}

/// Measures, and remembers the first thing that went wrong: after it nothing is done.
class Measurement {
 public:
  Measurement(Runner& runner, const CalibrateOptions& options, Calibration& into)
      : runner_(runner), options_(options), into_(into), words_(usable_words(runner.device())) {}

  std::optional<Error> error;
  uint32_t words() const { return words_; }

  std::vector<Samples> time(Access access, const std::vector<Pattern>& patterns) {
    if (error) return {};
    Result<std::vector<Samples>> all = latencies(runner_, access, patterns, options_.samples);
    if (all) return std::move(*all);
    error = all.error();
    return {};
  }

  void series(Access access, const std::string& conflicts, uint32_t stride) {
    Series series{access, conflicts, stride, time(access, conflicts_of(stride, words_)), {}, 0};
    std::vector<double> points = medians(series.latency);
    // Beyond them a conflict of another kind joins.
    if (into_.locks.number && stride != 0)
      points.resize(std::min(points.size(), size_t{std::max(1u, *into_.locks.number / stride)}));
    series.line = fit_line(points);
    series.spread = largest_spread(series.latency);
    into_.series.push_back(std::move(series));
  }

  /// @param pattern  of a warp, for a degree
  template <class PatternOf>
  void rate(Access access, const std::string& conflicts, PatternOf pattern) {
    Rate rate{access, conflicts, {}, {}};
    for (unsigned degree = 1; degree <= into_.warps && !error; degree *= 2) {
      std::vector<Pattern> warps;
      for (uint32_t warp = 0; warp < into_.warps; ++warp) warps.push_back(pattern(warp, degree));
      Result<Samples> ticks = throughput(runner_, access, warps, options_.repeats, options_.samples);
      if (!ticks) error = ticks.error();
      if (!ticks) return;
      rate.degrees.push_back(degree);
      rate.ticks.push_back(std::move(*ticks));
    }
    into_.rates.push_back(std::move(rate));
  }

 private:
  Runner& runner_;
  const CalibrateOptions& options_;
  Calibration& into_;
  uint32_t words_;
};

/// The pattern at other words.
Pattern moved(Pattern pattern, uint32_t by) {
  for (uint32_t& word : pattern) word += by;
  return pattern;
}

/// The least distance from which on pairs cost what a position conflict costs, and more. All multiples of the number of
/// locks cost the same; one that stands out alone is noise, also the last.
std::optional<uint32_t> number_of(const Locks& locks, double position) {
  const std::vector<double> cost = medians(locks.latency);
  if (cost.empty()) return std::nullopt;
  const double more = std::max({position / 2, 3 * locks.spread, 1.0});
  size_t first = cost.size();
  while (first > 1 && cost[first - 1] - cost[0] > more) --first;
  if (first + 2 > cost.size()) return std::nullopt;
  return locks.distances[first];
}

void find_locks(Measurement& measurement, Calibration& all, uint32_t bank_stride) {
  Locks& locks = all.locks;
  std::vector<Pattern> pairs;
  for (uint32_t distance = bank_stride; distance < measurement.words(); distance *= 2) {
    locks.distances.push_back(distance);
    pairs.push_back(conflict_pattern(distance, 2));
  }
  locks.latency = measurement.time(Access::add, pairs);
  locks.spread = largest_spread(locks.latency);
  const Line& position = all.find(Access::add, "position")->line;
  locks.number = number_of(locks, position.step);
  if (!locks.number) return;
  std::vector<double> cost;
  for (size_t k = 0; k < locks.distances.size(); ++k) {
    if (locks.distances[k] >= *locks.number) cost.push_back(locks.latency[k].median());
  }
  locks.pair = median(std::move(cost)) - position.first;
}

/// What a lock conflict is made of, from the penalties of all kinds.
void take_apart(Calibration& all) {
  Locks& locks = all.locks;
  if (!locks.number) return;
  locks.read_level = std::max(0.0, locks.pair - all.find(Access::add, "position")->line.step);
  locks.write_level = std::max(0.0, all.find(Access::add, "bank")->line.step - locks.read_level);
}

}  // namespace

const Series* Calibration::find(Access access, std::string_view conflicts) const {
  const auto found = std::find_if(series.begin(), series.end(), [&](const Series& one) {
    return one.access == access && one.conflicts == conflicts;
  });
  return found == series.end() ? nullptr : &*found;
}

Result<Calibration> calibrate(Runner& runner, const scratchpad::Rules& rules, const CalibrateOptions& options) {
  Calibration all;
  all.device = runner.device();
  all.samples = options.samples;
  all.warps = std::min(options.warps, all.device.max_threads / kLanes);
  if (auto error = runner.load(programs())) return *error;
  Measurement measurement(runner, options, all);
  // Words of one bank whose lanes are not served apart anyway, as those of narrow scratchpads are.
  const uint32_t bank_stride = std::max(kLanes, rules.banks * rules.bank_bytes / 4);
  for (unsigned k = 0; k < kAccesses; ++k) measurement.series(static_cast<Access>(k), "position", 0);
  find_locks(measurement, all, bank_stride);
  for (unsigned k = 0; k < kAccesses; ++k) measurement.series(static_cast<Access>(k), "bank", bank_stride);
  take_apart(all);
  // Figure 3 of TPDS'13: words that lie in one bank, and every fourth on one lock.
  measurement.series(Access::add, "mixed", std::max(256u, bank_stride));
  measurement.series(Access::add, "lock", all.locks.number.value_or(kFermiLocks));
  const auto in_bank = [&](uint32_t, uint32_t degree) { return conflict_pattern(bank_stride, degree); };
  const auto in_warp = [](uint32_t warp, uint32_t degree) { return moved(conflict_pattern(0, degree), kLanes * warp); };
  const auto between = [](uint32_t warp, uint32_t degree) {
    return moved(conflict_pattern(1, kLanes), kLanes * (warp / degree));
  };
  measurement.rate(Access::load, "bank", in_bank);
  measurement.rate(Access::add, "position", in_warp);
  measurement.rate(Access::add, "warps", between);
  if (measurement.error) return *measurement.error;
  return all;
}

std::string atomics_unit(const Calibration& calibration) {
  if (calibration.locks.number) return "lock";
  return calibration.find(Access::add, "position")->line.step < kNothing ? "loadlike" : "native";
}

bool combines_increments(const Calibration& calibration) {
  return calibration.find(Access::increment_unused, "position")->line.step < kNothing &&
         calibration.find(Access::add_unused, "position")->line.step >= kNothing;
}

}  // namespace bankshot::measure

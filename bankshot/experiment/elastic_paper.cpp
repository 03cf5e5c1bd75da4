#include "bankshot/experiment/elastic_paper.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "bankshot/experiment/machines.hpp"
#include "bankshot/experiment/rows.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::experiment {
namespace {

using report::share;
using timing::Cause;
using timing::Counters;

uint64_t slots(const Counters& counters, Cause cause) { return counters.slots[static_cast<unsigned>(cause)]; }

/// What Table 4 says of a benchmark.
struct Character {
  explicit Character(const Counters& counters)
      : accesses(std::accumulate(counters.bank_lanes.begin(), counters.bank_lanes.end(), uint64_t{0})),
        intensity(share(accesses, counters.thread_instructions)),
        degree(share(counters.shared_wavefronts, counters.shared_ideal)) {}
  uint64_t accesses;         ///< of threads, a word each
  double intensity, degree;  ///< shares of all thread instructions; cycles of a sub-warp's access
  /// One instruction a cycle but for conflicts: what taking all of these away gains at most.
  double bound() const { return 1 + intensity * std::max(0.0, degree - 1); }
};

/// The classes of Figure 8. Together they are all slots in which no sub-warp issues.
struct Stalls {
  explicit Stalls(const Counters& counters)
      : conflicts(slots(counters, Cause::bank_conflict)), others(slots(counters, Cause::pipeline)) {
    const uint64_t all = std::accumulate(counters.slots.begin(), counters.slots.end(), uint64_t{0});
    fails = all - slots(counters, Cause::issued) - slots(counters, Cause::sub_warp) - conflicts - others;
  }
  uint64_t fails = 0;      ///< no warp can be scheduled
  uint64_t conflicts = 0;  ///< the front stands still: bank conflicts
  uint64_t others = 0;     ///< … data from the interconnect is written back
  uint64_t all() const { return fails + conflicts + others; }
};

/// The mean and the most of a column of percentages.
void add_summary(Rows& rows, const std::string& label, const std::vector<double>& percent, const std::string& unit) {
  if (percent.empty()) return;
  const double sum = std::accumulate(percent.begin(), percent.end(), 0.0);
  const std::string of = fmt::format("{} benchmark{}", percent.size(), percent.size() == 1 ? "" : "s");
  rows.add(label + ", on average", rounded(sum / static_cast<double>(percent.size()), 1), unit, of);
  rows.add(label + ", at most", rounded(*std::max_element(percent.begin(), percent.end()), 1), unit, of);
}

std::vector<std::string> labels(const Experiment& experiment) {
  std::vector<std::string> all;
  for (const Benchmark& benchmark : experiment.benchmarks) all.push_back(benchmark.label);
  return all;
}

double speedup(const Counters& from, const Counters& to) {
  return static_cast<double>(from.cycles) / static_cast<double>(to.cycles);
}
std::string of_cycles(const Counters& from, const Counters& to) {
  return fmt::format("{} of {} cycles", to.cycles, from.cycles);
}

}  // namespace

Result<Outcome> characteristics(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const Machines machines(parameters, settings);
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  Rows rows(experiment, outcome);
  for (const Benchmark& benchmark : experiment.benchmarks) {
    const Result<Simulated> seen = machines.run_plain(benchmark);
    if (!seen) return seen.error();
    const Character character(*seen);
    rows.add(benchmark.label + ": instructions", static_cast<double>(seen->thread_instructions), "of threads");
    rows.add(benchmark.label + ": shared-memory instructions", static_cast<double>(character.accesses), "of threads");
    rows.add(benchmark.label + ": shared-memory intensity", rounded(100 * character.intensity, 1), "%");
    rows.add(benchmark.label + ": mean conflict degree", rounded(character.degree, 2), "cycles");
    rows.add(benchmark.label + ": theoretic speed-up", rounded(character.bound(), 2), "times as fast");
  }
  return outcome;
}

Result<Outcome> machine_stalls(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const Machines machines(parameters, settings);
  if (machines.size() != 2) parameters.fail("machines", "must be two");
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  if (experiment.benchmarks.empty()) return outcome;
  Rows rows(experiment, outcome);
  report::PlotPanel panel{"stalls, of those of the first machine", "", "%", report::PlotKind::stacked, false, {}, {}};
  for (const char* name : {"scheduling fails", "bank conflicts", "others"}) panel.series.push_back({name, {}});
  std::vector<double> removed, gained;
  for (const Benchmark& benchmark : experiment.benchmarks) {
    const Result<Simulated> first = machines.run(benchmark, 0), second = first ? machines.run(benchmark, 1) : first;
    if (!second) return second.error();
    const Stalls before(*first), after(*second);
    const auto percent = [&](uint64_t part) { return rounded(100 * share(part, before.all()), 1); };
    const auto bar = [&](const std::string& machine, const Stalls& stalls) {
      const auto x = static_cast<double>(panel.categories.size());
      panel.categories.push_back(benchmark.label + ", " + machine);
      const uint64_t parts[] = {stalls.fails, stalls.conflicts, stalls.others};
      for (size_t k = 0; k < 3; ++k) panel.series[k].points.push_back({x, percent(parts[k])});
    };
    bar(machines.label(0), before);
    bar(machines.label(1), after);
    const double less = 100 * (1 - share(after.all(), before.all())), faster = 100 * (speedup(*first, *second) - 1);
    if (!benchmark.aside) {
      removed.push_back(less);
      gained.push_back(faster);
    }
    rows.add(benchmark.label + ": stalls removed", rounded(less, 1), "%",
             fmt::format("{} of {} slots are left", after.all(), before.all()));
    const auto moved = [&](const char* what, uint64_t from, uint64_t to) {
      rows.add(benchmark.label + ": " + what, fmt::format("{:.1f} to {:.1f}", percent(from), percent(to)),
               "% of all stalls before");
    };
    moved("scheduling fails", before.fails, after.fails);
    moved("bank conflicts", before.conflicts, after.conflicts);
    moved("others", before.others, after.others);
    rows.add(benchmark.label + ": performance gained", rounded(faster, 1), "%", of_cycles(*first, *second));
  }
  if (removed.size() > 1) {
    add_summary(rows, "stalls removed", removed, "%");
    add_summary(rows, "performance gained", gained, "%");
  }
  outcome.panels.push_back(std::move(panel));
  return outcome;
}

Result<Outcome> machine_speedups(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const Machines machines(parameters, settings);
  if (machines.size() < 2) parameters.fail("machines", "must be two at least");
  std::vector<std::pair<size_t, size_t>> ratios;
  for (const std::string& text : parameters.texts("ratios")) {
    const auto [a, b] = halves(text);
    ratios.emplace_back(machines.find(a), machines.find(b));
    if (std::max(ratios.back().first, ratios.back().second) == machines.size())
      parameters.fail("ratios", "'" + text + "' is not the labels of two machines with ' / ' between them");
  }
  const bool bounded = parameters.texts("bound") == std::vector<std::string>{"theoretic"};
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  if (experiment.benchmarks.empty()) return outcome;
  Rows rows(experiment, outcome);
  report::PlotPanel panel{"speed-up", "", "times as fast", report::PlotKind::bars, false, labels(experiment), {}};
  for (size_t m = 1; m < machines.size(); ++m) panel.series.push_back({machines.label(m), {}});
  if (bounded) panel.series.push_back({"theoretic bound", {}});
  std::vector<std::vector<Counters>> all;  // by benchmark and machine
  for (const Benchmark& benchmark : experiment.benchmarks) {
    std::vector<Counters>& seen = all.emplace_back();
    const auto x = static_cast<double>(all.size() - 1);
    for (size_t m = 0; m < machines.size(); ++m) {
      const Result<Simulated> one = machines.run(benchmark, m);
      if (!one) return one.error();
      seen.push_back(*one);
      if (m == 0) continue;
      const double times = rounded(speedup(seen[0], seen[m]), 3);
      rows.add(benchmark.label + ", " + machines.label(m), times, "times as fast", of_cycles(seen[0], seen[m]));
      panel.series[m - 1].points.push_back({x, times});
    }
    if (!bounded) continue;
    const double bound = rounded(Character(seen[0]).bound(), 3);
    rows.add(benchmark.label + ", theoretic bound", bound, "times as fast");
    panel.series.back().points.push_back({x, bound});
  }
  const auto gains = [&](size_t a, size_t b) {
    std::vector<double> percent;
    for (size_t k = 0; k < all.size(); ++k) {
      if (!experiment.benchmarks[k].aside) percent.push_back(100 * (speedup(all[k][b], all[k][a]) - 1));
    }
    return percent;
  };
  for (size_t m = 1; m < machines.size(); ++m) add_summary(rows, machines.label(m), gains(m, 0), "% faster");
  for (const auto& [a, b] : ratios)
    add_summary(rows, machines.label(a) + " over " + machines.label(b), gains(a, b), "% faster");
  outcome.panels.push_back(std::move(panel));
  return outcome;
}

Result<Outcome> against_hand(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const Machines machines(parameters, settings);
  if (machines.size() != 2) parameters.fail("machines", "must be two");
  std::vector<std::pair<const Benchmark*, const Benchmark*>> pairs;
  for (const std::string& text : parameters.texts("compare")) {
    const auto [a, b] = halves(text);
    pairs.emplace_back(find(experiment, a), find(experiment, b));
    if (pairs.back().first != nullptr && pairs.back().second != nullptr) continue;
    pairs.pop_back();
    if (!experiment.benchmarks.empty())
      parameters.fail("compare", "'" + text + "' is not the labels of two benchmarks with ' / ' between them");
  }
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  if (pairs.empty()) return outcome;
  Rows rows(experiment, outcome);
  report::PlotPanel panel{"speed-up over the conflicting code on " + machines.label(0),
                          "",
                          "times as fast",
                          report::PlotKind::bars,
                          false,
                          {},
                          {}};
  panel.series = {{"as it is, " + machines.label(1), {}}, {"by hand, " + machines.label(0), {}}};
  std::vector<double> ahead;
  for (const auto& [plain, by_hand] : pairs) {
    const Result<Simulated> slow = machines.run(*plain, 0), machine = slow ? machines.run(*plain, 1) : slow,
                            hand = machine ? machines.run(*by_hand, 0) : machine;
    if (!hand) return hand.error();
    const double by_machine = speedup(*slow, *machine), hands = speedup(*slow, *hand);
    const auto x = static_cast<double>(panel.categories.size());
    panel.categories.push_back(plain->label);
    panel.series[0].points.push_back({x, rounded(by_machine, 3)});
    panel.series[1].points.push_back({x, rounded(hands, 3)});
    rows.add(plain->label + ", " + machines.label(1), rounded(by_machine, 3), "times as fast",
             of_cycles(*slow, *machine));
    rows.add(by_hand->label + ", " + machines.label(0), rounded(hands, 3), "times as fast", of_cycles(*slow, *hand));
    ahead.push_back(100 * (by_machine / hands - 1));
  }
  add_summary(rows, machines.label(1) + " ahead of the work by hand", ahead, "%");
  outcome.panels.push_back(std::move(panel));
  return outcome;
}

}  // namespace bankshot::experiment

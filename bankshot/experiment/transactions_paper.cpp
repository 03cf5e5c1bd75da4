#include "bankshot/experiment/transactions_paper.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "bankshot/experiment/machines.hpp"
#include "bankshot/experiment/parameters.hpp"
#include "bankshot/experiment/rows.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::experiment {
namespace {

using report::percent;

double times(const Simulated& slow, const Simulated& fast) {
  return static_cast<double>(slow.cycles) / static_cast<double>(fast.cycles);
}
std::string of_cycles(const Simulated& from, const Simulated& to) {
  return fmt::format("{} of {} cycles", to.cycles, from.cycles);
}

/// The number at the end of a label: 32 of "HT32".
double size_of(const std::string& label) {
  size_t at = label.size();
  while (at > 0 && std::isdigit(static_cast<unsigned char>(label[at - 1])) != 0) --at;
  return at == label.size() ? 0 : std::stod(label.substr(at));
}

Benchmark with(Benchmark benchmark, const std::string& argument) {
  benchmark.arguments.push_back(argument);
  if (!benchmark.timed.empty()) benchmark.timed.push_back(argument);
  return benchmark;
}

void add_extremes(Rows& rows, const std::string& label, const std::vector<double>& all, const std::string& unit) {
  rows.add(label + ", at least", rounded(*std::min_element(all.begin(), all.end()), 2), unit);
  rows.add(label + ", at most", rounded(*std::max_element(all.begin(), all.end()), 2), unit);
}

/// "one bank, " of "one bank, KM32": benchmarks of another layout than the others have such a name before theirs.
std::string group_of(const std::string& label) {
  const size_t comma = label.rfind(", ");
  return comma == label.npos ? "" : label.substr(0, comma + 2);
}

/// The series of a name, which is added if it is new.
std::vector<report::PlotPoint>& points_of(report::PlotPanel& panel, const std::string& name) {
  for (report::PlotSeries& series : panel.series) {
    if (series.label == name) return series.points;
  }
  return panel.series.emplace_back(report::PlotSeries{name, {}}).points;
}

/// What is reported on all benchmarks of a group on the first machine.
struct Group {
  std::string name;
  std::vector<double> speedups, overheads, ratios;
  uint64_t cta_serialised = 0;
};

/// The parts of figures 3b, 4b and 5b, of the cycles of all warps.
struct Breakdown {
  explicit Breakdown(const Simulated& seen) {
    outside = seen.warp_cycles - std::min(seen.warp_cycles, seen.tx_warp_cycles);
    accesses = seen.tx_access_cycles;
    masks = seen.tx_mask_cycles;
    code = seen.tx_warp_cycles - std::min(seen.tx_warp_cycles, accesses + masks);
  }
  uint64_t outside = 0, code = 0, accesses = 0, masks = 0;
  /// What transactions add to the rest.
  double overhead() const { return percent(accesses + masks, outside + code); }
};

}  // namespace

Result<Outcome> transaction_speedups(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const Machines machines(parameters, settings);
  const std::string serial = parameters.text("serial");
  if (machines.size() == 0) parameters.fail("machines", "must be one at least");
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  Rows rows(experiment, outcome);
  const std::string x = parameters.text("size");
  report::PlotPanel speed{"speed-up over serial execution", x, "times as fast", report::PlotKind::lines, true, {}, {}};
  report::PlotPanel parts{
      "cycles of warps",
      "",
      "%",
      report::PlotKind::stacked,
      false,
      {},
      {{"outside of transactions", {}}, {"in transactions", {}}, {"added to accesses", {}}, {"begin and commit", {}}}};
  report::PlotPanel types{"attempts by mode",
                          "",
                          "%",
                          report::PlotKind::stacked,
                          false,
                          {},
                          {{"all lanes", {}}, {"one lane of the warp", {}}, {"one lane of the CTA", {}}}};
  std::vector<Group> groups;
  for (const Benchmark& benchmark : experiment.benchmarks) {
    const std::string group = group_of(benchmark.label);
    const Result<Simulated> slow = machines.run(with(benchmark, serial), 0);
    if (!slow) return slow.error();
    for (size_t m = 0; m < machines.size(); ++m) {
      const Result<Simulated> seen = machines.run(benchmark, m);
      if (!seen) return seen.error();
      const scratchpad::TxTotals& t = seen->transactions;
      if (t.attempts == 0) return at(benchmark, "it has no transactions");
      const std::string label = benchmark.label + (m == 0 ? "" : ", " + machines.label(m));
      rows.add(label + ": speed-up", rounded(times(*slow, *seen), 2), "times as fast", of_cycles(*slow, *seen));
      points_of(speed, group + machines.label(m))
          .push_back({size_of(benchmark.label), rounded(times(*slow, *seen), 2)});
      rows.add(label + ": attempts", static_cast<double>(t.attempts), "of warps");
      rows.add(label + ": serialised attempts", rounded(percent(t.warp_serialised, t.attempts), 1), "% of attempts");
      rows.add(label + ": with one lane of the warp", static_cast<double>(t.warp_serialised), "attempts of warps");
      rows.add(label + ": with one lane of the CTA", static_cast<double>(t.cta_serialised), "attempts of warps");
      rows.add(label + ": conflicts", static_cast<double>(t.conflicts), "of lanes");
      rows.add(label + ": accesses with conflicts", static_cast<double>(t.conflicting_accesses), "of warps");
      rows.add(label + ": commit ratio", rounded(100 * commit_ratio(t), 1), "% of what lanes tried",
               fmt::format("{} commits, {} aborts", t.commits, t.aborts));
      rows.add(label + ": false conflicts", rounded(percent(t.false_conflicts, t.accesses), 1), "% of accesses",
               fmt::format("{:.1f} % of the conflicts", percent(t.false_conflicts, t.conflicts)));
      const auto column = static_cast<double>(parts.categories.size());
      parts.categories.push_back(label);
      types.categories.push_back(label);
      const Breakdown breakdown(*seen);
      const uint64_t pieces[] = {breakdown.outside, breakdown.code, breakdown.accesses, breakdown.masks};
      for (size_t k = 0; k < 4; ++k)
        parts.series[k].points.push_back({column, rounded(percent(pieces[k], seen->warp_cycles), 1)});
      const uint64_t modes[] = {t.attempts - t.warp_serialised - t.cta_serialised, t.warp_serialised, t.cta_serialised};
      for (size_t k = 0; k < 3; ++k)
        types.series[k].points.push_back({column, rounded(percent(modes[k], t.attempts), 1)});
      if (m != 0) continue;
      rows.add(label + ": overhead", rounded(breakdown.overhead(), 1), "% of the cycles without it",
               fmt::format("{:.1f} % of all in transactions", percent(seen->tx_warp_cycles, seen->warp_cycles)));
      if (groups.empty() || groups.back().name != group) groups.emplace_back().name = group;
      groups.back().speedups.push_back(times(*slow, *seen));
      groups.back().overheads.push_back(breakdown.overhead());
      groups.back().ratios.push_back(100 * commit_ratio(t));
      groups.back().cta_serialised += t.cta_serialised;
    }
  }
  for (const Group& group : groups) {
    add_extremes(rows, group.name + "speed-up", group.speedups, "times as fast");
    add_extremes(rows, group.name + "overhead", group.overheads, "% of the cycles without it");
    add_extremes(rows, group.name + "commit ratio", group.ratios, "% of what lanes tried");
    rows.add(group.name + "with one lane of the CTA, in all", static_cast<double>(group.cta_serialised),
             "attempts of warps");
  }
  outcome.panels = {std::move(speed), std::move(parts), std::move(types)};
  return outcome;
}

Result<Outcome> transaction_machines(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const Machines machines(parameters, settings);
  if (machines.size() < 2) parameters.fail("machines", "must be two at least");
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  Rows rows(experiment, outcome);
  std::vector<std::string> categories;
  for (const Benchmark& benchmark : experiment.benchmarks) categories.push_back(benchmark.label);
  report::PlotPanel speed{
      "speed-up over " + machines.label(0), "", "times as fast", report::PlotKind::bars, false, categories, {}};
  for (size_t m = 0; m < machines.size(); ++m) speed.series.push_back({machines.label(m), {}});
  std::vector<double> logarithms(machines.size(), 0.0);
  for (size_t b = 0; b < experiment.benchmarks.size(); ++b) {
    Result<Simulated> first = machines.run(experiment.benchmarks[b], 0);
    if (!first) return first.error();
    for (size_t m = 0; m < machines.size(); ++m) {
      const Result<Simulated> seen = m == 0 ? first : machines.run(experiment.benchmarks[b], m);
      if (!seen) return seen.error();
      const scratchpad::TxTotals& t = seen->transactions;
      rows.add(categories[b] + ", " + machines.label(m) + ": speed-up", rounded(times(*first, *seen), 2),
               "times as fast", of_cycles(*first, *seen));
      rows.add(categories[b] + ", " + machines.label(m) + ": conflicts", static_cast<double>(t.conflicts), "of lanes",
               fmt::format("{} false, {} with words only read; commit ratio {:.1f} %", t.false_conflicts,
                           t.read_conflicts, 100 * commit_ratio(t)));
      speed.series[m].points.push_back({static_cast<double>(b), rounded(times(*first, *seen), 2)});
      logarithms[m] += std::log(times(*first, *seen));
    }
  }
  for (size_t m = 1; m < machines.size() && !categories.empty(); ++m) {
    rows.add(machines.label(m) + ", on average",
             rounded(std::exp(logarithms[m] / static_cast<double>(categories.size())), 2), "times as fast",
             "geometric mean");
  }
  outcome.panels.push_back(std::move(speed));
  return outcome;
}

Result<Outcome> compared_versions(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const Machines machines(parameters, settings);
  struct Version {
    std::string label, argument;
  };
  std::vector<Version> versions;
  for (const std::string& text : parameters.texts("versions")) {
    const size_t colon = text.find(": ");
    if (colon == text.npos) parameters.fail("versions", "'" + text + "' is not 'label: argument'");
    versions.push_back({text.substr(0, colon), colon == text.npos ? "" : text.substr(colon + 2)});
  }
  if (versions.size() < 2) parameters.fail("versions", "must be two at least");
  const std::vector<std::string> without = parameters.texts("without");
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  Rows rows(experiment, outcome);
  std::vector<std::string> categories;
  for (const Benchmark& benchmark : experiment.benchmarks) categories.push_back(benchmark.label);
  report::PlotPanel speed{
      "speed-up over " + versions[0].label, "", "times as fast", report::PlotKind::bars, false, categories, {}};
  for (const Version& version : versions) speed.series.push_back({version.label, {}});
  for (size_t b = 0; b < experiment.benchmarks.size(); ++b) {
    const Benchmark& benchmark = experiment.benchmarks[b];
    double first = 0, least = 0;
    std::string fastest, all;
    for (size_t v = 0; v < versions.size(); ++v) {
      if (std::find(without.begin(), without.end(), benchmark.program + " " + versions[v].label) != without.end())
        continue;
      const Result<Simulated> seen = machines.run_plain(with(benchmark, versions[v].argument));
      if (!seen) return seen.error();
      const auto cycles = static_cast<double>(seen->cycles);
      if (first == 0) first = cycles;
      if (fastest.empty() || cycles < least) {
        fastest = versions[v].label;
        least = cycles;
      }
      all += fmt::format("{}{} {}", all.empty() ? "" : ", ", versions[v].label, seen->cycles);
      speed.series[v].points.push_back({static_cast<double>(b), rounded(first / cycles, 2)});
    }
    rows.add(benchmark.label + ": fastest", fastest, "", all + " cycles");
  }
  outcome.panels.push_back(std::move(speed));
  return outcome;
}

}  // namespace bankshot::experiment

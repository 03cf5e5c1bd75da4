// Voting programs by number of copies: which mapping, which padding, how many copies are best.
#include <algorithm>

#include <fmt/format.h>

#include "bankshot/experiment/atomics_machine.hpp"
#include "bankshot/experiment/atomics_paper.hpp"
#include "bankshot/experiment/replication_sweep.hpp"

namespace bankshot::experiment {
namespace {

/// Indices of two benchmarks.
struct Pair {
  size_t a = 0, b = 0;
};

/// "a / b"
std::vector<Pair> pairs(const Experiment& experiment, Parameters& parameters) {
  std::vector<Pair> all;
  const auto index = [&](const std::string& label) {
    const auto found = std::find_if(experiment.benchmarks.begin(), experiment.benchmarks.end(),
                                    [&](const Benchmark& b) { return b.label == label; });
    return static_cast<size_t>(found - experiment.benchmarks.begin());
  };
  for (const std::string& text : parameters.texts("compare")) {
    const size_t slash = text.find(" / ");
    const Pair pair{index(text.substr(0, slash)),
                    slash == std::string::npos ? experiment.benchmarks.size() : index(text.substr(slash + 3))};
    if (std::max(pair.a, pair.b) >= experiment.benchmarks.size()) {
      if (!experiment.benchmarks.empty())
        parameters.fail("compare", "'" + text + "' is not the labels of two benchmarks with ' / ' between them");
      continue;
    }
    all.push_back(pair);
  }
  return all;
}

/// How many times as fast `a` is as `b` with as many copies: the least and the most, and with how many copies.
struct Ratios {
  double least = 1e300, most = 0;
  unsigned least_copies = 0, most_copies = 0;
};

Ratios ratios(const SweepCurve& a, const SweepCurve& b, unsigned size) {
  Ratios r;
  for (const SweepPoint& p : a.of_size(size)) {
    const SweepPoint* other = b.at(size, p.copies);
    if (other == nullptr) continue;
    const double ratio = static_cast<double>(other->cycles) / static_cast<double>(p.cycles);
    if (ratio < r.least) r.least = ratio, r.least_copies = p.copies;
    if (ratio > r.most) r.most = ratio, r.most_copies = p.copies;
  }
  return r;
}

}  // namespace

Result<Outcome> compared_mappings(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const ReplicationSweep sweep(experiment, settings, parameters);
  const std::vector<Pair> compared = pairs(experiment, parameters);
  if (parameters.error()) return *parameters.error();
  std::vector<SweepCurve> curves;
  for (const Benchmark& benchmark : experiment.benchmarks) {
    Result<SweepCurve> curve = sweep.simulate(benchmark, {});
    if (!curve) return curve.error();
    curves.push_back(std::move(*curve));
  }
  Outcome outcome;
  if (curves.empty()) return outcome;
  for (const unsigned size : sweep.sizes()) {
    report::PlotPanel& panel = outcome.panels.emplace_back();
    panel = {sweep.name(size), "copies", "cycles", report::PlotKind::lines, true, {}, {}};
    for (const SweepCurve& curve : curves) {
      panel.series.push_back(cycles_by_copies(curve, size, curve.benchmark->label));
      const std::string label = sweep.name(size) + ", " + curve.benchmark->label + ": best replication";
      outcome.rows.push_back({label, published(experiment, label), static_cast<double>(curve.best(size).copies),
                              "copies", curve.told(size)});
    }
  }
  for (const Pair& pair : compared) {
    for (const unsigned size : sweep.sizes()) {
      const Ratios r = ratios(curves[pair.a], curves[pair.b], size);
      const std::string label = fmt::format("{}: {} against {}", sweep.name(size), experiment.benchmarks[pair.a].label,
                                            experiment.benchmarks[pair.b].label);
      if (r.most == 0) continue;
      outcome.rows.push_back({label, published(experiment, label), fmt::format("{:.2f} to {:.2f}", r.least, r.most),
                              "times as fast", fmt::format("with {} and {} copies", r.least_copies, r.most_copies)});
    }
  }
  return outcome;
}

}  // namespace bankshot::experiment

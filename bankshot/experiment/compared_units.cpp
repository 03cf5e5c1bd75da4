// A voting program on machines that differ in their unit of atomics.
#include "bankshot/experiment/atomics_paper.hpp"
#include "bankshot/experiment/replication_sweep.hpp"

namespace bankshot::experiment {

Result<Outcome> compared_units(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const ReplicationSweep sweep(experiment, settings, parameters);
  const std::vector<std::string> units = parameters.texts("units");
  if (units.empty()) parameters.fail("units", "is missing");
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  for (const Benchmark& benchmark : experiment.benchmarks) {
    std::vector<SweepCurve> curves;
    for (const std::string& unit : units) {
      Result<SweepCurve> curve = sweep.simulate(benchmark, {"none", unit, {}, {}});
      if (!curve) return curve.error();
      curves.push_back(std::move(*curve));
    }
    for (const unsigned size : sweep.sizes()) {
      report::PlotPanel& panel = outcome.panels.emplace_back();
      panel = {benchmark.label + ", " + sweep.name(size), "copies", "cycles", report::PlotKind::lines, true, {}, {}};
      for (const SweepCurve& curve : curves) {
        panel.series.push_back(cycles_by_copies(curve, size, curve.machine.atomics));
        const std::string label = panel.title + ", " + curve.machine.atomics + ": best replication";
        outcome.rows.push_back({label, published(experiment, label), static_cast<double>(curve.best(size).copies),
                                "copies", curve.told(size)});
      }
    }
  }
  return outcome;
}

}  // namespace bankshot::experiment

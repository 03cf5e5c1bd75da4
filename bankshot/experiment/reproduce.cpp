#include <algorithm>
#include <cmath>
#include <optional>

#include "bankshot/experiment/atomics_paper.hpp"
#include "bankshot/experiment/elastic_paper.hpp"
#include "bankshot/experiment/experiment.hpp"
#include "bankshot/experiment/hash_paper.hpp"
#include "bankshot/experiment/transactions_paper.hpp"

namespace bankshot::experiment {
namespace {

/// What experiment files call a computation.
struct Kind {
  std::string_view name;
  Result<Outcome> (*compute)(const Experiment&, const Settings&);
  bool synthesises = false;
};

constexpr Kind kKinds[] = {
    {"class-sizes", class_sizes},
    {"hash-parameters", hash_parameters},
    {"conflicts-removed", removed_by_benchmark},
    {"conflicts-removed-on-average", removed_on_average},
    {"speed-ups", speedups},
    {"instruction-hashes", instruction_hashes},
    {"software-hashes", software_hashes},
    {"hash-examples", hash_examples},
    {"strided-loads", strided_loads},
    {"shared-shares", shared_shares},
    {"hash-cost", hash_cost, true},
    {"hash-cost-by-clock", hash_cost_by_clock, true},
    {"hash-gates", hash_gates, true},
    {"strided-atomics", strided_atomics},
    {"hashed-picture", hashed_picture},
    {"random-votes", random_votes},
    {"replicated-votes", replicated_votes},
    {"model-against-loop", model_against_loop},
    {"compared-units", compared_units},
    {"hash-gains", hash_gains},
    {"hash-gain-sweep", hash_gain_sweep},
    {"atomic-throughput", atomic_throughput},
    {"compared-mappings", compared_mappings},
    {"characteristics", characteristics},
    {"machine-stalls", machine_stalls},
    {"machine-speedups", machine_speedups},
    {"against-hand", against_hand},
    {"pipeline-overhead", pipeline_overhead},
    {"pipeline-figures", pipeline_figures},
    {"transaction-trace", transaction_trace},
    {"transaction-speed-ups", transaction_speedups},
    {"transaction-machines", transaction_machines},
    {"compared-versions", compared_versions},
};

/// Puts the published points of the experiment's file into the series that they are of.
std::optional<Error> publish(const Experiment& experiment, Outcome& outcome) {
  for (const auto& [label, points] : experiment.points) {
    report::PlotSeries* found = nullptr;
    for (report::PlotPanel& panel : outcome.panels) {
      for (report::PlotSeries& series : panel.series) {
        if (panel.title + ", " + series.label == label) found = &series;
      }
    }
    if (found == nullptr)
      return Error{experiment.name + ".toml: points are given of '" + label + "', which is no series of the figure"};
    for (const auto& [x, y] : points) {
      const auto place = std::lower_bound(found->points.begin(), found->points.end(), x,
                                          [](const report::PlotPoint& p, double at) { return p.x < at; });
      if (place != found->points.end() && place->x == x) {
        place->published = y;
      } else {
        found->points.insert(place, {x, std::nullopt, y});
      }
    }
  }
  for (const std::string& law : experiment.laws)
    outcome.notes.push_back(law + ": what stands as published is the paper's law with the constants of the model, so " +
                            "that its values are not counted as agreement.");
  return std::nullopt;
}

}  // namespace

bool synthesises(const Experiment& experiment) {
  return std::ranges::any_of(kKinds,
                             [&](const Kind& kind) { return kind.name == experiment.kind && kind.synthesises; });
}

std::vector<std::string> gpus_of(const Experiment& experiment) {
  std::vector<std::string> all;
  if (!experiment.gpu.empty()) all.push_back(experiment.gpu);
  const auto more = experiment.parameters.find("gpus");
  if (more == experiment.parameters.end()) return all;
  for (const Value& value : more->second) {
    if (const auto* const name = std::get_if<std::string>(&value)) all.push_back(*name);
  }
  return all;
}

Error at(const Benchmark& benchmark, const std::string& why) { return Error{benchmark.label + ": " + why}; }

const Benchmark* find(const Experiment& experiment, const std::string& label) {
  const auto found = std::find_if(experiment.benchmarks.begin(), experiment.benchmarks.end(),
                                  [&](const Benchmark& b) { return b.label == label; });
  return found == experiment.benchmarks.end() ? nullptr : &*found;
}

std::pair<std::string, std::string> halves(const std::string& text) {
  const size_t slash = text.find(" / ");
  return {text.substr(0, slash), slash == text.npos ? "" : text.substr(slash + 3)};
}

Value published(const Experiment& experiment, const std::string& label) {
  const auto found = experiment.published.find(label);
  return found == experiment.published.end() ? Value() : found->second;
}

double rounded(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::round(value * scale) / scale + 0.0;  // no -0
}

Result<Outcome> reproduce(const Experiment& experiment, const Settings& settings) {
  std::string list;
  for (const Kind& kind : kKinds) {
    if (kind.name == experiment.kind) {
      Result<Outcome> outcome = kind.compute(experiment, settings);
      if (!outcome) return outcome;
      if (const auto error = publish(experiment, *outcome)) return *error;
      return outcome;
    }
    list += (list.empty() ? "" : ", ") + std::string(kind.name);
  }
  return Error{experiment.name + ".toml: no kind of experiment is called '" + experiment.kind + "'; there are " + list};
}

}  // namespace bankshot::experiment

#include "bankshot/sweep/run/optimise.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "bankshot/sweep/plan/settings.hpp"
#include "bankshot/sweep/run/run_points.hpp"

namespace bankshot::sweep {
namespace {

/// The points of a plan as machines and instances.
struct Space {
  std::vector<std::vector<uint32_t>> machines, instances;
  std::map<std::pair<size_t, size_t>, size_t> rows;  ///< by machine and instance
};

Space space_of(const Plan& plan) {
  Space space;
  std::map<std::vector<uint32_t>, size_t> machines, instances;
  const auto place = [](auto& known, auto& list, std::vector<uint32_t> key) {
    const auto [at, is_new] = known.try_emplace(key, list.size());
    if (is_new) list.push_back(std::move(key));
    return at->second;
  };
  for (size_t row = 0; row < plan.points(); ++row) {
    std::vector<uint32_t> machine, instance;
    for (size_t c = 0; c < plan.columns.size(); ++c)
      (is_of_machine(plan.columns[c].name) ? machine : instance).push_back(plan.point(row)[c]);
    const size_t m = place(machines, space.machines, std::move(machine));
    const size_t i = place(instances, space.instances, std::move(instance));
    space.rows[{m, i}] = row;
  }
  return space;
}

double mean_of(const std::vector<double>& values, bool geometric) {
  double sum = 0;
  for (const double value : values) sum += geometric ? std::log(value) : value;
  const double mean = sum / static_cast<double>(values.size());
  return geometric ? std::exp(mean) : mean;
}

/// The mean of a machine all of whose points are known in full.
std::optional<double> known_value(Store& store, const Plan& plan, Resolver& resolver, const Space& space,
                                  size_t machine, const std::string& measure) {
  std::vector<double> values;
  for (size_t instance = 0; instance < space.instances.size(); ++instance) {
    const size_t row = space.rows.at({machine, instance});
    const Result<Point> point = resolver.point(row);
    const std::optional<Known> known = point ? store.known(point->key) : std::nullopt;
    if (!known) return std::nullopt;
    const std::optional<double> value = store.result(known->point, measure, plan.program(row).kernel);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return mean_of(values, plan.simulates);
}

}  // namespace

std::string describe_machine(const Plan& plan, size_t row) {
  std::string text;
  for (size_t c = 0; c < plan.columns.size(); ++c) {
    const Column& column = plan.columns[c];
    if (is_of_machine(column.name) && column.values.size() > 1)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", column_of(column.name), text_of(plan.value(row, c)));
  }
  return text;
}

Result<Optimum> optimise(Store& store, const Plan& plan, Resolver& resolver, Engine& engine,
                         const OptimiseRequest& request) {
  const Space space = space_of(plan);
  Optimum best;
  best.candidates = space.machines.size();
  best.instances = space.instances.size();
  if (plan.find("sample") != plan.columns.size())
    return Error{plan.file + ": --optimise decides itself what is sampled: remove `sample` from the plan"};
  if (best.candidates < 2)
    return Error{fmt::format("{}: all points have the same machine: there is nothing to choose", plan.file)};
  if (space.rows.size() != best.candidates * best.instances)
    return Error{
        fmt::format("{}: --optimise compares machines on the same programs, but here only {} of {} machines x {} "
                    "instances are points: use a grid, and leave out machines as a whole",
                    plan.file, space.rows.size(), best.candidates, best.instances)};
  for (size_t machine = 0; machine < best.candidates; ++machine) best.rows.push_back(space.rows.at({machine, 0}));
  std::optional<Error> failure;
  const Evaluate evaluate = [&](const std::vector<size_t>& candidates, const std::vector<size_t>& instances,
                                bool sampled) -> std::optional<std::vector<std::optional<double>>> {
    std::vector<PlannedRun> runs;
    for (const size_t candidate : candidates) {
      for (const size_t instance : instances) runs.push_back({space.rows.at({candidate, instance}), sampled});
    }
    best.runs += runs.size();
    if (!sampled) best.full_runs += runs.size();
    const Result<std::vector<std::optional<double>>> values = run_points(store, plan, resolver, engine, runs, request);
    if (!values) {
      failure = values.error();
      return std::nullopt;
    }
    if (values->empty()) {
      best.stopped = true;
      return std::nullopt;
    }
    std::vector<std::optional<double>> means;
    for (size_t c = 0; c < candidates.size(); ++c) {
      std::vector<double> whole;
      for (size_t k = 0; k < instances.size(); ++k) {
        if (const std::optional<double>& one = (*values)[c * instances.size() + k]) whole.push_back(*one);
      }
      means.push_back(whole.size() == instances.size() ? std::optional(mean_of(whole, plan.simulates)) : std::nullopt);
    }
    return means;
  };
  HalvingOptions halving = request.halving;
  halving.samples = plan.simulates;
  best.rungs = halve(best.candidates, best.instances, halving, evaluate);
  if (failure) return *failure;
  if (best.stopped || best.rungs.empty()) return best;
  // Machines that are known in full without this search count as well.
  std::optional<size_t> winner;
  for (size_t machine = 0; machine < best.candidates; ++machine) {
    const std::optional<double> value = known_value(store, plan, resolver, space, machine, request.measure);
    if (!value) continue;
    ++best.in_full;
    if (winner && *value == best.value) ++best.equally_good;
    if (winner && *value >= best.value) continue;
    winner = machine;
    best.value = *value;
    best.equally_good = 1;
  }
  if (!winner)
    return Error{
        fmt::format("{}: no machine ran everything without a failure: bankshot sweep status {}", plan.file, plan.name)};
  best.row = space.rows.at({*winner, 0});
  best.best = describe_machine(plan, best.row);
  return best;
}

}  // namespace bankshot::sweep

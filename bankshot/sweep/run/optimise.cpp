#include "bankshot/sweep/run/optimise.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "bankshot/sweep/plan/settings.hpp"
#include "bankshot/sweep/run/run_points.hpp"

namespace bankshot::sweep {
namespace {

bool is_of_machine(const std::string& setting) {
  switch (kind_of(setting)) {
    case SettingKind::program:
    case SettingKind::arguments:
    case SettingKind::seed:
    case SettingKind::variable: return false;
    default: return true;
  }
}

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
    const Result<std::vector<std::optional<double>>> values =
        run_points(store, plan, resolver, engine, runs, request.retry, request.progress);
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
      double sum = 0;
      bool is_whole = true;
      for (size_t k = 0; k < instances.size(); ++k) {
        const std::optional<double>& one = (*values)[c * instances.size() + k];
        is_whole &= one.has_value();
        // Conflicts may be none.
        if (one) sum += std::log(plan.simulates ? *one : *one + 1);
      }
      means.push_back(
          is_whole ? std::optional(std::exp(sum / static_cast<double>(instances.size())) - (plan.simulates ? 0 : 1))
                   : std::nullopt);
    }
    return means;
  };
  HalvingOptions halving = request.halving;
  halving.samples = plan.simulates;
  best.rungs = halve(best.candidates, best.instances, halving, evaluate);
  if (failure) return *failure;
  if (best.stopped || best.rungs.empty()) return best;
  const Rung& last = best.rungs.back();
  std::optional<size_t> winner;
  for (size_t k = 0; k < last.candidates.size(); ++k) {
    if (last.values[k] && (!winner || *last.values[k] < *last.values[*winner])) winner = k;
  }
  if (!winner)
    return Error{fmt::format("{}: every run of the finalists failed: bankshot sweep status {}", plan.file, plan.name)};
  best.value = *last.values[*winner];
  best.row = space.rows.at({last.candidates[*winner], 0});
  best.best = describe_machine(plan, best.row);
  return best;
}

}  // namespace bankshot::sweep

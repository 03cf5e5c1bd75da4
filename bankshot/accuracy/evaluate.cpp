#include "bankshot/accuracy/evaluate.hpp"

#include <algorithm>
#include <map>

#include "bankshot/accuracy/benchmark.hpp"
#include "bankshot/accuracy/work.hpp"

namespace bankshot::accuracy {
namespace {

bool is_wanted(const std::vector<std::string>& names, std::string_view name, bool begins) {
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& one) {
           return begins ? name.starts_with(one) : name == one;
         });
}

void add(Evaluation& evaluation, const Asked& asked, const Result<Reading>& reading) {
  const Result<double> value = in_unit_of(asked, reading);
  if (value) {
    evaluation.answers.push_back({asked.row, std::string(asked.family->name), asked.description, *value});
  } else {
    evaluation.unanswered.push_back({asked.row, value.error().message});
  }
}

}  // namespace

void add_answers(Evaluation& evaluation, const Work& work, const EvaluateOptions& options) {
  const std::vector<Result<Reading>> readings = simulate_all(work, options.threads, options.progress);
  for (const Asked& asked : work.asked) add(evaluation, asked, readings[asked.task]);
}

Result<Evaluation> evaluate(const std::vector<Row>& rows, const EvaluateOptions& options) {
  Evaluation evaluation;
  Work work;
  for (const Row& row : rows) {
    if (!is_wanted(options.gpus, row.gpu, true)) continue;
    const auto plan = plan_of(row);
    if (!plan) {
      if (options.families.empty()) evaluation.unanswered.push_back({row, "no benchmark"});
      continue;
    }
    if (!is_wanted(options.families, plan->first->name, false)) continue;
    const Target* target = find_target(row.gpu);
    if (!target) {
      evaluation.unanswered.push_back({row, "no description is of this GPU"});
      continue;
    }
    const Result<std::string> reason = work.add(row, *plan->first, plan->second, *target);
    if (!reason) return reason.error();
    if (!reason->empty()) evaluation.unanswered.push_back({row, *reason});
  }
  add_answers(evaluation, work, options);
  return evaluation;
}

Result<Evaluation> evaluate_on(measure::Runner& runner, const std::vector<Row>& rows, const EvaluateOptions& options) {
  Evaluation evaluation;
  std::map<std::string, Result<Reading>> readings;
  size_t done = 0;
  for (const Row& row : rows) {
    ++done;
    if (!is_wanted(options.gpus, row.gpu, true)) continue;
    const auto plan = plan_of(row);
    if (!plan) {
      if (options.families.empty()) evaluation.unanswered.push_back({row, "no benchmark"});
      continue;
    }
    if (!is_wanted(options.families, plan->first->name, false)) continue;
    if (!plan->second.not_on_gpus.empty()) {
      evaluation.unanswered.push_back({row, std::string(plan->second.not_on_gpus)});
      continue;
    }
    if (!readings.contains(plan->second.key)) readings.emplace(plan->second.key, plan->second.run(runner));
    const measure::Device& device = runner.device();
    add(evaluation, {row, plan->first, device.name, 0, device.clock_khz * 1e-6}, readings.at(plan->second.key));
    if (options.progress) options.progress(done, rows.size());
  }
  return evaluation;
}

}  // namespace bankshot::accuracy

#include "bankshot/accuracy/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "bankshot/accuracy/benchmark.hpp"
#include "bankshot/accuracy/target.hpp"
#include "bankshot/measure/runner_simulated.hpp"
#include "bankshot/support/thread_pool.hpp"

namespace bankshot::accuracy {
namespace {

/// A benchmark on a machine: what several rows may ask for.
struct Task {
  Plan plan;
  size_t machine = 0;
  Result<Reading> reading = Error{"not run"};
};

/// A row that a task answers.
struct Asked {
  const Row* row;
  const Family* family;
  std::string description;
  size_t task;
  double ghz;
};

bool is_wanted(const std::vector<std::string>& names, std::string_view name, bool begins) {
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& one) {
           return begins ? name.starts_with(one) : name == one;
         });
}

/// The family that has a plan for the row, and the plan.
std::optional<std::pair<const Family*, Plan>> plan_of(const Row& row) {
  for (const Family& family : families()) {
    if (auto plan = family.plan(row)) return std::pair(&family, std::move(*plan));
  }
  return std::nullopt;
}

/// Machines and tasks, each once.
class Work {
 public:
  std::vector<gpu::Gpu> machines;
  std::vector<Task> tasks;
  std::vector<Asked> asked;

  /// Why the row cannot be answered, or empty.
  Result<std::string> add(const Row& row, const Family& family, const Plan& plan) {
    const Target* target = find_target(row.gpu);
    if (!target) return std::string("no description is of this GPU");
    if (target->one_sm_only && plan.whole_chip) return std::string("its memory is not the description's");
    const Result<size_t> machine = machine_for(row, *target);
    if (!machine) return machine.error();
    if (*machine == kNone) return fmt::format("no timing: {}", target->description);
    const auto [place, is_new] = task_of_.try_emplace({*machine, plan.key}, tasks.size());
    if (is_new) tasks.push_back({plan, *machine});
    const double ghz = machines[*machine].core_khz * 1e-6;
    asked.push_back({&row, &family, std::string(target->description), place->second, ghz});
    return std::string();
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  Result<size_t> machine_for(const Row& row, const Target& target) {
    const Result<Machine> machine = machine_of(row, target);
    if (!machine) return kNone;  // no such description
    const auto known = machine_of_.find(machine->key());
    if (known != machine_of_.end()) return known->second;
    Result<std::optional<gpu::Gpu>> gpu = build(*machine);
    if (!gpu) return gpu.error();
    size_t index = kNone;
    if (*gpu) {
      index = machines.size();
      machines.push_back(std::move(**gpu));
    }
    machine_of_.emplace(machine->key(), index);
    return index;
  }

  std::map<std::string, size_t> machine_of_;
  std::map<std::pair<size_t, std::string>, size_t> task_of_;
};

Result<Reading> simulate(const Plan& plan, const gpu::Gpu& gpu) {
  const measure::SimulatedOptions options{.one_sm = !plan.whole_chip, .machine_code = true};
  timing::Config config = *gpu.timing;
  if (!config.rules.hash) config.scratchpad.hash_cycles = 0;  // it is what computing a configured hash takes
  const auto runner = measure::simulated_runner(gpu, config, options);
  if (!runner) return runner.error();
  return plan.run(**runner);
}

/// Long tasks first, so that none is left alone at the end.
std::vector<size_t> order_of(const std::vector<Task>& tasks) {
  std::vector<size_t> order;
  for (const bool whole_chip : {true, false}) {
    for (size_t k = 0; k < tasks.size(); ++k) {
      if (tasks[k].plan.whole_chip == whole_chip) order.push_back(k);
    }
  }
  return order;
}

void run_all(Work& work, const EvaluateOptions& options) {
  const std::vector<size_t> order = order_of(work.tasks);
  ThreadPool pool;
  const unsigned wanted = options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  const unsigned threads =
      pool.prepare(std::clamp(wanted, 1u, static_cast<unsigned>(std::max<size_t>(1, order.size()))));
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t done = 0;
  pool.run(threads, [&](unsigned) {
    for (;;) {
      const size_t k = next.fetch_add(1);
      if (k >= order.size()) return;
      Task& task = work.tasks[order[k]];
      task.reading = simulate(task.plan, work.machines[task.machine]);
      const std::lock_guard lock(mutex);
      ++done;
      if (options.progress) options.progress(done, order.size());
    }
  });
}

/// A row and what was found for it: its answer, or why there is none.
struct Found {
  const Row& row;
  const Family& family;
  const std::string& description;
  const Result<Reading>& reading;
  double ghz;
};

void add(Evaluation& evaluation, const Found& found) {
  const Row& row = found.row;
  if (!found.reading) {  // an instruction that the GPU does not have, or too little memory
    evaluation.unanswered.push_back({row, found.reading.error().message});
    return;
  }
  if (const auto value = in_unit(*found.reading, *find_unit(row.unit), found.ghz)) {
    evaluation.answers.push_back({row, std::string(found.family.name), found.description, *value});
  } else {
    evaluation.unanswered.push_back({row, fmt::format("what the benchmark gives cannot be put in {}", row.unit)});
  }
}

}  // namespace

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
    const Result<std::string> reason = work.add(row, *plan->first, plan->second);
    if (!reason) return reason.error();
    if (!reason->empty()) evaluation.unanswered.push_back({row, *reason});
  }
  run_all(work, options);
  for (const Asked& asked : work.asked) {
    add(evaluation, {*asked.row, *asked.family, asked.description, work.tasks[asked.task].reading, asked.ghz});
  }
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
    if (!readings.contains(plan->second.key)) readings.emplace(plan->second.key, plan->second.run(runner));
    const measure::Device& device = runner.device();
    add(evaluation, {row, *plan->first, device.name, readings.at(plan->second.key), device.clock_khz * 1e-6});
    if (options.progress) options.progress(done, rows.size());
  }
  return evaluation;
}

}  // namespace bankshot::accuracy

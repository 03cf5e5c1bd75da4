#include "bankshot/accuracy/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "bankshot/measure/runner_simulated.hpp"
#include "bankshot/support/thread_pool.hpp"

namespace bankshot::accuracy {
namespace {

constexpr size_t kNone = ~size_t{0};

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

}  // namespace

Result<std::string> Work::add(const Row& row, const Family& family, const Plan& plan, const Target& target) {
  if (target.one_sm_only && plan.whole_chip) return std::string("its memory is not the description's");
  const Result<size_t> machine = machine_for(row, target);
  if (!machine) return machine.error();
  if (*machine == kNone) return fmt::format("no timing: {}", target.description);
  const auto [place, is_new] = task_of_.try_emplace({*machine, plan.key}, tasks.size());
  if (is_new) tasks.push_back({plan, *machine});
  const double ghz = machines[*machine].core_khz * 1e-6;
  asked.push_back({row, &family, std::string(target.description), place->second, ghz});
  return std::string();
}

Result<size_t> Work::machine_for(const Row& row, const Target& target) {
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

Result<Reading> simulate(const Plan& plan, const gpu::Gpu& gpu) {
  const measure::SimulatedOptions options{.one_sm = !plan.whole_chip, .machine_code = true};
  timing::Config config = *gpu.timing;
  if (!config.rules.hash) config.scratchpad.hash_cycles = 0;  // it is what computing a configured hash takes
  const auto runner = measure::simulated_runner(gpu, config, options);
  if (!runner) return runner.error();
  return plan.run(**runner);
}

void on_threads(unsigned threads, size_t count, const std::function<void(size_t)>& task) {
  ThreadPool pool;
  const unsigned wanted = threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  const auto most = static_cast<unsigned>(std::max<size_t>(1, count));
  std::atomic<size_t> next = 0;
  pool.run_independent(pool.prepare(std::clamp(wanted, 1u, most)), [&](unsigned) {
    for (size_t k = next.fetch_add(1); k < count; k = next.fetch_add(1)) task(k);
  });
}

std::vector<Result<Reading>> simulate_all(const Work& work, unsigned threads,
                                          const std::function<void(size_t done, size_t all)>& progress) {
  const std::vector<size_t> order = order_of(work.tasks);
  std::vector<Result<Reading>> readings(work.tasks.size(), Error{"not run"});
  std::mutex mutex;
  size_t done = 0;
  on_threads(threads, order.size(), [&](size_t k) {
    const Task& task = work.tasks[order[k]];
    readings[order[k]] = simulate(task.plan, work.machines[task.machine]);
    const std::lock_guard lock(mutex);
    ++done;
    if (progress) progress(done, order.size());
  });
  return readings;
}

Result<double> in_unit_of(const Asked& asked, const Result<Reading>& reading) {
  if (!reading) return reading.error();  // an instruction that the GPU does not have, or too little memory
  if (const auto value = in_unit(*reading, *find_unit(asked.row.unit), asked.ghz)) return *value;
  return Error{fmt::format("what the benchmark gives cannot be put in {}", asked.row.unit)};
}

}  // namespace bankshot::accuracy

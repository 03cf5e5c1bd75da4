// What a sweep does for each point besides running it: from the plan to the key, and the result into the store.
#include <benchmark/benchmark.h>

#include <string>

#include "bankshot/support/temporary_folder.hpp"
#include "bankshot/sweep/plan/plan.hpp"
#include "bankshot/sweep/points/resolver.hpp"
#include "bankshot/sweep/store/store.hpp"

namespace bankshot::sweep {
namespace {

Plan plan_of(size_t seeds) {
  return *parse_plan(
      "[[program]]\nrun = \"/bin/sh\"\narguments = [\"{seed}\"]\n[axes]\ngpu = [\"v100\", \"h100\"]\n"
      "bank_hash = [\"none\", \"xor\"]\nseed = { from = 1, to = " +
          std::to_string(seeds) + " }\n",
      "bench.toml");
}

/// A result with six kernels and all counters of a simulation.
Outcome outcome_of(uint64_t id) {
  Outcome outcome;
  outcome.id = id;
  outcome.core_khz = 1'000'000;
  for (int k = 0; k < 6; ++k) {
    KernelOutcome kernel;
    kernel.name = "kernel(float const*, float*, int)";
    kernel.launches = 1;
    kernel.cycles = 1000;
    kernel.warp_instructions = 10;
    kernel.counters = "{\"cycles\":1000";
    for (int counter = 0; counter < 50; ++counter)
      kernel.counters += ",\"counter_" + std::to_string(counter) + "\":123456";
    kernel.counters += "}";
    outcome.kernels.push_back(kernel);
  }
  return outcome;
}

void BM_key_of_a_point(benchmark::State& state) {
  const Plan plan = plan_of(1000);
  Resolver resolver = *Resolver::make(plan);
  size_t row = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(resolver.point(row));
    row = (row + 1) % plan.points();
  }
  state.counters["bytes a task"] = static_cast<double>(to_line(resolver.point(0)->task).size());
}

void BM_enter_a_point(benchmark::State& state) {
  const TemporaryFolder folder = std::move(*TemporaryFolder::make());
  const Plan plan = plan_of(static_cast<size_t>(state.range(0)) / 4);
  Resolver resolver = *Resolver::make(plan);
  Store store = Store::open(folder.path() + "/s.sqlite", true);
  for (auto _ : state) {
    if (!store.put(plan, resolver, {})) state.SkipWithError("put");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_read_and_record_a_result(benchmark::State& state) {
  const TemporaryFolder folder = std::move(*TemporaryFolder::make());
  Store store = Store::open(folder.path() + "/s.sqlite", true);
  const Plan plan = plan_of(50'000);
  Resolver resolver = *Resolver::make(plan);
  if (!store.put(plan, resolver, {})) state.SkipWithError("put");
  const std::string line = to_line(outcome_of(1));
  uint64_t id = 1;
  for (auto _ : state) {
    Result<Outcome> outcome = outcome_from(line);
    outcome->id = id++;
    store.record(*outcome);
  }
  state.counters["bytes a result"] = static_cast<double>(line.size());
}

BENCHMARK(BM_key_of_a_point);
BENCHMARK(BM_enter_a_point)->Arg(100'000)->Iterations(1);
BENCHMARK(BM_read_and_record_a_result)->Iterations(100'000);

}  // namespace
}  // namespace bankshot::sweep

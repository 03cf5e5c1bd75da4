// The micro-benchmarks on simulated GPUs find what their descriptions say.
#include <gtest/gtest.h>

#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/measure/description.hpp"
#include "bankshot/measure/runner_simulated.hpp"
#include "bankshot/timing/atomics/locks.hpp"
#include "tests/paths.hpp"

namespace bankshot::measure {
namespace {

gpu::Gpu gpu_of(const std::string& name) {
  auto gpu = gpu::load_gpu(paths::source() + "/gpus/" + name + ".toml");
  EXPECT_TRUE(gpu) << gpu.error().message;
  return *gpu;
}

std::unique_ptr<Runner> runner_of(const gpu::Gpu& gpu, const std::string& atomics = "") {
  cuda::SimulateRequest request;
  request.atomics = atomics;
  auto config = cuda::simulated_config(gpu, request, {});
  EXPECT_TRUE(config) << config.error().message;
  auto runner = simulated_runner(gpu, *config);
  EXPECT_TRUE(runner);
  return std::move(*runner);
}

Calibration measured_on(const gpu::Gpu& gpu, const std::string& atomics = "") {
  const auto runner = runner_of(gpu, atomics);
  auto all = calibrate(*runner, gpu.machine.scratchpad, {.samples = 1, .warps = 4, .repeats = 8});
  EXPECT_TRUE(all) << all.error().message;
  return *all;
}

TEST(MeasureSimulated, finds_the_latency_of_every_gpu_that_can_be_simulated) {
  for (const char* name : {"gtx480", "gtx580", "k20", "v100", "h100", "cf11"}) {
    SCOPED_TRACE(name);
    const gpu::Gpu gpu = gpu_of(name);
    const Description description = describe(measured_on(gpu), {name, gpu});
    const auto again = gpu::parse_gpu(description.toml, "again.toml");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->timing->scratchpad.latency, gpu.timing->scratchpad.latency);
    EXPECT_EQ(again->timing->scratchpad.atomics, gpu.timing->scratchpad.atomics);
    EXPECT_EQ(again->machine.scratchpad.combines_increments, gpu.machine.scratchpad.combines_increments);
    EXPECT_TRUE(description.told.empty());
    EXPECT_TRUE(description.refused.empty());
  }
}

TEST(MeasureSimulated, finds_the_states_of_the_lock_unit) {
  const gpu::Gpu gpu = gpu_of("gtx580");
  const Calibration all = measured_on(gpu);
  EXPECT_EQ(all.device.issue_cycles_by_tick, 0.5);
  const Series& position = *all.find(Access::add, "position");
  EXPECT_EQ(position.line.first, 118);  // ICCD'13, section III: 32 + 18 + 36 + 32
  EXPECT_EQ(position.line.step, 118);
  EXPECT_EQ(position.line.residual, 0);
  EXPECT_EQ(all.find(Access::add, "bank")->line.step, 68);
  EXPECT_EQ(all.locks.number, std::optional(1024u));
  EXPECT_EQ(all.locks.pair, 150);
  const auto again = gpu::parse_gpu(describe(all, {"gtx580", gpu}).toml, "again.toml");
  ASSERT_TRUE(again) << again.error().message;
  for (const timing::Parameter& parameter : timing::kLockParameters) {
    if (parameter.name == "base" || parameter.name == "position" || parameter.name == "bank") continue;  // rounded
    EXPECT_EQ(again->timing->parameters[parameter], gpu.timing->parameters[parameter]) << parameter.name;
  }
}

TEST(MeasureSimulated, stride_256_steps_as_in_figure_5_of_the_paper) {
  const Calibration all = measured_on(gpu_of("gtx580"));
  const std::vector<double> published = {118, 186, 254, 322, 472,
                                         572, 672, 772, 954};  // ICCD'13, as worked out in its FSM
  const Series& mixed = *all.find(Access::add, "mixed");
  for (size_t k = 0; k < published.size(); ++k)
    EXPECT_EQ(mixed.latency[k].median(), published[k]) << "degree " << k + 1;
  EXPECT_EQ(mixed.latency[31].median(), 6160);
}

TEST(MeasureSimulated, other_units_of_atomics_are_told_apart) {
  const gpu::Gpu gpu = gpu_of("gtx580");
  EXPECT_EQ(atomics_unit(measured_on(gpu, "native")), "native");
  EXPECT_EQ(atomics_unit(measured_on(gpu, "loadlike")), "loadlike");
  EXPECT_FALSE(measured_on(gpu, "native").locks.number);
}

TEST(MeasureSimulated, a_conflict_of_every_access_lowers_the_rate_by_its_degree) {
  const auto runner = runner_of(gpu_of("gtx580"));
  ASSERT_FALSE(runner->load(programs()));
  for (const unsigned degree : {4u, 32u}) {
    const std::vector<Pattern> warps(8, conflict_pattern(32, degree));
    const auto ticks = throughput(*runner, Access::load, warps, 64, 1);
    ASSERT_TRUE(ticks) << ticks.error().message;
    // A wavefront takes two ticks of the hot clock; what is more is time in which warps wait for their last result, and
    // that of a second instruction: nothing issues behind a conflict that replays.
    EXPECT_GE(ticks->of[0], 2 * degree);
    EXPECT_LE(ticks->of[0], 2.5 * degree + 2);
  }
}

TEST(MeasureSimulated, lanes_that_are_off_cost_nothing) {
  const auto runner = runner_of(gpu_of("v100"));
  ASSERT_FALSE(runner->load(programs()));
  Pattern one;
  one.fill(kOff);
  one[7] = 5;
  Pattern none;
  none.fill(kOff);
  Pattern half = conflict_pattern(32, 32);
  for (size_t lane = 16; lane < 32; ++lane) half[lane] = kOff;
  const std::vector<Pattern> patterns = {one, half, none};
  const auto all = latencies(*runner, Access::load, patterns, 2);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->at(0).of, (std::vector<double>{19, 19}));
  EXPECT_EQ(all->at(1).of, (std::vector<double>{19 + 15, 19 + 15}));
  EXPECT_EQ(all->at(2).of, (std::vector<double>{0, 0}));
}

TEST(MeasureSimulated, rejects_what_is_not_there) {
  const auto runner = runner_of(gpu_of("v100"));
  Arguments arguments;
  const auto bytes = std::as_bytes(std::span(&arguments, 1));
  EXPECT_EQ(runner->launch({"latency_load", {32}, 0, bytes})->message, "no kernel latency_load was loaded");
  EXPECT_NE(runner->load(".version 3.2\n.target sm_20\n.entry k() { frobnicate; }")->message.find("measure.ptx:3:"),
            std::string::npos);
  ASSERT_FALSE(runner->load(programs()));
  EXPECT_EQ(runner->launch({"latency_load", {32}, 0, bytes.first(28)})->message,
            "kernel latency_load takes 32 bytes of arguments and was given 28");
  arguments.rounds = 1;
  EXPECT_NE(runner->launch({"latency_load", {32}, 4, bytes})->message.find("in kernel latency_load"),
            std::string::npos);
  const auto buffer = runner->allocate(8);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(runner->copy_in(*buffer, bytes)->message, "a copy of 32 bytes exceeds the allocation");
  gpu::Gpu wide = gpu_of("v100");
  wide.machine.warp_size = 64;
  EXPECT_EQ(simulated_runner(wide, *wide.timing).error().message,
            "Tesla V100-SXM2-16GB has warps of 64 lanes; the micro-benchmarks are for 32");
}

}  // namespace
}  // namespace bankshot::measure

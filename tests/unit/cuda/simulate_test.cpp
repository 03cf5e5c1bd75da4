// What `bankshot simulate` tells the libraries, and how a simulated launch is interrupted.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <signal.h>
#include <unistd.h>

#include "bankshot/cuda/process/interrupt.hpp"
#include "bankshot/cuda/process/progress.hpp"
#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/timing/pipelines/stage_config.hpp"
#include "tests/unit/timing/parameters.hpp"

namespace bankshot::cuda {
namespace {

/// A GPU with timing; the components that the defaults name.
gpu::Gpu made_gpu() {
  gpu::Gpu gpu;
  gpu.file = "made.toml";
  gpu.timing.emplace();
  gpu.timing->scratchpad.hash_cycles = 1;
  return gpu;
}

std::string refused_request(const SimulateRequest& request, std::string_view hash = {},
                            const gpu::Gpu& gpu = made_gpu()) {
  const auto config = simulated_config(gpu, request, hash);
  return config ? "" : config.error().message;
}

TEST(CudaSimulate, a_request_is_read_as_it_was_written) {
  const SimulateRequest request{"gto", "queued", "native", "xor", 1000, 50, "mean", {"issue.premem=2", "l1.bytes=0"}};
  EXPECT_EQ(to_text(request),
            "scheduler=gto;pipeline=queued;aware=mean;atomics=native;set=issue.premem=2;set=l1.bytes=0;lock_hash=xor;"
            "max_cycles=1000;timeline_cycles=50");
  const auto read = parse_simulate(to_text(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, request);
  EXPECT_EQ(to_text({}), "");
  EXPECT_EQ(*parse_simulate(""), SimulateRequest());
  EXPECT_EQ(*parse_simulate(";max_cycles=7;"), (SimulateRequest{"", "", "", "", 7, 0, {}, {}}));
}

TEST(CudaSimulate, rejects_parts_that_are_none) {
  EXPECT_EQ(parse_simulate("speed=9").error().message,
            "\"speed=9\" is none of scheduler=, pipeline=, aware=, atomics=, set=, lock_hash=, max_cycles=, "
            "timeline_cycles=, sample=1");
  for (const char* value : {"", "0", "-1", "1e6", "18446744073709551615", "99999999999999999999"}) {
    EXPECT_EQ(parse_simulate(std::string("max_cycles=") + value).error().message,
              std::string("max_cycles is \"") + value + "\" and not a number of cycles");
  }
}

TEST(CudaSimulate, components_asked_for_replace_those_of_the_gpu) {
  const auto config = simulated_config(made_gpu(), {"gto", "", "loadlike", ""}, "");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->issue.policy, "gto");
  EXPECT_EQ(config->issue.pipeline, "queued");
  EXPECT_EQ(config->scratchpad.atomics, "loadlike");
}

TEST(CudaSimulate, any_value_of_the_timing_half_can_be_changed) {
  SimulateRequest request;
  request.set = {"issue.stages=24",  "issue.memory_stages=4", "issue.pipeline=elastic",  "issue.premem=0",
                 "issue.aware=last", "issue.commit=hold",     "issue.aware_yields=true", "units.fp64.latency=99"};
  const auto config = simulated_config(made_gpu(), request, "");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->issue.pipeline, "elastic");
  EXPECT_EQ(config->parameters[timing::kPremem], 0u);
  EXPECT_EQ(config->parameters[timing::kNonmem], timing::kByEquation);
  EXPECT_EQ(config->issue.aware, "last");
  EXPECT_EQ(config->issue.commit, timing::Commit::hold);
  EXPECT_TRUE(config->issue.aware_yields);
  EXPECT_EQ(config->units[static_cast<unsigned>(timing::UnitClass::fp64)].latency, 99u);
}

TEST(CudaSimulate, a_bank_hash_is_of_the_banks_that_were_asked_for) {
  SimulateRequest request;
  request.set = {"scratchpad.banks=16", "scratchpad.lanes_b32=16", "scratchpad.lanes_b64=8", "scratchpad.lanes_b128=4"};
  const auto plain = simulated_config(made_gpu(), request, "");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->rules.banks, 16u);
  EXPECT_EQ(plain->rules.lanes_b64, 8u);
  const auto hashed = simulated_config(made_gpu(), request, "xor");
  ASSERT_TRUE(hashed) << hashed.error().message;
  ASSERT_TRUE(hashed->rules.hash);
  EXPECT_EQ(hashed->rules.hash->banks(), 16u);
}

TEST(CudaSimulate, rejects_changes_that_make_no_machine) {
  const auto refused = [](std::vector<std::string> set) {
    SimulateRequest request;
    request.set = std::move(set);
    return refused_request(request);
  };
  EXPECT_EQ(refused({"l1"}), "--set: 'l1' is not SECTION.KEY=VALUE");
  EXPECT_EQ(refused({"sm.register=1"}).substr(0, 64),
            "'sm.register' is not a key of a GPU description; [sm] has shared");
  EXPECT_TRUE(refused({"load_store.lane=1"})
                  .starts_with("'load_store.lane' is not a key of a GPU description; [load_store] has lanes, queue"));
  EXPECT_EQ(
      refused({"l1.ways=0"}),
      "l1.ways = 0 is impossible: lines of a set; if not given, l1.sets determines it, from 1 to 4096 (made.toml)");
  EXPECT_EQ(refused({"l1.ways=4x"}),
            "l1.ways = '4x' is not a whole number: lines of a set; if not given, l1.sets determines it, from 1 to 4096 "
            "(made.toml)");
  EXPECT_EQ(refused({"l1.global=1"}).substr(0, 31), "l1.global = 1 is impossible: gl");
  EXPECT_TRUE(refused({"issue.aware=luck"})
                  .starts_with("issue.aware = \"luck\" is not known; there are confident, exact, last"));
  EXPECT_TRUE(refused({"issue.commit=never"})
                  .starts_with("issue.commit = \"never\" is not known; there are any, reorder, hold"));
  EXPECT_TRUE(refused({"issue.memory_stages=9"}).starts_with("issue.memory_stages: must not exceed issue.stages"));
  EXPECT_TRUE(refused({"issue.pipeline=split"})
                  .starts_with("pipeline 'split' needs one scheduler of width 1, at least one memory stage"));
  EXPECT_EQ(refused({"gpu.name=x;y"}), "--set: 'gpu.name=x;y': no value has a semicolon");
}

TEST(CudaSimulate, rejects_components_that_do_not_exist_and_lists_those_that_do) {
  const std::string scheduler = refused_request({"fifo", "", "", ""});
  EXPECT_TRUE(scheduler.starts_with("there is no scheduler 'fifo'; there are: ")) << scheduler;
  EXPECT_NE(scheduler.find("gto, gty, lrr"), std::string::npos) << scheduler;
  EXPECT_TRUE(refused_request({"", "none", "", ""}).starts_with("there is no pipeline 'none'; there are: "));
  EXPECT_TRUE(refused_request({"", "", "none", ""}).starts_with("there is no atomics unit 'none'; there are: "));
}

TEST(CudaSimulate, locks_are_hashed_where_there_are_locks) {
  gpu::Gpu gpu = made_gpu();
  SimulateRequest request{"", "", "lock", "xor"};
  EXPECT_EQ(refused_request(request, "", gpu),
            "atomics unit 'lock': made.toml has no section [scratchpad.locks] with the cycles of locks");
  timing::set_locks(*gpu.timing, {10, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(simulated_config(gpu, request, "")->lock_hash.lock(32), 33u);
  EXPECT_EQ(simulated_config(gpu, request, "")->scratchpad.hash_cycles, 0u);
  request.lock_hash = "rows:1,2,4,8,16,32,64,128,256,512";
  EXPECT_EQ(simulated_config(gpu, request, "")->scratchpad.hash_cycles, 1u) << "it can be told others";
  request.lock_hash = "rows:1";
  EXPECT_EQ(refused_request(request, "", gpu), "--lock-hash: lock hash 'rows:1': 1 rows, but 10 lock bits");
  request.atomics = "native";
  EXPECT_EQ(refused_request(request, "", gpu), "--lock-hash needs the atomics unit 'lock', but this is 'native'");
}

TEST(CudaSimulate, rejects_a_gpu_without_timing) {
  gpu::Gpu gpu = made_gpu();
  gpu.timing.reset();
  EXPECT_TRUE(refused_request({}, "", gpu)
                  .starts_with("made.toml has no timing sections, so it cannot be simulated; these GPUs have them: "));
}

TEST(CudaSimulate, a_configurable_hash_takes_a_cycle_and_a_fixed_one_none) {
  const auto cycles = [](std::string_view hash) {
    return simulated_config(made_gpu(), {}, hash)->scratchpad.hash_cycles;
  };
  EXPECT_EQ(cycles(""), 0u);
  EXPECT_EQ(cycles("none"), 0u);
  EXPECT_EQ(cycles("xor"), 0u);
  EXPECT_EQ(cycles("bvxor:0,5,31"), 1u) << "the same banks as xor, in hardware that can be told others";
  EXPECT_EQ(cycles("perm:0"), 1u) << "word modulo banks, in hardware that can be told others";
  gpu::Gpu hashed = made_gpu();
  ASSERT_FALSE(scratchpad::set_bank_hash(hashed.machine.scratchpad, "bvxor:0,5,31"));
  EXPECT_EQ(simulated_config(hashed, {}, "")->scratchpad.hash_cycles, 1u) << "as its file says";
  EXPECT_EQ(simulated_config(hashed, {}, "none")->scratchpad.hash_cycles, 0u);
  EXPECT_FALSE(simulated_config(hashed, {}, "none")->rules.hash);
  EXPECT_TRUE(simulated_config(made_gpu(), {}, "xor")->rules.hash);
}

TEST(CudaSimulate, rejects_a_hash_that_is_none) {
  EXPECT_TRUE(refused_request({}, "frob").starts_with("--bank-hash: ")) << refused_request({}, "frob");
}

TEST(CudaSimulate, an_interrupt_is_held_and_then_ends_the_process) {
  const auto held = [] {
    {
      const HeldInterrupt interrupt;
      raise(SIGINT);
    }
    if (!HeldInterrupt::flag()) _exit(1);
    end_by_interrupt();
  };
  EXPECT_EXIT(held(), ::testing::KilledBySignal(SIGINT), "");
}

TEST(CudaSimulate, a_second_interrupt_ends_the_process_at_once) {
  const auto twice = [] {
    const HeldInterrupt interrupt;
    raise(SIGINT);
    if (!HeldInterrupt::flag()) _exit(1);
    raise(SIGINT);  // the same one, passed on by bankshot
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    raise(SIGINT);
    _exit(2);
  };
  EXPECT_EXIT(twice(), ::testing::KilledBySignal(SIGINT), "");
}

TEST(CudaSimulate, the_handler_of_the_program_stays) {
  const auto own = [] {
    signal(SIGINT, [](int) { _exit(7); });
    const HeldInterrupt interrupt;
    raise(SIGINT);
    _exit(1);
  };
  EXPECT_EXIT(own(), ::testing::ExitedWithCode(7), "");
}

TEST(CudaSimulate, what_stood_before_stands_again) {
  const auto restored = [] {
    {
      const HeldInterrupt interrupt;
    }
    raise(SIGINT);
    _exit(1);
  };
  EXPECT_EXIT(restored(), ::testing::KilledBySignal(SIGINT), "");
}

TEST(CudaProgress, the_line_of_a_simulation_names_cycles_rate_and_time_left) {
  const timing::ChipProgress progress{256, 1024, 1'234'567, 3'000'000};
  EXPECT_EQ(progress_text("_Z5scalePfi", progress, 2.0),
            "bankshot: 256 of 1024 CTAs, 1.23 M cycles, 1.50 M instr/s, 6 s left, scale(...");
  EXPECT_EQ(progress_text("k", timing::ChipProgress{0, 8, 912, 500}, 1.0),
            "bankshot: 0 of 8 CTAs, 912 cycles, 500 instr/s, k");
}

}  // namespace
}  // namespace bankshot::cuda

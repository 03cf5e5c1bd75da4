// A calibration as a file of gpus/: it can be read again, says what was measured, and keeps the rest.
#include <gtest/gtest.h>

#include "bankshot/gpu/keys.hpp"
#include "bankshot/measure/report.hpp"
#include "bankshot/timing/atomics/locks.hpp"
#include "model_runner.hpp"
#include "tests/paths.hpp"

namespace bankshot::measure {
namespace {

Base base_of(const std::string& name) {
  auto gpu = gpu::load_gpu(paths::source() + "/gpus/" + name + ".toml");
  EXPECT_TRUE(gpu) << gpu.error().message;
  return {name, *gpu};
}

Calibration measured_with_date(ModelRunner& runner) {
  auto all = calibrate(runner, {}, {.samples = 1, .warps = 4, .repeats = 8});
  EXPECT_TRUE(all) << all.error().message;
  all->date = "2026-11-22";
  return *all;
}

gpu::Gpu read(const Description& description) {
  auto gpu = gpu::parse_gpu(description.toml, "written.toml");
  EXPECT_TRUE(gpu) << gpu.error().message << description.toml;
  return *gpu;
}

const Finding* find(const std::vector<Finding>& list, std::string_view key) {
  for (const Finding& one : list) {
    if (one.key == key) return &one;
  }
  return nullptr;
}

TEST(MeasureDescription, says_in_cycles_of_issue_what_was_measured_in_ticks) {
  ModelRunner runner;
  runner.law = lock_law(kFsm);
  runner.about.issue_cycles_by_tick = 0.5;  // Fermi
  const gpu::Gpu gpu = read(describe(measured_with_date(runner), base_of("gtx580")));
  EXPECT_EQ(gpu.timing->scratchpad.latency, 25u);  // 50 ticks
  EXPECT_EQ(gpu.timing->scratchpad.atomics, "lock");
  const timing::LocksConfig locks = timing::locks_of(*gpu.timing);
  EXPECT_EQ(locks.bits, 10u);
  EXPECT_EQ(locks.base, 59u);
  EXPECT_EQ(locks.position, 59u);
  EXPECT_EQ(locks.bank, 17u);
  EXPECT_EQ(locks.read, 16u);
  EXPECT_EQ(locks.write, 18u);
  EXPECT_EQ(locks.update, 9u);
  EXPECT_EQ(locks.branch, 16u);
}

TEST(MeasureDescription, locks_are_found_where_the_base_has_none) {
  ModelRunner runner;
  runner.law = lock_law(kFsm, 9);
  const Description description = describe(measured_with_date(runner), base_of("v100"));
  const gpu::Gpu gpu = read(description);
  EXPECT_EQ(gpu.timing->scratchpad.atomics, "lock");
  EXPECT_EQ(timing::locks_of(*gpu.timing).bits, 9u);
  EXPECT_EQ(timing::locks_of(*gpu.timing).update, 18u);  // the paper's share
  EXPECT_EQ(timing::locks_of(*gpu.timing).branch, 32u);
  ASSERT_TRUE(find(description.measured, "scratchpad.locks.read"));
  EXPECT_EQ(find(description.measured, "scratchpad.locks.read")->was, "none");
  EXPECT_EQ(find(description.measured, "scratchpad.locks.read")->ticks, 32);
  EXPECT_EQ(find(description.measured, "scratchpad.locks.read")->spread, 0);
}

TEST(MeasureDescription, what_was_not_measured_is_the_bases_for_every_gpu_that_can_be_simulated) {
  for (const char* name : {"gtx480", "gtx580", "k20", "v100", "h100", "cf11"}) {
    SCOPED_TRACE(name);
    ModelRunner runner;
    runner.law = [](Access access, const Pattern& pattern) {
      return access == Access::add ? 60 + fermi_load(pattern) : fermi_load(pattern);
    };
    const Base base = base_of(name);
    const gpu::Gpu gpu = read(describe(measured_with_date(runner), base));
    for (const auto table : {gpu::keys(), gpu::timing_keys()}) {
      for (const gpu::Key& key : table) {
        const std::string path = std::string(key.section) + "." + std::string(key.name);
        if (path == "gpu.name" || path == "scratchpad.latency" || path == "scratchpad.atomics") continue;
        EXPECT_EQ(gpu::value_text(gpu, key), gpu::value_text(base.gpu, key)) << path;
      }
    }
    EXPECT_EQ(gpu.name, "Formula");
    EXPECT_EQ(gpu.timing->scratchpad.atomics, "loadlike");  // lanes on one word are free of charge here
  }
}

TEST(MeasureDescription, increments_that_are_combined_are_noticed) {
  for (const bool combined : {false, true}) {
    ModelRunner runner;
    runner.law = [&](Access access, const Pattern& pattern) {
      const double turns = static_cast<double>(std::count(pattern.begin(), pattern.end(), 0u));
      return 30.0 + (combined && access == Access::increment_unused ? 0 : turns);
    };
    const gpu::Gpu gpu = read(describe(measured_with_date(runner), base_of(combined ? "v100" : "h100")));
    EXPECT_EQ(gpu.machine.scratchpad.combines_increments, combined);
    EXPECT_EQ(gpu.timing->scratchpad.atomics, "native");
  }
}

TEST(MeasureDescription, takes_what_the_driver_tells_if_it_can_be) {
  ModelRunner runner;
  runner.law = lock_law(kFsm);
  runner.about.name = "Strange \"GPU\" \\ 1\n";
  runner.about.facts = {{"gpu.sms", "14"},
                        {"clocks.core_khz", "1400000"},
                        {"memory.l2_bytes", "1000001"},
                        {"sm.shared_bytes", "40000"},                  // less than a block may have …
                        {"sm.shared_per_block_optin_bytes", "40000"},  // … unless this is told too
                        {"sm.shared_per_block_bytes", "32768"},
                        {"gpu.colour", "3"}};
  const Description description = describe(measured_with_date(runner), base_of("gtx580"));
  const gpu::Gpu gpu = read(description);
  EXPECT_EQ(gpu.name, "Strange ?GPU? ? 1?");
  EXPECT_EQ(gpu.machine.sms, 14u);
  EXPECT_EQ(gpu.core_khz, 1'400'000u);
  EXPECT_EQ(gpu.issue_khz, 700'000u);  // half, as in the base
  EXPECT_EQ(gpu.shared_per_block, 32'768u);
  EXPECT_EQ(timing::locks_of(*gpu.timing).bits, 10u);
  EXPECT_EQ(gpu.l2_bytes, base_of("gtx580").gpu.l2_bytes);
  ASSERT_TRUE(find(description.refused, "memory.l2_bytes"));
  EXPECT_EQ(find(description.refused, "memory.l2_bytes")->remark,
            "error: memory.l2_bytes: must be a whole number of sets of l2.ways lines in each of dram.channels");
  ASSERT_TRUE(find(description.told, "gpu.sms"));
  EXPECT_EQ(find(description.told, "gpu.sms")->was, "16");
  EXPECT_EQ(description.toml.find("colour"), std::string::npos);
}

TEST(MeasureDescription, the_head_of_the_file_says_what_was_measured_when) {
  ModelRunner runner;
  runner.law = lock_law(kFsm);
  const std::string toml = describe(measured_with_date(runner), base_of("gtx580")).toml;
  EXPECT_TRUE(toml.starts_with(
      "# Formula, measured with bankshot calibrate.\n#\n# Formula, compute capability 2.0, no driver, at most "
      "1000 MHz, on 2026-11-22\n"));
  EXPECT_NE(toml.find("# locks: 1024 of them"), std::string::npos);
  EXPECT_NE(
      toml.find("# Where nothing else is said, the value is that of gtx580 (GeForce GTX 580, compute capability 2.0)."),
      std::string::npos);
}

TEST(MeasureDescription, the_nearest_base_can_be_simulated_and_is_rather_older) {
  const auto nearest = [](unsigned major, unsigned minor, const char* name = "") {
    Device device;
    device.name = name;
    device.major = major;
    device.minor = minor;
    const auto base = nearest_base(device);
    return base ? base->name : base.error().message;
  };
  EXPECT_EQ(nearest(9, 0), "h100");
  EXPECT_EQ(nearest(7, 5), "t4");
  EXPECT_EQ(nearest(8, 0), "a100");
  EXPECT_EQ(nearest(8, 7), "rtx3090");  // of 8.6 and 8.9 the older
  EXPECT_EQ(nearest(12, 0), "rtx5090");
  EXPECT_EQ(nearest(10, 0), "b200");
  EXPECT_EQ(nearest(10, 3), "b300");
  EXPECT_EQ(nearest(3, 7), "k20");
  EXPECT_EQ(nearest(2, 1), "gtx480");
  EXPECT_EQ(nearest(2, 0, "GeForce GTX 580"), "gtx580");
}

TEST(MeasureReport, text_and_json_say_the_same) {
  ModelRunner runner;
  runner.law = lock_law(kFsm);
  const Calibration all = measured_with_date(runner);
  const Base base = base_of("gtx580");
  const Description description = describe(all, base);
  VoteCheck votes{
      7, 2, {{scratchpad::Layout{32, 4, 0, scratchpad::Mapping::block}, true, {100, 200}, {101, 190}, {100, 180}}}};
  const std::string text = to_text(all, base, description, votes), json = to_json(all, base, description, votes);
  EXPECT_NE(text.find("atomic add                     position, stride 0   1..32    118.0   3776.0    118.00  1..32    "
                      "  0.0    0.0\n"),
            std::string::npos)
      << text;
  EXPECT_NE(json.find("\"schema\": \"bankshot/calibrate/1\""), std::string::npos);
  EXPECT_NE(text.find("    32      4 block     sorted       150.0     145.5     140.0\n"), std::string::npos) << text;
  // 1 of 100 and 10 of 200; 0 of 100 and 20 of 200.
  EXPECT_NE(text.find("the model by 3.0 % in the median and 5.0 % at most, the\nsimulator by 5.0 % and 10.0 %\n"),
            std::string::npos)
      << text;
  EXPECT_NE(json.find("\"number\": 1024"), std::string::npos);
  EXPECT_NE(to_text(all, base, description, Error{"no reason"}).find("compared with the GPU: no reason\n"),
            std::string::npos);
  EXPECT_NE(json.find("\"key\": \"scratchpad.locks.read\""), std::string::npos);
}

}  // namespace
}  // namespace bankshot::measure

// What simulated launches took: sums, JSON there and back, the laws a reader checks.
#include <gtest/gtest.h>

#include <functional>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json.hpp"
#include "bankshot/report/run/timing_lines.hpp"
#include "timing_fixture.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;

/// The error for the made-up report with something changed in its JSON.
std::string refusal(const std::function<void(json&)>& change) {
  json root = json::parse(to_json(made_simulation()));
  change(root);
  const auto report = from_json(root.dump());
  return report ? "" : report.error().message;
}

TEST(ReportTiming, has_the_fields_of_the_contract) {
  const json root = json::parse(to_json(made_simulation()));
  EXPECT_EQ(root["schema"], "bankshot/simulate/1");
  EXPECT_EQ(root["cycles"], 100);
  EXPECT_EQ(root["config"]["scheduler"], "lrr");
  EXPECT_EQ(root["config"]["bank_hash"], "none");
  const json& kernel = root["kernels"][0];
  EXPECT_EQ(kernel["cycles"], 100);
  EXPECT_EQ(kernel["ipc"], 0.4);
  EXPECT_EQ(kernel["stalls"].size(), timing::kCauses);
  EXPECT_EQ(kernel["stalls"]["issued"], 40);
  EXPECT_EQ(kernel["stalls"]["scratchpad"], 100);
  EXPECT_EQ(kernel["stalls"]["memory"], 0);
  EXPECT_EQ(kernel["config"], root["config"]);
  EXPECT_EQ(kernel["counters"]["shared_ideal_wavefronts"], 4);
  EXPECT_EQ(kernel["counters"]["bank_lanes"].size(), 32u);
  EXPECT_EQ(kernel["counters"]["bank_lanes"][3], 128);
  EXPECT_EQ(kernel["timed_launches"][0]["over_time"],
            (json{{"span_cycles", 64},
                  {"spans", 2},
                  {"stalls", {{"issued", {30, 10}}, {"scratchpad", {70, 30}}, {"no_warp", {28, 32}}}}}));
  EXPECT_EQ(kernel["shared"]["conflicts"], 93) << "what explain tells is there too";
  EXPECT_EQ(kernel["sites"].size(), 2u);
}

TEST(ReportTiming, every_named_counter_is_written_and_read_back) {
  RunReport report = made_simulation();
  timing::Counters expected = report.kernels[0].timing->counters;
  uint64_t value = 1000;
  for (const timing::CounterName& counter : timing::counter_names()) {
    // Those that a law binds to others keep their values.
    if (counter.value == &timing::Counters::ctas || counter.value == &timing::Counters::global_sectors ||
        counter.value == &timing::Counters::flits_to_sms || counter.value == &timing::Counters::dram_activates) {
      expected.*counter.value = value++;
    }
  }
  report.kernels[0].timing->counters = report.kernels[0].timing->launches[0].counters = expected;
  const auto back = from_json(to_json(report));
  ASSERT_TRUE(back) << back.error().message;
  const timing::Counters& read = back->kernels[0].timing->counters;
  for (const timing::CounterName& counter : timing::counter_names()) {
    EXPECT_EQ(read.*counter.value, expected.*counter.value) << counter.name;
  }
  EXPECT_EQ(read.slots, expected.slots);
  EXPECT_EQ(read.bank_lanes, expected.bank_lanes);
}

TEST(ReportTiming, what_is_read_back_writes_the_same) {
  const std::string text = to_json(made_simulation());
  const auto back = from_json(text);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_json(*back), text);
  EXPECT_EQ(back->machine, made_machine());
  const TimedLaunch& launch = back->kernels[0].timing->launches[0];
  EXPECT_EQ(launch.limited_by, "registers");
  EXPECT_EQ(launch.ctas_per_sm, 4u);
  EXPECT_EQ(launch.warps_per_cta, 8u);
  EXPECT_EQ(launch.grid, (simt::Dim3{4, 2, 1}));
}

TEST(ReportTiming, launches_and_processes_add_up) {
  RunReport report = made_simulation();
  timing::LaunchTiming second = made_timing();
  second.partial = true;
  second.lines.pop_back();
  second.lines.push_back({{"kernel.cu", 9, 99}, "bar.sync", {.issued = 20}});
  report.add(made_launch({row()}), "_Z5scalePfi", {1, 1, 1}, {32, 1, 1}, {}, &second);
  report.merge(made_simulation());
  const KernelTiming& timing = *report.kernels[0].timing;
  EXPECT_EQ(timing.counters.cycles, 300u);
  EXPECT_EQ(timing.counters.slots[0], 120u);
  EXPECT_EQ(timing.counters.bank_lanes[3], 384u);
  EXPECT_EQ(timing.partial_launches, 1u);
  ASSERT_EQ(timing.launches.size(), 3u);
  EXPECT_TRUE(timing.launches[1].partial);
  ASSERT_EQ(timing.lines.size(), 4u);
  EXPECT_EQ(timing.lines[2].counters.issued, 40u) << "ld.shared of the first and third launch";
  EXPECT_EQ(timing.lines[3].op, "bar.sync");
  EXPECT_TRUE(report.is_partial());
  EXPECT_EQ(contradiction(timing, *report.machine), "");
  const auto back = from_json(to_json(report));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->partial_launches(), 1u);
}

TEST(ReportTiming, launches_beyond_the_most_are_counted_and_summed) {
  KernelTiming timing;
  for (size_t i = 0; i < KernelTiming::kMostLaunches + 2; ++i) timing.add(made_timing(), {}, {});
  EXPECT_EQ(timing.launches.size(), KernelTiming::kMostLaunches);
  EXPECT_EQ(timing.launches_left_out, 2u);
  EXPECT_TRUE(timing.launches[9].over_time);
  EXPECT_FALSE(timing.launches[10].over_time) << "a launch's slots over time are larger than all its counters";
  EXPECT_EQ(timing.counters.cycles, 100u * (KernelTiming::kMostLaunches + 2));
  EXPECT_EQ(contradiction(timing, made_machine()), "");
}

TEST(ReportTiming, lines_gather_their_instructions_most_stalls_first) {
  const KernelTiming timing = *made_simulation().kernels[0].timing;
  const std::vector<TimedLine> lines = timed_lines(timing);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].instructions, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(stalls(lines[0].counters), 95u);
  EXPECT_EQ(lines[0].counters.issued, 30u);
  EXPECT_EQ(lines[0].counters.exposed, 80u);
  EXPECT_EQ(lines[1].instructions, (std::vector<size_t>{0}));
}

TEST(ReportTiming, instructions_without_lines_stand_alone) {
  KernelTiming timing;
  timing.lines.push_back({{"", 0, 10}, "add.u32", {}});
  timing.lines.push_back({{"", 0, 11}, "add.u32", {}});
  EXPECT_EQ(timed_lines(timing).size(), 2u);
}

TEST(ReportTiming, rejects_slots_that_are_not_slots_times_cycles) {
  EXPECT_EQ(refusal([](json& root) { root["kernels"][0]["stalls"]["memory"] = 1; }),
            "the launches do not add up to the kernel");
  EXPECT_EQ(refusal([](json& root) {
              root["kernels"][0]["stalls"]["memory"] = 1;
              root["kernels"][0]["timed_launches"][0]["stalls"]["memory"] = 1;
            }),
            "the issue slots are not SMs * schedulers * width * cycles");
}

TEST(ReportTiming, rejects_broken_laws) {
  const auto both = [](const char* key, uint64_t value) {
    return refusal([&](json& root) {
      root["kernels"][0]["counters"][key] = value;
      root["kernels"][0]["timed_launches"][0]["counters"][key] = value;
    });
  };
  EXPECT_EQ(both("sm_cycles", 199), "sm_cycles is not SMs * cycles");
  EXPECT_EQ(both("active_cycles", 201), "active_cycles exceeds sm_cycles");
  EXPECT_EQ(both("warp_cycles", 48 * 160 + 1), "warp_cycles exceeds max_warps * active_cycles");
  EXPECT_EQ(both("conflict_cycles_exposed", 161), "conflict_cycles_exposed exceeds active_cycles");
  EXPECT_EQ(both("shared_ideal_wavefronts", 98), "shared_ideal_wavefronts exceeds shared_wavefronts");
  EXPECT_EQ(both("l1_load_hits", 6), "l1_loads is not hits + merged + misses");
  EXPECT_EQ(both("packets_to_sms", 1), "packets_to_memory is not packets_to_sms");
  EXPECT_EQ(both("l2_reads", 5), "l2_reads is not hits + merged + misses");
  EXPECT_EQ(both("l2_writes", 5), "l2_writes is not hits + misses");
  EXPECT_EQ(both("dram_row_hits", 8), "row hits and misses are not the bursts");
  const auto of_series = [](const char* pointer, json value) {
    return refusal(
        [&](json& root) { root["kernels"][0]["timed_launches"][0]["over_time"][json::json_pointer(pointer)] = value; });
  };
  EXPECT_EQ(of_series("/stalls/issued/0", 31), "the slots of over_time are not those of the launch");
  EXPECT_EQ(of_series("/span_cycles", 50), "");
  EXPECT_EQ(of_series("/span_cycles", 49), "the spans of over_time are not the cycles of the launch");
  EXPECT_EQ(of_series("/span_cycles", 100), "the spans of over_time are not the cycles of the launch");
  EXPECT_EQ(both("warp_instructions", 41), "the instructions issued are not warp_instructions");
}

TEST(ReportTiming, rejects_instructions_with_more_slots_than_there_are) {
  EXPECT_EQ(refusal([](json& root) { root["kernels"][0]["timed_instructions"][0]["stalls"]["scratchpad"] = 6; }),
            "the instructions have more slots of scratchpad than there are");
}

TEST(ReportTiming, a_stopped_launch_may_have_packets_under_way) {
  EXPECT_EQ(refusal([](json& root) {
              json& kernel = root["kernels"][0];
              kernel["counters"]["packets_to_memory"] = kernel["timed_launches"][0]["counters"]["packets_to_memory"] =
                  7;
              kernel["partial_launches"] = 1;
              kernel["timed_launches"][0]["partial"] = true;
              root["partial"] = true;
              root["ended"] = false;
            }),
            "");
}

TEST(ReportTiming, any_bytes_are_read_or_refused) {
  const std::string text = to_json(made_simulation());
  size_t refused = 0, tried = 0;
  for (size_t at = 0; at < text.size(); at += 31, ++tried) {
    std::string changed = text;
    changed[at] = changed[at] == '9' ? '}' : '9';
    const auto report = from_json(changed);
    if (!report) {
      ++refused;
    } else if (report->kernels.at(0).timing) {
      EXPECT_EQ(contradiction(*report->kernels[0].timing, *report->machine), "") << at;
    }
  }
  EXPECT_GT(refused, tried / 3);
}

TEST(ReportTiming, rejects_what_is_missing_or_of_another_type) {
  EXPECT_EQ(refusal([](json& root) { root.erase("config"); }), "\"config\" is missing");
  EXPECT_EQ(refusal([](json& root) { root["config"]["sms"] = 0; }), "\"sms\" must be at least 1");
  EXPECT_EQ(refusal([](json& root) { root["kernels"][0]["stalls"].erase("barrier"); }), "\"barrier\" is missing");
  EXPECT_EQ(refusal([](json& root) { root["kernels"][0]["stalls"] = 3; }), "\"stalls\" must be an object");
  EXPECT_EQ(refusal([](json& root) { root["kernels"][0]["counters"]["l2_reads"] = -1; }),
            "\"l2_reads\" must be a whole number");
  EXPECT_EQ(refusal([](json& root) { root["kernels"][0]["counters"]["bank_lanes"] = std::vector<int>(129); }),
            "\"bank_lanes\" has more than 128 banks");
  EXPECT_EQ(refusal([](json& root) { root["kernels"][0]["partial_launches"] = 1; }),
            "partial_launches is not the number of partial launches");
}

}  // namespace
}  // namespace bankshot::report

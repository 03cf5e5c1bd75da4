// The timeline as Perfetto opens it: the fields that the format demands, and no two spans of a thread at once.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/timeline_json.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;
using timing::Span;
using timing::Track;

timing::LaunchTiming launch_with_spans() {
  timing::LaunchTiming launch;
  launch.counters.cycles = 50;
  launch.lines.push_back({{"src/kernel.cu", 8, 88}, "ld.shared.f32", {}});
  launch.lines.push_back({{"", 0, 90}, "add.f32", {}});
  const auto span = [&](timing::Cycle begin, timing::Cycle end, Track track, uint8_t index, uint16_t sm, uint32_t instr,
                        uint32_t cta, uint32_t degree) {
    launch.timeline.push_back({begin, end, track, index, sm, instr, cta, degree});
  };
  span(0, 30, Track::warp, 3, 0, 0, 5, 0);
  span(1, 33, Track::scratchpad, 0, 0, 0, 5, 32);
  span(2, 12, Track::warp, 3, 0, 1, 5, 0);   // while the first of its warp is under way
  span(12, 13, Track::warp, 3, 0, 1, 5, 0);  // … and this fits behind the second
  span(2, 6, Track::unit, 3, 1, 1, 6, 0);
  return launch;
}

json made_trace() {
  TimelineJson timeline;
  timeline.add("_Z5scalePfi", launch_with_spans(), 0);
  timeline.add("_Z5scalePfi", launch_with_spans(), 50);
  return json::parse(timeline.text());
}

json made_events() { return made_trace()["traceEvents"]; }

TEST(ReportTimeline, every_event_has_the_fields_of_the_format) {
  for (const json& event : made_events()) {
    ASSERT_TRUE(event["name"].is_string()) << event;
    ASSERT_TRUE(event["pid"].is_number_unsigned()) << event;
    ASSERT_TRUE(event["tid"].is_number_unsigned()) << event;
    ASSERT_TRUE(event["ts"].is_number_unsigned()) << event;
    if (event["ph"] == "M") {
      const std::set<std::string> known{"process_name", "process_sort_index", "thread_name", "thread_sort_index"};
      EXPECT_TRUE(known.contains(event["name"].get<std::string>())) << event;
      EXPECT_EQ(event["args"].size(), 1u) << event;
    } else {
      EXPECT_EQ(event["ph"], "X") << event;
      EXPECT_TRUE(event["dur"].is_number_unsigned()) << event;
      EXPECT_TRUE(event["cat"].is_string()) << event;
    }
  }
}

TEST(ReportTimeline, processes_are_sms_and_threads_are_warps_units_and_the_scratchpad) {
  std::map<unsigned, std::string> processes;
  std::multiset<std::string> threads;
  for (const json& event : made_events()) {
    if (event["name"] == "process_name") {
      EXPECT_TRUE(processes.emplace(event["pid"], event["args"]["name"]).second);
    }
    if (event["name"] == "thread_name") threads.insert(event["args"]["name"]);
  }
  EXPECT_EQ(processes,
            (std::map<unsigned, std::string>{{0, "kernels (1 us is 1 core cycle)"}, {1, "SM 0"}, {2, "SM 1"}}));
  EXPECT_EQ(threads, (std::multiset<std::string>{"fp32", "scratchpad", "warp 3", "warp 3 (2)"}));
}

TEST(ReportTimeline, spans_tell_instruction_place_cta_and_degree) {
  std::vector<json> spans;
  for (const json& event : made_events()) {
    if (event["ph"] == "X") spans.push_back(event);
  }
  ASSERT_EQ(spans.size(), 12u);
  EXPECT_EQ(spans[0]["name"], "scale(float*, int)");
  EXPECT_EQ(spans[0]["dur"], 50);
  EXPECT_EQ(spans[1]["name"], "ld.shared.f32 kernel.cu:8");
  EXPECT_EQ(spans[1]["ts"], 0);
  EXPECT_EQ(spans[1]["dur"], 30);
  EXPECT_EQ(spans[1]["args"], (json{{"cta", 5}}));
  EXPECT_EQ(spans[2]["args"], (json{{"cta", 5}, {"degree", 32}}));
  EXPECT_EQ(spans[3]["name"], "add.f32 PTX line 90");
}

TEST(ReportTimeline, launches_follow_each_other_on_one_axis) {
  std::vector<uint64_t> starts;
  for (const json& event : made_events()) {
    if (event.value("cat", "") == "kernel") starts.push_back(event["ts"]);
    if (event.value("cat", "") == "unit") starts.push_back(event["ts"]);
  }
  EXPECT_EQ(starts, (std::vector<uint64_t>{0, 2, 50, 52}));
  EXPECT_EQ(made_trace()["otherData"]["time"], "1 us is 1 core cycle");
}

TEST(ReportTimeline, spans_of_one_thread_do_not_overlap) {
  std::map<std::pair<unsigned, unsigned>, uint64_t> ends;
  for (const json& event : made_events()) {
    if (event["ph"] != "X") continue;
    uint64_t& end = ends[{event["pid"], event["tid"]}];
    EXPECT_GE(event["ts"].get<uint64_t>(), end) << event;
    end = event["ts"].get<uint64_t>() + event["dur"].get<uint64_t>();
  }
  EXPECT_EQ(ends.size(), 5u);
}

TEST(ReportTimeline, an_empty_one_is_json_too) {
  EXPECT_EQ(json::parse(TimelineJson().text())["traceEvents"], json::array());
}

TEST(ReportTimeline, names_may_be_any_bytes) {
  TimelineJson timeline;
  timing::LaunchTiming launch = launch_with_spans();
  launch.lines[0].source.file = "a\"b\\\xff.cu";
  timeline.add("k\n\"", launch, 0);
  EXPECT_FALSE(json::parse(timeline.text(), nullptr, false).is_discarded());
}

}  // namespace
}  // namespace bankshot::report

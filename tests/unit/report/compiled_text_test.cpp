// What the reports tell of native code, of kernels made up by hand.
#include "bankshot/report/text/compiled_text.hpp"

#include <gtest/gtest.h>

#include "bankshot/report/json/json.hpp"

namespace bankshot::report {
namespace {

Kernel made_compiled() {
  Kernel kernel;
  kernel.warp_instructions = 1000;
  simt::Compiled& compiled = kernel.compiled.emplace();
  compiled.warp_instructions = 968;
  compiled.stretches = {{{"k.cu", 3, 30}, true, 14'200},
                        {{"k.cu", 4, 40}, false, 30'040},
                        {{"", 0, 50}, true, 10, "it begins with bar.sync: it waits"}};
  compiled.not_compiled = {{{"k.cu", 3, 31}, "ld.global.f32", true, "unknown distances"},
                           {{"", 0, 50}, "bar.sync", false, "it waits"},
                           {{"k.cu", 5, 60}, "ld.global.f32", true, "unknown distances"}};
  return kernel;
}

TEST(ReportCompiledText, counts_by_reason_with_the_first_place_of_each) {
  EXPECT_EQ(compiled_text(made_compiled()),  // 14.2 + 30.04 + 0.01 ms
            R"(  compiled: 2 stretches in 44.2 ms, executed 96.8 % of the warp instructions
    2 instructions executed by their handlers: unknown distances
      the first: ld.global.f32, PTX line 31, k.cu:3
    1 stretch refused: it begins with bar.sync: it waits
      PTX line 50
    1 instruction interpreted: it waits
      bar.sync, PTX line 50
)");
}

TEST(ReportCompiledText, says_why_nothing_is_compiled) {
  Kernel kernel;
  EXPECT_EQ(compiled_text(kernel), "");
  kernel.compiled.emplace().why_not = "the host has no avx512f";
  EXPECT_EQ(compiled_text(kernel), "  compiled: nothing: the host has no avx512f\n");
}

TEST(ReportCompiledText, json_is_read_as_it_was_written) {
  RunReport report;
  report.kernels = {made_compiled()};
  const std::string text = to_json(report);
  const auto read = from_json(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(compiled_text(read->kernels.at(0)), compiled_text(made_compiled()));
  report.kernels[0].compiled.reset();
  EXPECT_EQ(to_json(report).find("\"compiled\""), std::string::npos);
}

TEST(ReportCompiledText, launches_add_up) {
  RunReport report;
  simt::LaunchStats stats;
  stats.warp_instructions = 100;
  stats.compiled.emplace().why_not = "it ended before its code was ready";
  report.add(stats, "k", {}, {});
  EXPECT_EQ(report.kernels.at(0).compiled->why_not, "it ended before its code was ready");
  *stats.compiled = {.warp_instructions = 60, .stretches = {{{"", 0, 3}, true, 5}}};
  report.add(stats, "k", {}, {});
  *stats.compiled = {.warp_instructions = 100};
  report.add(stats, "k", {}, {});
  const simt::Compiled& all = *report.kernels.at(0).compiled;
  EXPECT_EQ(all.why_not, "");
  EXPECT_EQ(all.warp_instructions, 160u);
  EXPECT_EQ(all.stretches.size(), 1u);
}

}  // namespace
}  // namespace bankshot::report

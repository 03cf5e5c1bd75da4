// Adding up launches and processes.
#include <gtest/gtest.h>

#include "bankshot/report/json/json.hpp"
#include "bankshot/report/text/kernel_title.hpp"
#include "bankshot/report/text/text.hpp"
#include "fixture.hpp"

namespace bankshot::report {
namespace {

TEST(RunReport, adds_up_launches_of_one_kernel) {
  RunReport report = made_report({column(), row()});
  report.add(made_launch({column()}), "_Z5scalePfi", {4, 2, 1}, {32, 8, 1});
  ASSERT_EQ(report.kernels.size(), 1u);
  const Kernel& kernel = report.kernels[0];
  EXPECT_EQ(kernel.demangled, "scale(float*, int)");
  EXPECT_EQ(kernel.launches, 2u);
  EXPECT_EQ(kernel.warp_instructions, 2000u);
  EXPECT_FALSE(kernel.launch_shapes_vary);
  ASSERT_EQ(kernel.sites.size(), 2u);
  EXPECT_EQ(kernel.sites[0].source.ptx_line, 70u);
  EXPECT_EQ(kernel.sites[1].totals.accesses, 2u);
  EXPECT_EQ(kernel.shared().accesses, 3u);
  EXPECT_EQ(kernel.shared().wavefronts, 65u);
  EXPECT_EQ(kernel.shared().conflicts(), 62u);
}

TEST(RunReport, keeps_the_first_shape_and_says_that_shapes_vary) {
  RunReport report = made_report({});
  report.add(made_launch({}), "_Z5scalePfi", {8, 2, 1}, {32, 8, 1});
  EXPECT_TRUE(report.kernels[0].launch_shapes_vary);
  EXPECT_EQ(report.kernels[0].grid.x, 4u);
}

TEST(RunReport, is_serial_if_any_launch_was) {
  RunReport report = made_report({});
  simt::LaunchStats stats = made_launch({});
  stats.parallel = false;
  stats.why_serial = "atom.global.cas at line 9";
  report.add(stats, "_Z5scalePfi", {}, {});
  EXPECT_FALSE(report.kernels[0].parallel);
  EXPECT_EQ(report.kernels[0].why_serial, "atom.global.cas at line 9");
}

TEST(RunReport, kernels_stay_in_the_order_of_their_first_launches) {
  RunReport report = made_report({});
  report.add(made_launch({}), "b", {}, {});
  report.add(made_launch({}), "a", {}, {});
  report.add(made_launch({}), "b", {}, {});
  ASSERT_EQ(report.kernels.size(), 3u);
  EXPECT_EQ(report.kernels[1].name, "b");
  EXPECT_EQ(report.kernels[2].demangled, "a");
}

TEST(RunReport, merging_processes_does_not_depend_on_their_order) {
  const auto shifted = [](uint32_t first) {
    return made_site(88, "ld.shared.f32", 4, [=](uint32_t lane) { return first + 128 * lane; });
  };
  RunReport one = made_report({shifted(0)}), other = made_report({shifted(4)});
  RunReport ab = one, ba = other;
  ab.merge(other);
  ba.merge(one);
  EXPECT_EQ(ab.kernels[0].sites[0].totals.worst.addresses, ba.kernels[0].sites[0].totals.worst.addresses);
  EXPECT_EQ(ab.kernels[0].sites[0].totals.accesses, 2u);
  EXPECT_EQ(ab.kernels[0].launches, 2u);
}

TEST(RunReport, merging_into_an_empty_report_takes_over_the_gpu) {
  RunReport report;
  report.merge(made_report({column()}));
  EXPECT_EQ(report.gpu, "Test GPU");
  EXPECT_EQ(report.program, "./app");
}

TEST(RunReport, adds_up_failed_launches_by_kernel_and_reason) {
  RunReport report = made_report({});
  EXPECT_FALSE(report.is_partial());
  report.add_failed("_Z5scalePfi", "too many threads\nand more");
  report.add_failed("_Z5scalePfi", "too many threads");
  RunReport other;
  other.add_failed("_Z5scalePfi", "too many threads", 5);
  other.add_failed("_Z5scalePfi", "no grid");
  report.merge(other);
  ASSERT_EQ(report.failed.size(), 2u);
  EXPECT_EQ(report.failed[0].reason, "too many threads");
  EXPECT_EQ(report.failed[0].demangled, "scale(float*, int)");
  EXPECT_EQ(report.failed[0].launches, 7u);
  EXPECT_EQ(report.failed_launches(), 8u);
  EXPECT_TRUE(report.is_partial());
  EXPECT_FALSE(report.partial);
}

TEST(RunReport, keeps_a_limited_number_of_reasons) {
  RunReport report;
  for (int i = 0; i < 1000; ++i) report.add_failed("k", "reason " + std::to_string(i));
  EXPECT_EQ(report.failed.size(), 101u);
  EXPECT_EQ(report.failed_launches(), 1000u);
  EXPECT_EQ(report.failed.back().launches, 900u);
}

TEST(RunReport, keeps_kernels_of_one_name_in_different_modules_apart) {
  RunReport report;
  report.add(made_launch({column()}), "k", {}, {}, {"1", "a.cu"});
  report.add(made_launch({row()}), "k", {}, {}, {"2", "b.cu"});
  report.add(made_launch({row()}), "k", {}, {}, {"2", "b.cu"});
  RunReport other = report;
  report.merge(other);
  ASSERT_EQ(report.kernels.size(), 2u);
  EXPECT_EQ(report.kernels[0].launches, 2u);
  EXPECT_EQ(report.kernels[1].launches, 4u);
  EXPECT_EQ(report.kernels[1].module.file, "b.cu");
}

TEST(KernelTitle, has_the_file_or_a_number_where_the_name_is_not_enough) {
  RunReport report = made_report({});
  EXPECT_EQ(kernel_title(report.kernels[0], report), "scale(float*, int)");
  report.add(made_launch({}), "k", {}, {}, {"1", "a.cu"});
  report.add(made_launch({}), "k", {}, {}, {"2", "b.cu"});
  EXPECT_EQ(kernel_title(report.kernels[0], report), "scale(float*, int)");
  EXPECT_EQ(kernel_title(report.kernels[1], report), "k of a.cu");
  report.add(made_launch({}), "k", {}, {}, {"3", "b.cu"});
  EXPECT_EQ(kernel_title(report.kernels[1], report), "k of a.cu");
  EXPECT_EQ(kernel_title(report.kernels[3], report), "k (number 3 of 3)");
}

TEST(Demangle, leaves_other_names_alone) {
  EXPECT_EQ(demangle("my_kernel"), "my_kernel");
  EXPECT_EQ(demangle("_Znonsense"), "_Znonsense");
}

TEST(RunReport, what_is_left_open_is_told_once_with_its_first_place) {
  RunReport report = made_report({});
  report.kernels.clear();
  simt::LaunchStats stats;
  const auto add = [&](std::vector<simt::LeftOpenPlace> places) {
    stats.left_open = std::move(places);
    report.add(stats, "k", {1, 1, 1}, {32, 1, 1});
  };
  add({{simt::LeftOpen::absent_lane, {"a.cu", 9, 90}}});
  add({{simt::LeftOpen::unnamed_lane, {"a.cu", 7, 70}}, {simt::LeftOpen::absent_lane, {"a.cu", 5, 50}}});
  add({{simt::LeftOpen::absent_lane, {"a.cu", 8, 80}}});
  const Result<RunReport> read = from_json(to_json(report));
  ASSERT_TRUE(read) << read.error().message;
  const auto& all = read->kernels.at(0).left_open;
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].what, simt::LeftOpen::unnamed_lane);
  EXPECT_EQ(all[0].source.line, 7u);
  EXPECT_EQ(all[1].what, simt::LeftOpen::absent_lane);
  EXPECT_EQ(all[1].source.line, 5u);
  const std::string text = to_text(*read);
  EXPECT_NE(text.find("  a.cu:7: lanes vote, match or reduce although the membermask does not name them\n"
                      "  a.cu:5: lanes shuffle from inactive lanes\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace bankshot::report

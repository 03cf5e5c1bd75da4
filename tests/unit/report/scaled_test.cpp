// Counts of a sample of CTAs, scaled to all CTAs: by hand, and what adds up still does.
#include <gtest/gtest.h>

#include <numeric>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json.hpp"
#include "bankshot/report/run/scaled.hpp"
#include "bankshot/report/text/text.hpp"
#include "fixture.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;

/// 3 of 8 CTAs ran: 3 accesses without a conflict, 7 of two wavefronts.
Kernel made_sample() {
  Kernel kernel;
  kernel.warp_instructions = 100;
  kernel.thread_instructions = 3000;
  Site& site = kernel.sites.emplace_back();
  site.totals.accesses = 10;
  site.totals.lanes = 320;
  site.totals.ideal = 10;
  site.totals.wavefronts = 17;
  site.totals.position = 3;
  site.totals.degree_max = 2;
  site.totals.degrees[1] = 3;
  site.totals.degrees[2] = 7;
  site.totals.classes[0] = 3;
  site.totals.classes[1] = 7;
  return kernel;
}

TEST(ReportScaled, counts_are_times_all_ctas_by_those_that_ran) {
  Kernel kernel = made_sample();
  scale(kernel, {.ctas = 8, .ran = 3, .errors = {}});
  EXPECT_EQ(kernel.warp_instructions, 267u);     // 266.7
  EXPECT_EQ(kernel.thread_instructions, 8000u);  // exact
  const scratchpad::SiteTotals& totals = kernel.sites[0].totals;
  EXPECT_EQ(totals.accesses, 27u);     // 26.7
  EXPECT_EQ(totals.lanes, 853u);       // 853.3
  EXPECT_EQ(totals.ideal, 27u);        // 26.7
  EXPECT_EQ(totals.conflicts(), 19u);  // 18.7
  EXPECT_EQ(totals.position, 8u);
  EXPECT_EQ(totals.degrees[1], 8u);
  EXPECT_EQ(totals.degrees[2], 19u);
  EXPECT_EQ(totals.classes[0], 8u);
  EXPECT_EQ(totals.classes[1], 19u);
  EXPECT_EQ(totals.degree_max, 2u);
}

TEST(ReportScaled, what_adds_up_still_does_for_any_share) {
  for (uint64_t ran = 1; ran < 40; ++ran) {
    Kernel kernel = made_sample();
    scratchpad::SiteTotals& totals = kernel.sites[0].totals;
    totals.degrees.fill(1);
    totals.degrees[0] = 0;
    totals.classes.fill(1);
    totals.classes[4] = 125;
    totals.accesses = 129;
    totals.ideal = 129;
    totals.wavefronts = 129 * 130 / 2;
    totals.position = totals.conflicts();
    scale(kernel, {.ctas = 40, .ran = ran, .errors = {}});
    EXPECT_EQ(std::accumulate(totals.degrees.begin(), totals.degrees.end(), uint64_t{0}), totals.accesses);
    EXPECT_EQ(std::accumulate(totals.classes.begin(), totals.classes.end(), uint64_t{0}), totals.accesses);
    for (unsigned degree = 1; degree <= scratchpad::kMaxDegree; ++degree) EXPECT_GE(totals.degrees[degree], 1u);
    EXPECT_EQ(totals.position, totals.conflicts());
  }
}

TEST(ReportScaled, transactions_end_as_commits_and_aborts) {
  Kernel kernel;
  kernel.transactions = {.lanes = 7, .commits = 4, .aborts = 3, .conflicts = 1, .killed = 1, .invalid = 1};
  scale(kernel, {.ctas = 5, .ran = 2, .errors = {}});
  EXPECT_EQ(kernel.transactions.commits, 10u);
  EXPECT_EQ(kernel.transactions.conflicts, 3u);  // 2.5
  EXPECT_EQ(kernel.transactions.aborts, 9u);
  EXPECT_EQ(kernel.transactions.lanes, 19u);
}

/// A launch of 16 CTAs of which 4 ran, and one of as many that ran in full.
RunReport made_sampled() {
  simt::LaunchStats stats = made_launch({column(88, 3)});
  RunReport report;
  report.program = "./app";
  report.gpu = "Test GPU";
  report.sample_ctas = 4;
  report.add(stats, "_Z5scalePfi", {4, 1, 1}, {32, 8, 1});
  stats.sampled = {.ctas = 16, .ran = 4, .errors = {.warp_instructions = 50, .wavefronts = 3.84, .conflicts = 0}};
  report.add(stats, "_Z5scalePfi", {16, 1, 1}, {32, 8, 1});
  return report;
}

TEST(ReportScaled, a_kernel_has_what_ran_in_full_and_estimates) {
  const RunReport report = made_sampled();
  ASSERT_EQ(report.kernels.size(), 1u);
  const Kernel& kernel = report.kernels[0];
  EXPECT_EQ(kernel.launches, 2u);
  EXPECT_EQ(kernel.warp_instructions, 1000u + 4000u);
  EXPECT_EQ(kernel.shared().wavefronts, 96u + 384u);
  EXPECT_EQ(kernel.sampled.launches, 1u);
  EXPECT_FALSE(report.is_partial());
}

TEST(ReportScaled, json_marks_estimates) {
  const RunReport report = made_sampled();
  json root = json::parse(to_json(report));
  EXPECT_EQ(root["sample_ctas"], 4);
  EXPECT_EQ(root["kernels"][0]["sampled_ctas"],
            (json{{"launches", 1},
                  {"ctas_ran", 4},
                  {"ctas", 16},
                  {"errors", {{"warp_instructions", 50.0}, {"wavefronts", 3.84}, {"conflicts", 0.0}}}}));
  const Result<RunReport> read = from_json(to_json(report));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(report));
  json& sampled = root["kernels"][0]["sampled_ctas"];
  sampled["launches"] = 3;
  EXPECT_EQ(from_json(root.dump()).error().message,
            "\"sampled_ctas\" must have at least 1 and at most all \"launches\"");
  sampled["launches"] = 1;
  sampled["ctas_ran"] = 16;
  EXPECT_EQ(from_json(root.dump()).error().message, "\"ctas_ran\" must be at least 1 and less than \"ctas\"");
  sampled["ctas_ran"] = 4;
  sampled["errors"]["conflicts"] = -1;
  EXPECT_EQ(from_json(root.dump()).error().message, "\"conflicts\" must be a number, not negative");
}

TEST(ReportScaled, text_says_on_how_many_ctas_the_numbers_rest) {
  const std::string text = to_text(made_sampled());
  EXPECT_NE(text.find("estimated: only 4 of 16 CTAs ran (--sample-ctas 4), so counts are estimates\n"), text.npos)
      << text;
  // 50 of 5000 instructions, 3.84 of 480 wavefronts; all 465 conflicts of equal CTAs.
  EXPECT_NE(text.find("  estimated from 4 of 16 CTAs in 1 of 2 launches: instructions ± 1.0 %, wavefronts ± 0.8 %, "
                      "conflicts ± 0.0 %, by the spread of the CTAs\n"),
            text.npos)
      << text;
}

TEST(ReportScaled, text_says_so_where_nothing_is_an_estimate) {
  RunReport report = made_report({row()});
  report.sample_ctas = 64;
  report.kernels[0].why_all_ctas = "the launch is cooperative, so each CTA may wait for all others";
  const std::string text = to_text(report);
  EXPECT_NE(text.find("--sample-ctas 64: no launch was sampled, so nothing here is an estimate\n"), text.npos) << text;
  EXPECT_NE(text.find("  all CTAs ran: the launch is cooperative, so each CTA may wait for all others\n"), text.npos);
  const Result<RunReport> read = from_json(to_json(report));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->kernels[0].why_all_ctas, report.kernels[0].why_all_ctas);
}

}  // namespace
}  // namespace bankshot::report

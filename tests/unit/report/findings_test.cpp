// What `bankshot check` prints.
#include <gtest/gtest.h>

#include "bankshot/report/text/findings_text.hpp"

namespace bankshot::report {
namespace {

std::string last_line(const RunReport& report) {
  const std::string text = findings_text(report, {});
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

TEST(FindingsText, the_last_line_counts_launches_that_failed) {
  RunReport report;
  report.checks.sync = true;
  EXPECT_EQ(last_line(report), "check (sync): no verdict: no kernel was launched\n");
  report.add_failed("trapped", "trap instruction");
  EXPECT_EQ(last_line(report), "check (sync): 0 errors, 0 warnings in 1 launch of 1 kernel, 1 failed\n");
  Kernel kernel;
  kernel.name = "trapped";
  kernel.launches = 3;
  report.kernels.push_back(kernel);
  EXPECT_EQ(last_line(report), "check (sync): 0 errors, 0 warnings in 4 launches of 1 kernel, 1 failed\n");
}

TEST(FindingsText, there_is_no_verdict_where_something_was_not_checked) {
  RunReport report;
  report.checks.sync = true;
  report.kernels.emplace_back().launches = 1;
  report.partial = true;
  EXPECT_EQ(last_line(report), "check (sync): no verdict: the program did not finish\n");
  report.lost = 1;
  EXPECT_EQ(last_line(report), "check (sync): no verdict: a report was lost\n");
  report.findings.emplace_back();
  EXPECT_EQ(last_line(report),
            "check (sync): no verdict: a report was lost; so far 1 error, 0 warnings in 1 launch of 1 kernel\n");
}

TEST(FindingsText, a_barrier_tells_where_the_others_are) {
  RunReport report;
  simt::Finding finding;
  finding.kind = simt::Finding::Kind::divergent_barrier;
  finding.is_warning = true;
  finding.kernel = "k";
  finding.count = 28;
  finding.source = {"a.cu", 7, 1};
  finding.op = "bar.sync";
  finding.other = {"a.cu", 9, 2};
  finding.other_op = "ret";
  finding.thread = {0, 0, 0};
  finding.other_thread = {100, 0, 0};
  report.findings.push_back(finding);
  const std::string text = findings_text(report, {});
  EXPECT_NE(text.find("warning: barrier in divergent code\n  in k, 28 times"), std::string::npos) << text;
  EXPECT_NE(text.find("  thread (0,0,0)      a.cu:7  bar.sync\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  while  (100,0,0)    a.cu:9  ret\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace bankshot::report

// What commands make of a run of which something is missing.
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "bankshot/cli/base/outcome.hpp"
#include "bankshot/report/text/findings_text.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::cli {
namespace {

TEST(CliOutcome, a_lost_report_outweighs_an_unfinished_process) {
  host::Observation seen;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(say_what_is_missing(seen), kDone);
  seen.unfinished = {"process 7 ended"};
  EXPECT_EQ(say_what_is_missing(seen), kProgramFailed);
  seen.lost = {"its report is lost"};
  EXPECT_EQ(say_what_is_missing(seen), kBadInput);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "bankshot: process 7 ended\nbankshot: its report is lost\nbankshot: process 7 ended\n");
}

TEST(CliOutcome, a_process_that_was_killed_after_it_wrote_a_report_is_not_clean) {
  host::Observation seen;
  seen.report.partial = true;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(say_what_is_missing(seen), kProgramFailed);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "bankshot: a process was killed or did not exit normally; the report may lack its last launches\n");
}

TEST(CliOutcome, that_a_killed_program_wrote_no_report_is_not_said_twice) {
  host::Observation seen;
  seen.ending.signal = SIGKILL;
  seen.unfinished = {"process 7 ended"};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(say_what_is_missing(seen), kProgramFailed);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(CliOutcome, no_text_of_a_report_that_lacks_something_is_a_verdict) {
  report::RunReport report;
  report.checks.race = true;
  const report::TextOptions options{.read_sources = false};
  report.kernels.emplace_back().launches = 1;
  EXPECT_EQ(report::findings_text(report, options), "check (race): 0 errors, 0 warnings in 1 launch of 1 kernel\n");
  report.partial = true;
  EXPECT_EQ(report::findings_text(report, options),
            "partial: the program did not finish\n"
            "check (race): no verdict: the program did not finish\n");
  report.lost = 2;
  EXPECT_EQ(report::findings_text(report, options),
            "partial: 2 files were lost; the figures below do not include them\n"
            "check (race): no verdict: a report was lost\n");
  EXPECT_NE(report::to_text(report, options).find("partial: 2 files were lost"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::cli

// The verdict in reports as JSON.
#include "bankshot/formats/verdict_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json.hpp"
#include "tests/unit/formats/fixture.hpp"

namespace bankshot::formats {
namespace {

using nlohmann::json;

json verdict_of(const report::RunReport& report, const Verdict& verdict) { return verdict_json({report, verdict}); }

TEST(VerdictJson, is_a_member_of_the_report_that_readers_may_ignore) {
  const report::RunReport report = with_conflicts();
  const std::string text = to_json({report});
  EXPECT_EQ(json::parse(text)["verdict"], json::parse(R"({"gaps": [], "limits": []})"));
  const Result<report::RunReport> read = report::from_json(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(report::to_json(*read), report::to_json(report));
  EXPECT_FALSE(json::parse(report::to_json(report)).contains("verdict"));
}

TEST(VerdictJson, has_each_limit_with_its_kernel_and_lines) {
  const report::RunReport report = with_conflicts();
  const Verdict verdict{
      .judged = {{.kernel = 0, .limit = "conflicts>100"},
                 {.kernel = 0,
                  .limit = "baseline b.json",
                  .sentence = "93 conflicts, 7 in the baseline",
                  .lines = {{{"a.cu", 8, 0, {}}, "93 conflicts"}}},
                 {.kernel = Judged::kProgram, .limit = "unused_suppressions", .sentence = "remove it"}}};
  EXPECT_EQ(verdict_of(report, verdict), json::parse(R"({"gaps": [], "limits": [
    {"limit": "conflicts>100", "kernel": 0, "result": "kept"},
    {"limit": "baseline b.json", "kernel": 0, "result": "exceeded", "says": "93 conflicts, 7 in the baseline",
     "lines": [{"file": "a.cu", "line": 8, "says": "93 conflicts"}]},
    {"limit": "unused_suppressions", "result": "exceeded", "says": "remove it"}]})"));
}

/// Three loads of 32 wavefronts at line 8; a store of one at line 7.
TEST(VerdictJson, names_the_line_with_the_most_conflicts_that_are_not_suppressed) {
  report::RunReport report = with_conflicts();
  const Verdict verdict{.judged = {{.kernel = 0, .limit = "wavefronts>0", .sentence = "97 wavefronts"}}};
  const json line = verdict_of(report, verdict)["limits"][0]["lines"][0];
  EXPECT_EQ(line["line"], 8);
  EXPECT_EQ(line["says"], "93 conflicts");
  report.suppressed = {{"bank-conflict", report.kernels[0].name, {"kernel.cu", 8, 88}, 93, "known"}};
  ASSERT_EQ(report.judged(report.kernels[0]).conflicts(), 0u);
  EXPECT_FALSE(verdict_of(report, verdict)["limits"][0].contains("lines"));  // line 7 has none
}

TEST(VerdictJson, keeps_no_limit_where_something_was_not_measured) {
  report::RunReport report = with_conflicts();
  report.partial = true;
  const Verdict verdict{.judged = {{.kernel = 0, .limit = "wavefronts>100"},
                                   {.kernel = 0, .limit = "conflicts>0", .sentence = "93 conflicts"}},
                        .gaps = {"./app ended with status 1"}};
  const json read = verdict_of(report, verdict);
  EXPECT_EQ(read["gaps"], json({"./app ended with status 1", "the program did not finish"}));
  EXPECT_EQ(read["limits"][0]["result"], "no-verdict");
  EXPECT_EQ(read["limits"][1]["result"], "exceeded");
}

TEST(VerdictJson, has_the_findings_that_count) {
  report::RunReport report = with_race();
  report.findings.resize(3);
  report.findings[2].is_warning = true;
  EXPECT_EQ(verdict_of(report, {})["limits"],
            json::parse(R"([{"limit": "no error", "result": "exceeded", "says": "2 errors", "findings": [0, 1]}])"));
  const json strict = verdict_of(report, {.strict = true})["limits"][0];
  EXPECT_EQ(strict["says"], "2 errors and 1 warning");
  EXPECT_EQ(strict["findings"], json({0, 1, 2}));
  EXPECT_EQ(verdict_of(report, {.known = {0, 1}})["limits"],
            json::parse(R"([{"limit": "no error that is not in the baseline", "result": "kept"}])"));
  const json new_warning = verdict_of(report, {.strict = true, .known = {0, 1}})["limits"][0];
  EXPECT_EQ(new_warning["says"], "1 warning");
  EXPECT_EQ(new_warning["findings"], json({2}));
}

TEST(VerdictJson, replaces_bytes_that_are_not_UTF_8) {
  const report::RunReport report = hostile();
  const json read = json::parse(to_json({report, {.judged = {{0, kHostile, kHostile}}, .gaps = {kHostile}}}));
  EXPECT_EQ(read["verdict"]["limits"].size(), 1u);
  EXPECT_EQ(read["verdict"]["gaps"].size(), 2u);  // and a launch that failed
}

}  // namespace
}  // namespace bankshot::formats

// What a report says about single lines.
#include <gtest/gtest.h>

#include <set>

#include "bankshot/formats/notices.hpp"
#include "bankshot/formats/place.hpp"
#include "fixture.hpp"

namespace bankshot::formats {
namespace {

TEST(FormatPlaces, paths_are_told_from_the_root) {
  EXPECT_EQ(place_of("/home/me", "src/a.cu").path, "src/a.cu");
  EXPECT_EQ(place_of("/home/me", "/home/me/./src/../a.cu").path, "a.cu");
  EXPECT_TRUE(place_of("/home/me", "/home/me/a.cu").below_root);
  EXPECT_EQ(place_of("/home/me", "../you/a.cu").path, "/home/you/a.cu");
  EXPECT_FALSE(place_of("/home/me", "/home/mean/a.cu").below_root);
  EXPECT_EQ(place_of("/", "/usr/a.cu").path, "usr/a.cu");
}

TEST(FormatPlaces, uris_have_only_plain_bytes) { EXPECT_EQ(uri_path("a b/c%\"\xff\n~.cu"), "a%20b/c%25%22%FF%0A~.cu"); }

TEST(FormatRules, every_kind_of_finding_has_a_rule_of_its_own) {
  std::set<std::string_view> ids, names;
  for (const Rule& rule : rules()) {
    ids.insert(rule.id);
    names.insert(rule.name);
  }
  EXPECT_EQ(ids.size(), rules().size());
  EXPECT_EQ(names.size(), rules().size());
  for (unsigned k = 0; k < simt::kFindingKinds; ++k) {
    const auto kind = static_cast<simt::Finding::Kind>(k);
    EXPECT_EQ(rule(kind).id, simt::name_of(kind));
  }
}

// 3 loads of 32 wavefronts: 96, where 3 would do; with the store 97 in the kernel.
TEST(FormatNotices, a_line_with_conflicts_is_a_warning) {
  const report::RunReport report = with_conflicts();
  const std::vector<Notice> list = notices({report});
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].rule->id, "bank-conflict");
  EXPECT_EQ(list[0].level, Level::warning);
  EXPECT_EQ(list[0].source.line, 8u);
  EXPECT_EQ(list[0].message,
            "93 of 96 wavefronts (96.9 %) are bank conflicts: ld.shared.f32, stride 32, at worst 32 wavefronts per "
            "access; in scale(float*, int)");
}

// 31 conflicts: less than a tenth of 32 + 279 wavefronts, and exactly a tenth of 32 + 278.
TEST(FormatNotices, what_is_less_than_a_tenth_of_the_kernel_is_noted) {
  const report::RunReport less = report::made_report({report::column(88, 1), report::row(70, 279)});
  EXPECT_EQ(notices({less})[0].level, Level::note);
  const report::RunReport tenth = report::made_report({report::column(88, 1), report::row(70, 278)});
  EXPECT_EQ(notices({tenth})[0].level, Level::warning);
}

TEST(FormatNotices, lanes_on_one_word_are_position_conflicts) {
  const report::RunReport report = report::made_report({report::one_word()});
  EXPECT_EQ(notices({report})[0].rule->id, "position-conflict");
}

TEST(FormatNotices, errors_come_before_what_weighs_more) {
  const report::RunReport report = with_race();
  const formats::Run run{report, {.judged = {{0, "conflicts>0", "k has 93 conflicts, more than 0"}}}};
  const std::vector<Notice> list = notices(run);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].rule->id, "read-after-write");  // 5 times; the limit has no weight
  EXPECT_EQ(list[0].message,
            "race in shared memory: read after write: thread (33,0,0) ld.shared.u32; thread (0,0,0) st.shared.u32; no "
            "barrier in between; 5 times, first in CTA (0,0,0); in k");
  ASSERT_EQ(list[0].related.size(), 1u);
  EXPECT_EQ(list[0].related[0].source.line, 9u);
  EXPECT_EQ(list[1].rule->id, "gate-exceeded");
  EXPECT_EQ(list[1].source.line, 8u);  // the line with most conflicts
  EXPECT_EQ(list[2].rule->id, "bank-conflict");
}

TEST(FormatNotices, fingerprints_follow_the_text_of_the_line_not_its_number) {
  report::RunReport report = with_race();
  const auto marks = [&](const std::string& line) { return fingerprints(notices({report}), surroundings(line)); };
  const std::vector<std::string> before = marks("x = part[k];");
  report.findings[0].source.line = 700;
  EXPECT_EQ(marks("x = part[k];"), before);
  EXPECT_NE(marks("y = part[k];")[0], before[0]);
  report.findings.push_back(race(8));
  const std::vector<std::string> twice = marks("x = part[k];");
  EXPECT_EQ(twice[0], before[0]);
  EXPECT_NE(twice[1], twice[0]);
  EXPECT_TRUE(twice[1].ends_with(":2"));
}

TEST(FormatNotices, fingerprints_without_the_text_of_a_line_have_its_number) {
  report::RunReport report = report::made_report({report::column(88, 3), report::column(120, 1)});
  const auto marks = [&] { return fingerprints(notices({report}), surroundings("")); };
  const std::vector<std::string> before = marks();
  ASSERT_EQ(before.size(), 2u);
  EXPECT_TRUE(before[0].ends_with(":1") && before[1].ends_with(":1"));  // not counted in the order of their weights
}

TEST(FormatNotices, a_limit_is_shown_at_a_line_that_is_not_suppressed) {
  report::RunReport report = report::made_report({report::column(88, 3), report::column(120, 1)});
  report.suppressed.push_back(
      {std::string(report::kBankConflict), report.kernels[0].name, report.kernels[0].sites[0].source, 93, "known"});
  const formats::Run run{report, {.judged = {{0, "conflicts>0", "it has 31"}}}};
  EXPECT_EQ(notices(run)[0].source.line, 12u);
}

TEST(FormatVerdict, every_reason_why_something_is_missing_is_a_gap) {
  report::RunReport report;
  EXPECT_EQ(all_gaps({report}), (std::vector<std::string>{"no kernel was launched"}));
  report.kernels.emplace_back().launches = 1;
  EXPECT_TRUE(all_gaps({report}).empty());
  report.partial = true;
  EXPECT_EQ(all_gaps({report}), (std::vector<std::string>{"the program did not finish"}));
  report.lost = 2;
  report.add_failed("k", "trap\nmore", 3);
  report.kernels[0].stopped.launches = 1;
  report.sample_ctas = 64;
  report.kernels[0].sampled = {.launches = 1, .ctas = 4096, .ran = 64, .errors = {}};
  const formats::Run run{report, {.gaps = {"./app ended with status 7"}}};
  EXPECT_EQ(all_gaps(run), (std::vector<std::string>{
                               "./app ended with status 7", "2 files with results of the program's processes are lost",
                               "3 launches of k failed: trap", "1 launch was stopped before the end",
                               "only 64 of 4,096 CTAs ran (--sample-ctas 64), so counts are estimates"}));
}

}  // namespace
}  // namespace bankshot::formats

// Verdicts, worked by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bankshot/compare/baseline.hpp"
#include "bankshot/compare/diff.hpp"
#include "bankshot/compare/diff_json.hpp"
#include "bankshot/compare/diff_text.hpp"
#include "bankshot/report/text/timing_text.hpp"
#include "tests/unit/report/fixture.hpp"

namespace bankshot::compare {
namespace {

Allowances allow(const std::string& text) { return {*parse_allowance(text)}; }

TEST(Allowance, is_an_amount_or_a_percentage) {
  EXPECT_EQ(parse_allowance("conflicts+100")->amount, 100u);
  EXPECT_EQ(parse_allowance(" cycles + 0.5% ")->amount, 5000u);
  EXPECT_EQ(parse_tolerance("1%")->amount, 10'000u);
  for (const char* text : {"", "conflicts", "conflicts+", "conflicts+-1", "conflicts+1.5", "conflicts+1.23456%",
                           "conflicts+%", "stalls+1", "conflicts+.5%", "conflicts>1", "conflicts+99999999999999999999"})
    EXPECT_FALSE(parse_allowance(text)) << text;
  for (const char* text : {"", "1", "%", "-1%", "1.%", "x%"}) EXPECT_FALSE(parse_tolerance(text)) << text;
}

TEST(Allowance, is_of_a_counter_that_is_compared) {
  const auto why = [](const char* text, Mode before, Mode after) {
    return without_effect(*parse_allowance(text), before, after);
  };
  EXPECT_EQ(why("wavefronts+1", Mode::explain, Mode::explain), "");
  EXPECT_EQ(why("cycles+1", Mode::explain, Mode::explain),
            "cycles are not compared here; what is compared: conflicts, wavefronts");
  EXPECT_EQ(why("cycles+1", Mode::simulate, Mode::simulate), "");
  EXPECT_NE(why("cycles+1", Mode::explain, Mode::simulate), "");  // both must have them
  EXPECT_EQ(why("findings+1", Mode::simulate, Mode::simulate),
            "findings are not compared here; what is compared: conflicts, wavefronts, cycles");
  EXPECT_EQ(why("findings+1", Mode::check, Mode::check), "");
  EXPECT_EQ(why("conflicts+1", Mode::check, Mode::check),
            "conflicts are not compared here; what is compared: findings");
  EXPECT_EQ(without_effect(*parse_tolerance("1%"), Mode::check, Mode::check), "");  // of all counters
}

TEST(Allowance, counts_in_both_directions) {
  EXPECT_EQ(judge(Counter::conflicts, 10, 10, {}), Verdict::same);
  EXPECT_EQ(judge(Counter::conflicts, 10, 11, {}), Verdict::worse);
  EXPECT_EQ(judge(Counter::conflicts, 10, 9, {}), Verdict::better);
  EXPECT_EQ(judge(Counter::conflicts, 10, 13, allow("conflicts+3")), Verdict::same);
  EXPECT_EQ(judge(Counter::conflicts, 10, 14, allow("conflicts+3")), Verdict::worse);
  EXPECT_EQ(judge(Counter::conflicts, 10, 7, allow("conflicts+3")), Verdict::same);
  EXPECT_EQ(judge(Counter::cycles, 10, 11, allow("conflicts+3")), Verdict::worse);
  EXPECT_EQ(judge(Counter::cycles, 1000, 1010, allow("cycles+1%")), Verdict::same);
  EXPECT_EQ(judge(Counter::cycles, 1000, 1011, allow("cycles+1%")), Verdict::worse);
  EXPECT_EQ(judge(Counter::cycles, 199, 201, allow("cycles+1%")), Verdict::worse);  // 1.99: 1 is permitted
  EXPECT_EQ(judge(Counter::conflicts, UINT64_MAX, 0, allow("conflicts+1000%")), Verdict::same);
  EXPECT_EQ(judge(Counter::conflicts, 0, 1, {*parse_tolerance("50%")}), Verdict::worse);
}

/// One access of a column has 31 conflicts, 32 wavefronts; one of a row has 1 wavefront.
Snapshot snapshot(std::vector<simt::SiteReport> sites) { return snapshot_of(report::made_report(std::move(sites))); }

TEST(Diff, of_a_run_with_itself_is_the_same) {
  const Snapshot run = snapshot({report::row(), report::column()});
  const Diff same = *diff(run, run, {});
  EXPECT_EQ(same.kernel_tally.same, 1u);
  EXPECT_EQ(same.line_tally.same, 2u);
  EXPECT_FALSE(same.is_worse() || same.is_better());
  EXPECT_EQ(verdict_text(same), "nothing is worse or better");
}

TEST(Diff, tells_lines_and_kernels_that_are_worse) {
  const Snapshot before = snapshot({report::row(), report::column(88, 1)});
  const Snapshot after = snapshot({report::row(), report::column(88, 3)});
  const Diff worse = *diff(before, after, {});
  EXPECT_EQ(worse.kernels[0].before->numbers.conflicts, 31u);
  EXPECT_EQ(worse.kernels[0].after->numbers.conflicts, 93u);
  EXPECT_EQ(worse.kernels[0].lines[0].verdict, Verdict::worse);
  EXPECT_EQ(worse.kernels[0].lines[0].one().line, 8u);
  EXPECT_EQ(worse.kernel_tally.worse, 1u);
  EXPECT_EQ(worse.line_tally.worse, 1u);
  EXPECT_EQ(worse.line_tally.same, 1u);
  EXPECT_EQ(verdict_text(worse), "worse: 1 kernel, 1 line");
  const Diff better = *diff(after, before, {});
  EXPECT_FALSE(better.is_worse());
  EXPECT_EQ(verdict_text(better), "better: 1 kernel, 1 line");
  EXPECT_EQ(better.before.wavefronts, 97u);
  EXPECT_EQ(better.after.wavefronts, 33u);
}

TEST(Diff, new_lines_are_worse_if_they_have_conflicts) {
  const Snapshot before = snapshot({report::column(88)});
  const Diff clean = *diff(before, snapshot({report::row(120), report::column(88)}), allow("wavefronts+1"));
  EXPECT_EQ(clean.line_tally.added, 1u);
  EXPECT_FALSE(clean.is_worse());
  const Diff worse = *diff(before, snapshot({report::column(88), report::column(120)}), {});
  EXPECT_EQ(worse.line_tally.added, 1u);
  EXPECT_EQ(worse.line_tally.worse, 1u);
  const Diff gone = *diff(snapshot({report::row(70), report::column(88)}), before, {});
  EXPECT_EQ(gone.line_tally.gone, 1u);
  EXPECT_FALSE(gone.is_worse());
}

TEST(Diff, new_kernels_are_worse_if_they_have_conflicts) {
  Snapshot before = snapshot({report::row()}), after = before;
  after.kernels.push_back(after.kernels[0]);
  after.kernels[1].name = after.kernels[1].demangled = "fresh";
  EXPECT_FALSE(diff(before, after, {})->is_worse());
  after.kernels[1].numbers.conflicts = 1;
  EXPECT_EQ(diff(before, after, {})->kernel_tally.worse, 1u);
  EXPECT_FALSE(diff(before, after, allow("conflicts+1"))->is_worse());
  EXPECT_EQ(verdict_text(*diff(after, before, {})), "nothing is worse or better; gone: 1 kernel");
}

TEST(Diff, cycles_count_if_both_runs_have_them) {
  Snapshot before = snapshot({report::row()}), after = before;
  before.mode = after.mode = Mode::simulate;
  before.kernels[0].numbers.cycles = 1000;
  EXPECT_FALSE(diff(before, after, {})->is_worse());
  after.kernels[0].numbers.cycles = 1001;
  EXPECT_EQ(diff(before, after, {})->kernel_tally.worse, 1u);
  EXPECT_FALSE(diff(before, after, allow("cycles+0.1%"))->is_worse());
}

TEST(Diff, tells_which_conditions_differ) {
  const Snapshot before = snapshot({report::row()});
  report::RunReport other = report::made_report({report::row()});
  other.gpu = "Other GPU";
  other.machine_code = 90;
  const Diff both = *diff(before, snapshot_of(other), {});
  ASSERT_EQ(both.conditions.size(), 2u);
  EXPECT_EQ(both.conditions[0].name, "accesses");
  EXPECT_EQ(both.conditions[0].after, "joined for sm_90");
  EXPECT_EQ(both.conditions[1].before, "Test GPU");
}

TEST(Diff, of_a_partial_run_gives_no_verdict) {
  const Snapshot whole = snapshot({report::row()});
  report::RunReport partial = report::made_report({report::row()});
  partial.partial = true;
  EXPECT_EQ(diff(whole, snapshot_of(partial), {})->incomplete, "after: the program did not finish");
  partial = {};
  EXPECT_EQ(diff(snapshot_of(partial), whole, {})->incomplete, "before: no kernel was launched");
  EXPECT_EQ(verdict_text(*diff(snapshot_of(partial), whole, {})), "no verdict: before: no kernel was launched");
}

TEST(Diff, of_a_run_with_a_sample_of_the_ctas_gives_no_verdict) {
  report::RunReport sampled = report::made_report({report::row()});
  sampled.sample_ctas = 4;
  sampled.kernels[0].sampled = {.launches = 1, .ctas = 8, .ran = 4, .errors = {}};
  const Diff both = *diff(snapshot({report::row()}), snapshot_of(sampled), {});
  EXPECT_EQ(both.incomplete, "after: only 4 of 8 CTAs ran (--sample-ctas 4), so counts are estimates");
  ASSERT_EQ(both.conditions.size(), 1u);
  EXPECT_EQ(both.conditions[0].name, "sample_ctas");
}

Snapshot with_findings(std::vector<Finding> findings) {
  Snapshot one;
  one.mode = Mode::check;
  one.findings = std::move(findings);
  return one;
}

TEST(Diff, other_hashes_of_instructions_are_other_conditions) {
  report::RunReport report = report::made_report({report::row()});
  report.instruction_hashes = "hashes.json";
  report.instruction_hashes_digest = "01";
  const Snapshot before = snapshot_of(report);
  EXPECT_TRUE(diff(before, snapshot_of(report), {})->conditions.empty());
  report.instruction_hashes_digest = "02";
  const Diff other = *diff(before, snapshot_of(report), {});
  ASSERT_EQ(other.conditions.size(), 1u);
  EXPECT_EQ(other.conditions[0].name, "instruction_hashes");
}

TEST(Diff, findings_are_found_again_by_their_text) {
  const Finding race{"read-after-write", false, "k", "k()", "tile", "ld; st", "k.cu", 10, "x = tile[i];", 32};
  Finding moved = race;
  moved.line = 20;
  EXPECT_FALSE(diff(with_findings({race}), with_findings({moved}), {})->is_worse());
  moved.count = 33;
  EXPECT_EQ(diff(with_findings({race}), with_findings({moved}), {})->finding_tally.worse, 1u);
  EXPECT_FALSE(diff(with_findings({race}), with_findings({moved}), allow("findings+1"))->is_worse());
  const Diff fresh = *diff(with_findings({race}), with_findings({race, race}), {});
  EXPECT_TRUE(diff(with_findings({race}), with_findings({race, race}), allow("findings+100"))->is_worse());
  EXPECT_EQ(fresh.finding_tally.same, 1u);
  EXPECT_EQ(fresh.finding_tally.worse, 1u);
  const Diff gone = *diff(with_findings({race}), with_findings({}), {});
  EXPECT_TRUE(gone.is_better());
  EXPECT_EQ(gone.finding_tally.gone, 1u);
  Finding warning = race;
  warning.is_warning = true;
  EXPECT_TRUE(diff(with_findings({warning}), with_findings({race}), {})->is_worse());
  EXPECT_FALSE(diff(with_findings({}), snapshot({report::row()}), {}));  // findings and counters
}

TEST(Baseline, is_sorted_and_has_no_path_of_the_machine) {
  report::RunReport report = report::made_report({report::row(), report::column()});
  for (report::Site& site : report.kernels[0].sites) site.source.file = "/home/x/project/src/k.cu";
  report.source_text[{"/home/x/project/src/k.cu", 8}] = "y = tile[i][0];";
  report.program = "/home/x/project/build/app";
  report::Kernel second = report.kernels[0];
  second.name = second.demangled = "another";
  second.sites[0].source.file = "/usr/local/cuda/include/cub/block.cuh";
  report.kernels.push_back(second);
  const std::string text = to_baseline(snapshot_of(report), "/home/x/project");
  EXPECT_EQ(text.find("/home"), text.npos) << text;
  EXPECT_LT(text.find("\"another\""), text.find("\"scale(float*, int)\""));
  EXPECT_NE(text.find("\"file\":\"src/k.cu\",\"line\":8,\"text\":\"y = tile[i][0];\""), text.npos) << text;
  EXPECT_NE(text.find("\"file\":\"include/cub/block.cuh\""), text.npos) << text;
  EXPECT_NE(text.find("\"program\":\"app\""), text.npos);
  const Result<Snapshot> again = read_snapshot(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_baseline(*again, "/"), text);
  const Diff same = *diff(*again, snapshot_of(report), {});
  EXPECT_FALSE(same.is_worse() || same.is_better());
  EXPECT_EQ(same.line_tally.same, 4u);
  EXPECT_TRUE(same.conditions.empty());
}

TEST(Baseline, rejects_any_other_bytes) {
  for (const char* text :
       {"", "{", "[]", "null", "{\"schema\":3}", "{\"schema\":\"bankshot/baseline/1\"}", "\xff",
        R"({"schema":"bankshot/baseline/1","mode":"run"})",
        R"({"schema":"bankshot/baseline/1","mode":"check","program":"a","conditions":{"a":1}})",
        R"({"schema":"bankshot/baseline/1","mode":"check","program":"a","conditions":{},"kernels":[3]})"})
    EXPECT_FALSE(read_snapshot(text)) << text;
}

TEST(DiffJson, has_both_sides) {
  const Snapshot before = snapshot({report::column(88, 1)}), after = snapshot({report::column(88, 3)});
  const auto root = nlohmann::json::parse(to_json(*diff(before, after, {}), before, after, "a", "b"));
  EXPECT_EQ(root["schema"], "bankshot/diff/1");
  EXPECT_EQ(root["verdict"], "worse");
  EXPECT_EQ(root["kernels"][0]["lines"][0]["before"]["conflicts"], 31);
  EXPECT_EQ(root["kernels"][0]["lines"][0]["after"]["conflicts"], 93);
  EXPECT_EQ(root["tally"]["lines"]["worse"], 1);
}

TEST(DiffText, cycles_of_different_clocks_have_their_times) {
  Snapshot before = snapshot({report::row()});
  before.mode = Mode::simulate;
  before.kernels[0].numbers.cycles = 3000;
  before.conditions["simulated.core_khz"] = "1500000";
  Snapshot after = before;
  const auto text = [&] { return diff_text(*diff(before, after, {}), before, after, {}); };
  EXPECT_EQ(text().find("time"), std::string::npos);
  after.conditions["simulated.core_khz"] = "1000000";
  const std::string with_time = text();  // 3000 cycles at 1.5 GHz and at 1 GHz
  EXPECT_NE(with_time.find(report::duration_text(2e-6)), std::string::npos) << with_time;
  EXPECT_NE(with_time.find(report::duration_text(3e-6)), std::string::npos) << with_time;
}

TEST(DiffText, control_characters_of_names_do_not_reach_the_terminal) {
  Snapshot before = snapshot({report::column(88, 1)}), after = snapshot({report::column(88, 3)});
  after.kernels[0].lines[0].text = "\x1b[31m";
  after.kernels[0].lines[0].file = "\x1b.cu";
  after.kernels[0].demangled = "\x1b()";
  after.program = "\x1b";
  const std::string text =
      diff_text(*diff(before, after, {}), before, after, {.before_name = "\x1b", .after_name = "b\n"});
  EXPECT_EQ(text.find('\x1b'), text.npos) << text;
}

}  // namespace
}  // namespace bankshot::compare

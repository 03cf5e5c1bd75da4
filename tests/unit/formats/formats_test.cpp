// Documents for other tools: their structure, and that no name can break it.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "bankshot/formats/code_quality.hpp"
#include "bankshot/formats/github.hpp"
#include "bankshot/formats/junit.hpp"
#include "bankshot/formats/sarif.hpp"
#include "bankshot/formats/xml_text.hpp"
#include "fixture.hpp"

namespace bankshot::formats {
namespace {

using nlohmann::json;

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Sarif, has_rules_results_and_places) {
  const report::RunReport report = with_race();
  const json root = json::parse(to_sarif({{report}}, surroundings("x")));
  EXPECT_EQ(root["version"], "2.1.0");
  ASSERT_EQ(root["runs"].size(), 1u);
  const json& run = root["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["version"], "1.2.3");
  const json& rules = run["tool"]["driver"]["rules"];
  for (const json& rule : rules) {
    for (const char* member : {"id", "name", "helpUri"}) EXPECT_FALSE(rule[member].get<std::string>().empty());
    for (const char* member : {"shortDescription", "fullDescription", "help"})
      EXPECT_FALSE(rule[member]["text"].get<std::string>().empty());
  }
  ASSERT_EQ(run["results"].size(), 2u);
  for (const json& result : run["results"]) {
    EXPECT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
    EXPECT_FALSE(result["partialFingerprints"]["bankshot/v1"].get<std::string>().empty());
  }
  const json& race = run["results"][0];
  EXPECT_EQ(race["level"], "error");
  EXPECT_EQ(race["locations"][0]["physicalLocation"]["artifactLocation"],
            (json{{"uri", "a.cu"}, {"uriBaseId", "%SRCROOT%"}}));
  EXPECT_EQ(race["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
  EXPECT_EQ(race["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "k");
  EXPECT_EQ(race["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 9);
  EXPECT_EQ(race["relatedLocations"][0]["message"]["text"], "thread (0,0,0) st.shared.u32");
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], true);
  EXPECT_FALSE(run["invocations"][0].contains("toolExecutionNotifications"));
  EXPECT_EQ(run["originalUriBaseIds"]["%SRCROOT%"]["uri"], "file:///home/me/");
  EXPECT_FALSE(run.contains("automationDetails"));
}

TEST(Sarif, a_run_with_gaps_is_not_successful) {
  report::RunReport report = with_conflicts();
  report.partial = true;
  const json root = json::parse(to_sarif({{report, {.gaps = {"./app was killed"}}}}, surroundings()));
  const json& invocation = root["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  ASSERT_EQ(invocation["toolExecutionNotifications"].size(), 2u);
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["level"], "error");
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["message"]["text"], "./app was killed");
}

TEST(Formats, sources_that_changed_after_the_build_are_warnings) {
  report::RunReport report = with_conflicts();
  report.changed_sources = {"/home/me/src/a.cu"};
  const json root = json::parse(to_sarif({{report}}, surroundings()));
  const json& invocation = root["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], true);
  ASSERT_EQ(invocation["toolExecutionNotifications"].size(), 1u);
  const json& note = invocation["toolExecutionNotifications"][0];
  EXPECT_EQ(note["level"], "warning");
  EXPECT_EQ(note["descriptor"]["id"], "changed-source");
  EXPECT_EQ(note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/a.cu");
  EXPECT_TRUE(
      note["message"]["text"].get<std::string>().starts_with("/home/me/src/a.cu changed after the program was built"));
  EXPECT_EQ(count(to_github({{report}, {report}}, surroundings()), "::warning file=src/a.cu,title=Changed source::"),
            1u)
      << "of one program on two GPUs";
}

TEST(Sarif, several_gpus_are_several_runs_with_names) {
  report::RunReport one = with_conflicts(), two = with_conflicts();
  two.gpu = "Other GPU";
  const json root = json::parse(to_sarif({{one}, {two}}, surroundings()));
  ASSERT_EQ(root["runs"].size(), 2u);
  EXPECT_EQ(root["runs"][1]["automationDetails"]["id"], "bankshot/Other%20GPU/");
}

// GitHub's code scanning rejects a file with a result that has no physical location.
TEST(Sarif, a_place_without_a_line_is_the_file_and_names_the_ptx) {
  report::RunReport report = with_race();
  report.program = "/home/me/app";
  for (report::Site& site : report.kernels[0].sites) site.source = {"", 0, site.source.ptx_line};
  report.findings[0].source = report.findings[0].other = {"", 0, 12};
  simt::Finding leak;
  leak.kind = simt::Finding::Kind::leak;
  leak.count = 1;
  report.findings.push_back(leak);
  const json place = {{"artifactLocation", {{"uri", "app"}, {"uriBaseId", "%SRCROOT%"}}},
                      {"region", {{"startLine", 1}}}};
  const json results = json::parse(to_sarif({{report}}, surroundings()))["runs"][0]["results"];
  ASSERT_EQ(results.size(), 3u);
  for (const json& result : results) EXPECT_EQ(result["locations"][0]["physicalLocation"], place) << result;
  EXPECT_EQ(results[0]["relatedLocations"][0]["physicalLocation"], place);
  EXPECT_TRUE(results[0]["message"]["text"].get<std::string>().ends_with("; at PTX line 12"));
  report.kernels[0].module.file = "src/k.cu";
  const json in_module = json::parse(to_sarif({{report}}, surroundings()))["runs"][0]["results"][0];
  EXPECT_EQ(in_module["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/k.cu");
}

TEST(Sarif, what_is_worse_than_the_baseline_is_an_error_at_its_line) {
  const report::RunReport report = with_conflicts();
  const formats::Run run{report,
                         {.judged = {{.kernel = 0,
                                      .limit = "baseline b.json",
                                      .sentence = "scale differs from the baseline: 93 conflicts, 31 in the baseline",
                                      .rule = "baseline-differs",
                                      .lines = {{{"kernel.cu", 8, 0, {}}, "93 conflicts, 31 in the baseline"}}}}}};
  const json result = json::parse(to_sarif({run}, surroundings()))["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "baseline-differs");
  EXPECT_EQ(result["level"], "error");
  EXPECT_EQ(result["message"]["text"], "93 conflicts, 31 in the baseline (baseline b.json)");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 8);
  const std::string xml = to_junit({run}, surroundings());
  EXPECT_NE(xml.find("tests=\"2\" failures=\"1\""), xml.npos) << xml;
  EXPECT_NE(xml.find("kernel.cu:8: 93 conflicts, 31 in the baseline"), xml.npos) << xml;
}

TEST(Formats, findings_of_the_baseline_do_not_fail) {
  const report::RunReport report = with_race();
  const formats::Run run{report, {.strict = true, .known = {0}}};
  EXPECT_EQ(to_github({run}, surroundings()).find("::error"), std::string::npos);
  EXPECT_NE(to_junit({run}, surroundings()).find("failures=\"0\""), std::string::npos);
  const json result = json::parse(to_sarif({run}, surroundings()))["runs"][0]["results"][1];
  EXPECT_EQ(result["level"], "note");
  EXPECT_TRUE(result["message"]["text"].get<std::string>().ends_with(" (in the baseline)")) << result;
}

TEST(JUnit, a_demand_of_the_program_is_a_case_of_it) {
  const report::RunReport report = with_race();
  const formats::Run run{report,
                         {.judged = {{.kernel = formats::Judged::kProgram,
                                      .limit = "unused_suppressions",
                                      .sentence = "this suppression matches nothing: remove it",
                                      .rule = "unused-suppression",
                                      .lines = {{{"bankshot.toml", 12, 0, {}}, "this suppression matches nothing"}}}}}};
  const std::string xml = to_junit({run}, surroundings());
  EXPECT_NE(xml.find("tests=\"5\" failures=\"2\""), xml.npos) << xml;
  EXPECT_NE(xml.find("<testcase classname=\"program\" name=\"unused_suppressions\">"), xml.npos) << xml;
  EXPECT_NE(xml.find("bankshot.toml:12: this suppression matches nothing"), xml.npos) << xml;
}

TEST(Formats, hostile_names_are_data) {
  const report::RunReport report = hostile();
  const formats::Run run{report, {.judged = {{0, "conflicts>0", kHostile}}, .gaps = {kHostile}}};
  const std::string sarif = to_sarif({run}, surroundings(kHostile));
  const json root = json::parse(sarif);
  EXPECT_EQ(root["runs"][0]["results"].size(), 2u);
  EXPECT_EQ(root["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "k%3C%22a%22%2C%20%27b%27%3E%3C/script%3E%0A%3A%3Aerror%3A%3A%0D%1B%5B31m%FF%250A%5D%5D%3E%26.cu");
  EXPECT_EQ(sarif.find('\x1b'), sarif.npos);
  EXPECT_EQ(json::parse(to_code_quality({run}, surroundings())).size(), 4u);  // two gaps, limit, conflicts

  const std::string github = to_github({run}, surroundings());
  std::istringstream lines(github);
  size_t commands = 0;
  for (std::string line; std::getline(lines, line); ++commands) {
    EXPECT_TRUE(line.starts_with("::error ") || line.starts_with("::warning ")) << line;
    EXPECT_EQ(line.find_first_of("\r\x1b"), line.npos);
  }
  EXPECT_EQ(commands, 4u) << github;
  EXPECT_NE(github.find("file=k<\"a\"%2C 'b'></script>%0A%3A%3Aerror%3A%3A%0D"), github.npos) << github;

  const std::string xml = to_junit({run}, surroundings());
  EXPECT_EQ(count(xml, "<testcase "), 2u) << xml;
  EXPECT_EQ(xml.find("</script>"), xml.npos);
  EXPECT_EQ(xml.find('\x1b'), xml.npos);
  EXPECT_EQ(xml.find('\xff'), xml.npos);
}

TEST(GitHub, data_and_properties_are_escaped) {
  report::RunReport report = with_race();
  report.findings[0].source.file = "a,b:c%.cu";
  EXPECT_TRUE(
      to_github({{report}}, surroundings())
          .starts_with("::error file=a%2Cb%3Ac%25.cu,line=7,title=ReadAfterWriteRace::race in shared memory: "));
}

TEST(GitHub, the_tenth_of_a_level_says_how_many_are_left_out) {
  report::RunReport report = with_race();
  for (uint32_t line = 100; line < 111; ++line) {
    report.findings.push_back(race(line));
    report.findings.back().count = line;
  }
  const std::string text = to_github({{report}}, surroundings());
  EXPECT_EQ(count(text, "::error "), 10u) << text;
  EXPECT_TRUE(text.starts_with("::error file=a.cu,line=110,"));  // most often
  EXPECT_NE(text.find("::error title=More::3 more of this level; --sarif and --json include all\n"), text.npos);
  EXPECT_EQ(count(text, "::warning "), 1u);
}

TEST(JUnit, a_limit_is_a_case_of_its_kernel) {
  const report::RunReport report = with_conflicts();
  const formats::Run run{report, {.judged = {{0, "conflicts>99", ""}, {0, "conflicts>0", "it has 93"}}}};
  const std::string xml = to_junit({run}, surroundings());
  EXPECT_NE(xml.find("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\""), xml.npos) << xml;
  EXPECT_NE(xml.find("<testcase classname=\"scale(float*, int)\" name=\"conflicts&gt;99\"/>"), xml.npos) << xml;
  EXPECT_NE(xml.find("<failure message=\"it has 93\">kernel.cu:8: 93 of 96 wavefronts"), xml.npos) << xml;
}

TEST(JUnit, without_limits_kernels_are_skipped) {
  const report::RunReport report = with_conflicts();
  EXPECT_NE(to_junit({{report}}, surroundings()).find("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""),
            std::string::npos);
}

TEST(JUnit, nothing_passes_where_something_is_missing) {
  report::RunReport report = with_conflicts();
  report.partial = true;
  const formats::Run run{report, {.judged = {{0, "conflicts>99", ""}, {0, "conflicts>0", "it has 93"}}}};
  const std::string xml = to_junit({run}, surroundings());
  EXPECT_NE(xml.find("tests=\"3\" failures=\"1\" errors=\"2\" skipped=\"0\""), xml.npos) << xml;
  EXPECT_NE(xml.find("<error message=\"the program did not finish\">"), xml.npos) << xml;
}

TEST(JUnit, a_check_is_a_case_of_its_kernel) {
  report::RunReport report = with_race();
  std::string xml = to_junit({{report}}, surroundings());
  // The run, memory and race of k, leaks of the program.
  EXPECT_NE(xml.find("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"0\""), xml.npos) << xml;
  EXPECT_NE(xml.find("<testcase classname=\"k\" name=\"memory\"/>"), xml.npos) << xml;
  EXPECT_NE(xml.find("<failure message=\"1 finding\">a.cu:7: race in shared memory"), xml.npos) << xml;
  report.findings[0].is_warning = true;
  xml = to_junit({{report}}, surroundings());
  EXPECT_NE(xml.find("failures=\"0\""), xml.npos) << xml;
  EXPECT_NE(xml.find("<system-out>a.cu:7: race"), xml.npos) << xml;
  EXPECT_NE(to_junit({{report, {.strict = true}}}, surroundings()).find("failures=\"1\""), std::string::npos);
}

TEST(Xml, what_it_forbids_becomes_the_replacement_character) {
  EXPECT_EQ(xml_text("a<b>&\"c\"\n\t"), "a&lt;b&gt;&amp;&quot;c&quot;&#10;&#9;");
  EXPECT_EQ(xml_text(std::string("\0\x01\r", 3)), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(xml_text("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(xml_text("\xef\xbf\xbe!"), "\xef\xbf\xbd!");  // U+FFFE
  EXPECT_EQ(xml_text("\xc3\xa4"), "\xc3\xa4");            // ä
}

TEST(CodeQuality, has_what_gitlab_asks_for) {
  report::RunReport report = with_race();
  report.partial = true;
  const json list = json::parse(to_code_quality({{report}}, surroundings("x")));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]["check_name"], "incomplete");
  EXPECT_EQ(list[0]["severity"], "critical");
  EXPECT_EQ(list[1]["check_name"], "read-after-write");
  EXPECT_EQ(list[1]["severity"], "major");
  EXPECT_EQ(list[1]["location"], (json{{"path", "a.cu"}, {"lines", {{"begin", 7}}}}));
  EXPECT_EQ(list[2]["severity"], "minor");
  EXPECT_NE(list[1]["fingerprint"], list[2]["fingerprint"]);
}

TEST(CodeQuality, a_notice_without_a_source_line_has_the_first_line_of_the_program) {
  report::RunReport report = with_race();
  report.program = "/home/me/app";
  report.findings[0].source = {"", 0, 12};
  const json list = json::parse(to_code_quality({{report}}, surroundings()));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["check_name"], "read-after-write");
  EXPECT_EQ(list[0]["location"], (json{{"path", "app"}, {"lines", {{"begin", 1}}}}));
}

TEST(CodeQuality, fingerprints_differ_between_gpus_and_not_between_runs) {
  report::RunReport one = with_conflicts(), two = with_conflicts();
  one.program = two.program = "/home/me/app";
  two.gpu = "Other GPU";
  one.add_failed("k", "read at 0x1000");
  two.add_failed("k", "read at 0x1000");
  const json list = json::parse(to_code_quality({{one}, {two}}, surroundings("x")));
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0]["location"]["path"], "app");
  EXPECT_NE(list[0]["fingerprint"], list[1]["fingerprint"]);
  EXPECT_NE(list[2]["fingerprint"], list[3]["fingerprint"]);
  report::RunReport again = with_conflicts();
  again.add_failed("k", "read at 0x2000");
  EXPECT_EQ(json::parse(to_code_quality({{again}}, surroundings("x")))[0]["fingerprint"], list[0]["fingerprint"]);
}

}  // namespace
}  // namespace bankshot::formats

// A report as an HTML page: what is in its document, and that no text of a program becomes markup.
#include "bankshot/page/page.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "bankshot/page/access_passes.hpp"
#include "bankshot/page/ptx_functions.hpp"
#include "bankshot/page/template.hpp"
#include "bankshot/report/json/json.hpp"
#include "tests/unit/report/fixture.hpp"

namespace bankshot::page {
namespace {

using nlohmann::json;

constexpr const char* kHostile = "</script><img src=x onerror=alert(1)>";

Contents contents_of(const report::RunReport& report) {
  return {.command = "explain",
          .version = "bankshot 1",
          .date = "2026-01-01T00:00:00Z",
          .json = report::to_json(report),
          .reports = {&report}};
}

TEST(Page, no_text_can_end_the_element_of_the_document) {
  report::RunReport report = report::made_report({report::column()});
  report.program = report.kernels[0].name = report.kernels[0].demangled = kHostile;
  report.kernels[0].sites[0].source.file = std::string(kHostile) + "\xff\"'\x01.cu";
  Contents contents = contents_of(report);
  contents.arguments = {"bankshot", kHostile, ""};
  contents.notes = {kHostile, "<!-- \xc3\x28"};
  contents.ptx = {{report.kernels[0].module.digest, ".entry a()\n{ // </script>\n}\n"}};
  const std::string text = document(contents);
  EXPECT_EQ(text.find('<'), std::string::npos);
  const json read = json::parse(text);
  EXPECT_EQ(read["report"]["program"], kHostile);
  EXPECT_EQ(read["report"]["kernels"][0]["demangled"], kHostile);
  EXPECT_EQ(read["arguments"], json({"bankshot", kHostile, ""}));
  EXPECT_EQ(read["notes"][0], kHostile);
  EXPECT_EQ(read["notes"][1], "<!-- \xef\xbf\xbd(");  // wrong UTF-8 is replaced
  EXPECT_EQ(read["report"]["kernels"][0]["sites"][0]["file"], std::string(kHostile) + "\xef\xbf\xbd\"'\x01.cu");
}

TEST(Page, is_its_template_with_the_document_in_it) {
  const report::RunReport report = report::made_report({report::column()});
  const Contents contents = contents_of(report);
  const std::string page = to_html(contents), text = document(contents);
  const std::string element = "<script id=\"document\" type=\"application/json\">\n";
  ASSERT_NE(page.find(element), std::string::npos);
  EXPECT_NE(page.find(element + text + "</script>"), std::string::npos);
  EXPECT_EQ(page.find("@DOCUMENT@"), std::string::npos);
  // Nothing is allowed but the script and the styles in the page, by their hashes.
  EXPECT_NE(page.find("content=\"default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_EQ(page.find("unsafe-inline"), std::string::npos);
  EXPECT_LT(page.size(), 1'000'000u);
}

TEST(Page, has_the_report_unchanged_and_only_files_that_places_name) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("page-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "a.cu") << "first\n\tsecond \x1b\n";
  std::ofstream(folder / "b.cu") << "not named\n";
  std::ofstream(folder / "c.txt") << "not a source\n";
  report::RunReport report = report::made_report({report::row(), report::column()});
  report.kernels[0].sites[0].source.file = folder / "a.cu";
  report.kernels[0].sites[1].source.file = folder / "c.txt";
  report.kernels[0].module.file = folder / "b.cu";
  const json read = json::parse(document(contents_of(report)));
  EXPECT_EQ(read["report"], json::parse(report::to_json(report)));
  EXPECT_EQ(read["sources"], (json{{(folder / "a.cu").string(), {"first", "\tsecond \x1b"}}}));
  std::filesystem::remove_all(folder);
}

TEST(Page, lacks_what_no_view_shows) {
  const report::RunReport report = report::made_report({report::column()});
  Contents contents = contents_of(report);
  const std::string launch = R"({"cycles": 7, "counters": {"cycles": 7}})";
  const std::string one = R"({"kernels": [{"counters": {"cycles": 7}, "timed_launches": [)" + launch + "]}]}";
  const json kept = json::parse(R"({"kernels": [{"counters": {"cycles": 7}, "timed_launches": [{"cycles": 7}]}]})");
  contents.json = one;
  EXPECT_EQ(json::parse(document(contents))["report"], kept);
  contents.json = "{\"reports\": [" + one + "]}";
  EXPECT_EQ(json::parse(document(contents))["report"]["reports"][0], kept);
}

TEST(Page, has_the_verdict_of_the_report) {
  const report::RunReport report = report::made_report({report::column()});
  const json verdict = json::parse(R"({"gaps": ["</script>"], "limits": []})");
  Contents contents = contents_of(report);
  EXPECT_FALSE(json::parse(document(contents)).contains("verdict"));
  contents.json = report::to_json(report, verdict);
  EXPECT_EQ(json::parse(document(contents))["verdict"], verdict);
}

/// 32 lanes down a column of 32 words: a pass for each.
TEST(PagePicture, has_a_character_for_each_bank_and_pass) {
  const report::RunReport report = report::made_report({report::column()});
  const json picture = access_passes(report.kernels[0].sites[0], report.rules);
  EXPECT_EQ(picture["says"], "bank 0 must deliver 32 different words; 31 of 32 banks idle");
  ASSERT_EQ(picture["phases"].size(), 1u);
  EXPECT_EQ(picture["phases"][0]["lanes"], "0-31");
  ASSERT_EQ(picture["phases"][0]["passes"].size(), 32u);
  EXPECT_EQ(picture["phases"][0]["passes"][0], "0...............................");
  EXPECT_EQ(picture["phases"][0]["passes"][31], "v...............................");
}

/// 8 bytes a lane without conflicts: two half-warps, one pass each, and two banks for each lane.
TEST(PagePicture, has_the_phases_one_after_the_other) {
  const auto wide = report::made_site(50, "ld.shared.v2.f32", 8, [](uint32_t lane) { return lane * 8; });
  const report::RunReport report = report::made_report({wide});
  const json picture = access_passes(report.kernels[0].sites[0], report.rules);
  ASSERT_EQ(picture["phases"].size(), 2u);
  EXPECT_EQ(picture["phases"][1]["lanes"], "16-31");
  EXPECT_EQ(picture["phases"][1]["passes"], (json{"gghhiijjkkllmmnnooppqqrrssttuuvv"}));
}

constexpr const char* kPtx =
    ".version 8.0\n"                        // 1
    ".func f(.param .b32 a);\n"             // 2: declared
    ".global .u32 entry = 1;\n"             // 3
    ".visible .entry one(\n"                // 4
    "  .param .u64 p)\n"                    // 5
    "{\n"                                   // 6
    "  { // } in a comment\n"               // 7
    "  st.shared.u32 [a], 1; }\n"           // 8
    "}\n"                                   // 9
    "// .entry in a comment\n"              // 10
    ".func f(.param .b32 a) { ret; }\r\n"   // 11
    ".entry two() .reqntid 64 { ret; }\n";  // 12

TEST(PagePtx, has_the_functions_with_the_lines) {
  const std::vector<PtxFunction> one = functions_with(kPtx, {8});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].first_line, 4u);
  EXPECT_EQ(one[0].lines.size(), 6u);
  EXPECT_EQ(one[0].lines.back(), "}");
  const std::vector<PtxFunction> all = functions_with(kPtx, {4, 11, 12});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].first_line, 11u);
  EXPECT_EQ(all[1].lines, (std::vector<std::string>{".func f(.param .b32 a) { ret; }"}));
  EXPECT_EQ(all[2].first_line, 12u);
  EXPECT_TRUE(functions_with(kPtx, {1, 3, 10, 99}).empty());
  EXPECT_TRUE(functions_with("", {1}).empty());
  EXPECT_TRUE(functions_with(".entry open() {\n", {1}).empty());  // no end
}

}  // namespace
}  // namespace bankshot::page

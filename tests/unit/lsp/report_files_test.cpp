#include "bankshot/lsp/report_files.hpp"

#include <gtest/gtest.h>

#include "fixture.hpp"

namespace bankshot::lsp {
namespace {

using Names = std::vector<std::string>;

TEST(LspReportFiles, a_run_has_notices_and_quotes_of_its_lines) {
  const LspFolder folder;
  folder.write_all();
  const ReportFile file = read_report(folder.path("bankshot.json"));
  EXPECT_TRUE(file.problems.empty()) << file.problems[0];
  ASSERT_TRUE(file.run);
  ASSERT_EQ(file.notices.size(), 1U);
  EXPECT_EQ(file.notices[0].source.line, 8U);
  EXPECT_EQ(file.quotes.at("kernel.cu"), (Quotes{{7, "tile[y][x] = p[x];"}, {8, "p[y] = tile[x][y];"}}));
  EXPECT_TRUE(file.unquoted.empty());
}

TEST(LspReportFiles, a_file_whose_lines_are_not_all_quoted_is_marked) {
  const LspFolder folder;
  report::RunReport run = made_run();
  run.source_text.erase({"kernel.cu", 7});
  folder.write("r.json", report::to_json(run));
  EXPECT_EQ(read_report(folder.path("r.json")).unquoted, std::set<std::string>{"kernel.cu"});
}

TEST(LspReportFiles, advice_quotes_what_it_changes) {
  const LspFolder folder;
  folder.write_all();
  const ReportFile file = read_report(folder.path("bankshot-fix.json"));
  EXPECT_FALSE(file.run);
  EXPECT_EQ(file.advice.size(), 1U);
  EXPECT_EQ(file.quotes.at("kernel.cu"), (Quotes{{2, "  __shared__ float tile[32][32];"}}));
}

TEST(LspReportFiles, rejects_unreadable_reports_with_the_reason) {
  const LspFolder folder;
  const auto problem = [&](const std::string& text) {
    folder.write("r.json", text);
    const ReportFile file = read_report(folder.path("r.json"));
    EXPECT_FALSE(file.run);
    return file.problems.size() == 1 ? file.problems[0] : "no problem";
  };
  EXPECT_NE(problem("{").find("r.json: not JSON: "), std::string::npos);
  EXPECT_NE(problem(R"({"schema":"x/1"})").find("\"schema\" is not bankshot/explain/1; nothing of it is shown"),
            std::string::npos);
  EXPECT_NE(problem(R"({"schema":"bankshot/fix/2","status":"refused","reason":"why"})").find("fix did nothing: why"),
            std::string::npos);
  const ReportFile none = read_report(folder.path("none.json"));
  ASSERT_EQ(none.problems.size(), 1U);
  EXPECT_NE(none.problems[0].find("No such file"), std::string::npos);
}

TEST(LspReportFiles, an_incomplete_run_is_shown_with_a_warning) {
  const LspFolder folder;
  report::RunReport run = made_run();
  run.partial = true;
  folder.write("r.json", report::to_json(run));
  const ReportFile file = read_report(folder.path("r.json"));
  EXPECT_EQ(file.notices.size(), 1U);
  ASSERT_EQ(file.problems.size(), 1U);
  EXPECT_NE(file.problems[0].find("is incomplete: the program did not finish; lines without a mark"),
            std::string::npos);
}

TEST(LspReportFiles, the_usual_files_are_found_but_no_baselines) {
  const LspFolder folder;
  folder.write_all();
  folder.write("bankshot-base.json", R"({"schema":"bankshot/baseline/1"})");
  folder.write("other.json", "{}");
  EXPECT_EQ(find_reports({}, {folder.path("")}).files,
            (Names{folder.path("bankshot-fix.json"), folder.path("bankshot.json")}));
  EXPECT_EQ(find_reports({"a", "b", "a"}, {folder.path("")}).files, (Names{"a", "b"})) << "named ones are all";
  folder.write("bankshot.toml", "reports = [\"other.json\"]\n");
  EXPECT_EQ(find_reports({}, {folder.path("")}).files, Names{folder.path("other.json")});
  folder.write("bankshot.toml", "reports = 1\n");
  EXPECT_EQ(find_reports({}, {folder.path("")}).problems.size(), 1U);
}

TEST(LspReportFiles, only_what_changed_is_read_again) {
  const LspFolder folder;
  folder.write_all();
  const Names files{folder.path("bankshot.json"), folder.path("bankshot-fix.json")};
  ReportFiles reports;
  EXPECT_TRUE(refresh(reports, files));
  const ReportFiles before = reports;
  EXPECT_FALSE(refresh(reports, files));
  folder.write("bankshot.json", report::to_json(made_run()), 9);
  EXPECT_TRUE(refresh(reports, files));
  EXPECT_NE(reports[0], before[0]);
  EXPECT_EQ(reports[1], before[1]);
  EXPECT_TRUE(refresh(reports, {files[1]}));
  EXPECT_EQ(reports.size(), 1U);
}

}  // namespace
}  // namespace bankshot::lsp

// bankshot.toml: what it may say, and what it must not reach.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bankshot/project/project.hpp"
#include "bankshot/project/suppress.hpp"
#include "bankshot/support/temporary_folder.hpp"
#include "tests/unit/report/fixture.hpp"

namespace bankshot::project {
namespace {

namespace fs = std::filesystem;

std::string error_of(const std::string& toml) {
  const Result<Project> project = parse_project(toml, "/nowhere/bankshot.toml");
  return project ? "" : project.error().message;
}

TEST(Project, has_gates_for_each_command) {
  const Result<Project> project = parse_project(R"(
gpu = "h100"
header_roots = ["third_party", "lib"]
unused_suppressions = "error"
[explain]
fail_on = ["conflicts>0"]
baseline = "ci/{program}.json"
allow = ["conflicts+10"]
ratchet = true
[check]
baseline = "findings.json"
)",
                                                "/nowhere/bankshot.toml");
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(project->gpu, "h100");
  EXPECT_EQ(project->header_roots, (std::vector<std::string>{"/nowhere/third_party", "/nowhere/lib"}));
  EXPECT_EQ(project->unused_suppressions, Unused::error);
  EXPECT_EQ(project->explain.fail_on.size(), 1u);
  EXPECT_EQ(project->explain.allow[0].amount, 10u);
  EXPECT_TRUE(project->explain.ratchet);
  EXPECT_EQ(project->check.baseline, "findings.json");
  EXPECT_TRUE(project->simulate.baseline.empty());
  EXPECT_EQ(*path_in(*project, "ci/app.json"), "/nowhere/ci/app.json");
}

TEST(Project, says_which_roots_do_not_exist) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder) << folder.error().message;
  fs::create_directory(folder->path() + "/src");
  const std::string file = folder->path() + "/bankshot.toml";
  const Result<Project> project = parse_project("source_roots = [\"src\", \"scr\"]\nheader_roots = [\"lib\"]\n", file);
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(project->source_roots.size(), 2u);
  EXPECT_EQ(
      project->missing_folders,
      (std::vector<std::string>{file + ":2:17: header_roots: 'lib' does not exist, so no header is below it",
                                file + ":1:24: source_roots: 'scr' does not exist, so no source is quoted from it"}));
}

TEST(Project, rejects_allowances_without_effect) {
  const std::string error =
      error_of("[check]\nallow = [\"conflicts+1\"]\n[explain]\nallow = [\"conflicts+1\", \"cycles+1%\"]\n");
  EXPECT_NE(error.find("2:10: error: allow 'conflicts+1': conflicts are not compared here"), error.npos) << error;
  EXPECT_NE(error.find("4:25: error: allow 'cycles+1%': cycles are not compared here"), error.npos) << error;
  EXPECT_EQ(error.find("4:10"), error.npos) << error;
}

TEST(Project, rejects_everything_that_is_wrong_at_once) {
  const std::string error = error_of(R"(gpu = 3
colour = "red"
unused_suppressions = "perhaps"
[explain]
fail_on = ["stalls>1"]
allow = "conflicts+1"
[simulate]
fail_on = ["conflicts>0"]
[[suppress]]
kind = "bank-conflict"
kernel = "scan"
)");
  for (const char* part : {"bankshot.toml:1:7: error: gpu must be a string", ":2:1: error: unknown key 'colour'",
                           ":3:23: error: unused_suppressions must be", ":5:12: error: fail_on 'stalls>1'",
                           ":6:9: error: allow must be a list", ":8:1: error: unknown key 'fail_on' of [simulate]",
                           ":9:1: error: a suppression needs `reason`"})
    EXPECT_NE(error.find(part), error.npos) << part << "\n" << error;
  EXPECT_NE(error_of("[[suppress]]\nkind = \"race\"\nreason = \"x\"\n").find("must not accept everything"),
            std::string::npos);
  EXPECT_NE(error_of("[[suppress]]\nkind = \"odd\"\nreason = \"x\"\nfile = \"a\"\n").find("'odd' is not a kind"),
            std::string::npos);
  EXPECT_NE(error_of("[[suppress]]\nkind = \"race\"\nreason = \"x\"\nfile = \"/\"\n").find(":4:8: error: '/' names no"),
            std::string::npos);
  EXPECT_NE(error_of("gpu = \n").find(":1:"), std::string::npos);
}

TEST(Project, rejects_files_outside_its_folder) {
  EXPECT_NE(error_of("[explain]\nbaseline = \"../x.json\"\n").find("not below the folder"), std::string::npos);
  EXPECT_NE(error_of("[explain]\nbaseline = \"/etc/x.json\"\n").find("must be relative"), std::string::npos);
  EXPECT_NE(error_of("gpu = \"../x.toml\"\n").find("not below the folder"), std::string::npos);
  EXPECT_NE(error_of("source_roots = [\"a\", \"/etc\"]\n").find(":1:22"), std::string::npos);
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  fs::create_directories(fs::path(folder->path()) / "inside");
  fs::create_symlink("/etc", fs::path(folder->path()) / "link");
  const Result<Project> project = parse_project("", folder->path() + "/bankshot.toml");
  ASSERT_TRUE(project);
  EXPECT_TRUE(path_in(*project, "inside/x.json"));
  EXPECT_FALSE(path_in(*project, "link/x.json"));
  EXPECT_FALSE(path_in(*project, "."));
  EXPECT_EQ(*folder_in(*project, "."), project->folder);
  EXPECT_FALSE(folder_in(*project, ".."));
  EXPECT_EQ(parse_project("source_roots = [\".\"]", "/nowhere/bankshot.toml")->source_roots,
            std::vector<std::string>{"/nowhere"});
}

TEST(Project, is_looked_for_up_to_the_top_of_the_repository) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const fs::path top = folder->path();
  fs::create_directories(top / "repository/.git");
  fs::create_directories(top / "repository/src/deep");
  std::ofstream(top / "bankshot.toml") << "";
  EXPECT_EQ(find_project((top / "repository/src/deep").string()), "");
  std::ofstream(top / "repository/bankshot.toml") << "";
  EXPECT_EQ(find_project((top / "repository/src/deep").string()), (top / "repository/bankshot.toml").string());
  EXPECT_EQ(find_project(top.string()), (top / "bankshot.toml").string());
  fs::create_directories(top / "plain");
  EXPECT_EQ(find_project((top / "plain").string()), "");  // outside a repository only the folder itself
  EXPECT_EQ(folder_of((top / "repository/src/x.json").string()), fs::canonical(top / "repository").string());
}

Project with(const std::string& suppression) {
  return *parse_project("[[suppress]]\nreason = \"known\"\n" + suppression, "/nowhere/bankshot.toml");
}

/// 93 conflicts in kernel.cu:8, 31 in kernel.cu:12, none in kernel.cu:7.
report::RunReport conflicts() {
  report::RunReport report = report::made_report({report::row(), report::column(88, 3), report::column(120, 1)});
  report.source_text[{"kernel.cu", 8}] = "y = tile[i][0];";
  return report;
}

TEST(Suppress, takes_conflicts_out_of_what_is_judged) {
  report::RunReport report = conflicts();
  EXPECT_TRUE(suppress(with("kind = \"bank-conflict\"\ntext = \"tile[i]\""), report).empty());
  ASSERT_EQ(report.suppressed.size(), 1u);
  EXPECT_EQ(report.suppressed[0].count, 93u);
  EXPECT_EQ(report.suppressed[0].reason, "known");
  EXPECT_EQ(report.kernels[0].shared().conflicts(), 124u);
  EXPECT_EQ(report.judged(report.kernels[0]).conflicts(), 31u);
  EXPECT_EQ(report.judged(report.kernels[0]).accesses, 5u);
}

TEST(Suppress, tells_what_matches_nothing) {
  for (const auto& [suppression, lines] : {std::pair{"kernel = \"scale\"", 2u},
                                           {"file = \"kernel.cu\"", 2u},
                                           {"file = \"el.cu\"", 0u},
                                           {"program = \"app\"", 2u},
                                           {"text = \"other\"", 0u},
                                           {"kernel = \"scale\"\ntext = \"other\"", 0u}}) {
    report::RunReport report = conflicts();
    const Project project = with(std::string("kind = \"bank-conflict\"\n") + suppression);
    EXPECT_EQ(suppress(project, report).size(), lines == 0 ? 1u : 0u) << suppression;
    EXPECT_EQ(report.suppressed.size(), lines) << suppression;
  }
  report::RunReport report = conflicts();  // of another program, or of other checks: not to be told
  EXPECT_TRUE(suppress(with("kind = \"bank-conflict\"\nprogram = \"other\""), report).empty());
  EXPECT_TRUE(suppress(with("kind = \"race\"\nkernel = \"scale\""), report).empty());
  EXPECT_TRUE(report.suppressed.empty());
}

TEST(Suppress, takes_all_that_fit_a_line_as_used) {
  report::RunReport report = conflicts();
  Project project = with("kind = \"bank-conflict\"\nkernel = \"scale\"");
  project.suppressions.push_back(project.suppressions[0]);
  project.suppressions[1].reason = "again";
  EXPECT_TRUE(suppress(project, report).empty());
  EXPECT_EQ(report.suppressed[0].reason, "known");
}

TEST(Suppress, moves_findings_to_the_list) {
  report::RunReport report;
  report.checks.race = true;
  simt::Finding race;
  race.kind = simt::Finding::Kind::read_after_write;
  race.kernel = "_Z5scalePfi";
  race.source = {"/a/b/kernel.cu", 3, 30};
  race.op = "ld.shared.f32";
  race.count = 5;
  report.findings = {race, race};
  report.findings[1].source.file = "/a/c/kernel.cu";
  EXPECT_TRUE(suppress(with("kind = \"race\"\nfile = \"b/\""), report).empty());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].source.file, "/a/c/kernel.cu");
  ASSERT_EQ(report.suppressed.size(), 1u);
  EXPECT_EQ(report.suppressed[0].kind, "read-after-write");
  EXPECT_EQ(report.suppressed[0].count, 5u);
}

}  // namespace
}  // namespace bankshot::project

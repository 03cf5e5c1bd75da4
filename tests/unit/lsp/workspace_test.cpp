#include "bankshot/lsp/workspace.hpp"

#include <gtest/gtest.h>

#include "bankshot/lsp/diagnostics.hpp"
#include "bankshot/lsp/hover.hpp"
#include "fixture.hpp"

namespace bankshot::lsp {
namespace {

using nlohmann::json;

constexpr const char* kPadded = "  __shared__ float tile[32][33];";

/// A workspace of one folder.
struct OneFolder {
  LspFolder folder;
  Workspace workspace;

  void start() {
    workspace.set_folders({folder.path("")});
    workspace.refresh();
  }
  void open(const std::string& name, const std::string& text = kSource) { workspace.open(folder.uri(name), text); }
  const Source& source(const std::string& name = "kernel.cu") const { return *workspace.find(folder.uri(name)); }
  /// Where the one diagnostic is, from 1, and how its message begins.
  std::pair<uint32_t, std::string> mark(const std::string& name = "kernel.cu") const {
    const json list = diagnostics(source(name), workspace, true);
    if (list.size() != 1) return {0, list.dump()};
    const std::string message = list[0]["message"];
    const bool is_firm = list[0]["severity"] == 2;
    return {list[0]["range"]["start"]["line"].get<uint32_t>() + 1,
            is_firm ? message.substr(0, 2) : message.substr(0, message.find(": "))};
  }
};

using Mark = std::pair<uint32_t, std::string>;
const std::string kFirm = "93", kChanged = "changed since the report",
                  kChangedAfterBuild = "the source changed after the program was built";

TEST(LspWorkspace, closed_files_below_the_folders_are_sources) {
  OneFolder one;
  one.folder.write_all();
  one.start();
  EXPECT_FALSE(one.source().is_open);
  EXPECT_EQ(one.mark(), Mark(8, kFirm));
  EXPECT_EQ(one.workspace.find("file:///no/such.cu"), nullptr);
  EXPECT_EQ(one.workspace.find("untitled:1"), nullptr);
}

TEST(LspWorkspace, marks_move_with_their_lines_and_tell_changes) {
  OneFolder one;
  one.folder.write_all();
  one.start();
  one.open("kernel.cu");
  const std::string uri = one.folder.uri("kernel.cu");
  one.workspace.change(uri, {{{{TextPosition{0, 0}, TextPosition{0, 0}}}, "\n"}, instead_of(9, "  p[x] = 1;")});
  EXPECT_EQ(one.mark(), Mark(9, kChanged));
  EXPECT_EQ(hover_text(one.source(), 9), "");
  one.workspace.change(uri, {instead_of(9, "p[y] = tile[x][y];")});
  EXPECT_EQ(one.mark(), Mark(9, kFirm)) << "blanks around a line do not matter";
  EXPECT_NE(hover_text(one.source(), 9), "");
  one.workspace.change(uri, {{std::nullopt, "\n\n" + kSource}});
  EXPECT_EQ(one.mark(), Mark(10, kFirm));
  one.workspace.close(uri);
  EXPECT_EQ(one.mark(), Mark(8, kFirm)) << "as the file is";
}

TEST(LspWorkspace, a_line_whose_array_was_changed_as_fix_advises_has_changed) {
  OneFolder one;
  one.folder.write_all();
  one.start();
  one.open("kernel.cu");
  EXPECT_NE(hover_text(one.source(), 8).find("fix advises for tile"), std::string::npos);
  one.workspace.change(one.folder.uri("kernel.cu"), {instead_of(2, kPadded)});
  EXPECT_EQ(one.mark(), Mark(8, kChanged));
  EXPECT_EQ(hover_text(one.source(), 8), "");
  EXPECT_NE(hover_text(one.source(), 7), "") << "fix has nothing on the store";
  one.workspace.change(one.folder.uri("kernel.cu"), {instead_of(2, "  __shared__ float tile[32][32];")});
  EXPECT_EQ(one.mark(), Mark(8, kFirm)) << "it was taken back";
}

TEST(LspWorkspace, it_has_changed_too_where_the_change_was_saved_until_the_program_runs_again) {
  OneFolder one;
  one.folder.write_all();
  std::string padded = kSource;
  padded.replace(padded.find("[32][32]"), 8, "[32][33]");
  one.folder.write("kernel.cu", padded, 3);
  one.start();
  EXPECT_EQ(one.mark(), Mark(8, kChanged)) << "all lines that the report quotes are there";
  one.open("kernel.cu", padded);
  EXPECT_EQ(one.mark(), Mark(8, kChanged));
  one.folder.write("bankshot.json", report::to_json(made_run()), 4);
  one.workspace.refresh();
  EXPECT_EQ(one.mark(), Mark(8, kFirm)) << "a report of the changed source";
}

TEST(LspWorkspace, an_array_may_be_declared_in_another_file) {
  OneFolder one;
  one.folder.write_all();
  nlohmann::ordered_json fix = made_fix();
  nlohmann::ordered_json& edit = fix["kernels"][0]["arrays"][0]["source_edits"][0];
  edit["file"] = "tile.cuh";
  edit["line"] = 1;
  one.folder.write("tile.cuh", "  __shared__ float tile[32][32];\n");
  one.folder.write("bankshot-fix.json", fix.dump(), 2);
  one.start();
  EXPECT_EQ(one.mark(), Mark(8, kFirm));
  one.open("tile.cuh", kPadded);
  EXPECT_EQ(one.mark(), Mark(8, kChanged));
  one.folder.write("bankshot.json", report::to_json(made_run()), 3);
  one.workspace.refresh();
  EXPECT_EQ(one.mark(), Mark(8, kFirm)) << "a report after that of fix";
}

TEST(LspWorkspace, a_source_that_changed_after_the_build_has_only_information) {
  OneFolder one;
  one.folder.write_all();
  report::RunReport run = made_run();
  run.changed_sources = {"kernel.cu"};
  one.folder.write("bankshot.json", report::to_json(run), 1);
  one.start();
  EXPECT_TRUE(one.source().changed_after_build());
  EXPECT_EQ(one.mark(), Mark(8, kChangedAfterBuild));
  one.open("kernel.cu");
  one.workspace.change(one.folder.uri("kernel.cu"), {{{{TextPosition{0, 0}, TextPosition{0, 0}}}, "\n"}});
  EXPECT_EQ(one.mark(), Mark(9, kChangedAfterBuild)) << "it moves as others do";
  EXPECT_EQ(hover_text(one.source(), 9).find("wavefronts"), std::string::npos);
}

TEST(LspWorkspace, a_file_is_the_same_under_each_of_its_names) {
  OneFolder one;
  one.folder.write_all();
  std::filesystem::create_directory(one.folder.path("sub"));
  std::filesystem::create_symlink(one.folder.path("kernel.cu"), one.folder.path("link.cu"));
  one.start();
  for (const char* name : {"link.cu", "sub/../kernel.cu", "k%65rnel.cu"}) {
    one.open(name);
    EXPECT_EQ(one.mark(name), Mark(8, kFirm)) << name;
    EXPECT_EQ(one.source(name).uri, one.folder.uri(name));
    EXPECT_EQ(one.workspace.sources().size(), 1U) << "not also as a closed file";
    EXPECT_EQ(one.workspace.find(one.folder.uri("kernel.cu")), &one.source(name));
    one.workspace.change(one.folder.uri("kernel.cu"), {{{{TextPosition{0, 0}, TextPosition{0, 0}}}, "\n"}});
    EXPECT_EQ(one.mark(name), Mark(9, kFirm)) << name;
    one.workspace.close(one.folder.uri("kernel.cu"));
    EXPECT_FALSE(one.source().is_open);
  }
}

TEST(LspWorkspace, two_open_texts_of_one_file_do_not_mix) {
  OneFolder one;
  one.folder.write_all();
  std::filesystem::create_symlink(one.folder.path("kernel.cu"), one.folder.path("link.cu"));
  one.start();
  one.open("kernel.cu");
  one.open("link.cu");
  one.workspace.change(one.folder.uri("kernel.cu"), {{{{TextPosition{0, 0}, TextPosition{0, 0}}}, "\n"}});
  EXPECT_EQ(one.mark("kernel.cu"), Mark(9, kFirm));
  EXPECT_EQ(one.mark("link.cu"), Mark(8, kFirm));
  const ReportFile& report = *one.source("link.cu").views[0].report;
  EXPECT_EQ(one.workspace.find(report, "kernel.cu", one.source("link.cu")).first, &one.source("link.cu"));
  one.workspace.close(one.folder.uri("kernel.cu"));
  EXPECT_EQ(one.mark("link.cu"), Mark(8, kFirm));
  EXPECT_EQ(one.workspace.sources().size(), 1U);
}

TEST(LspWorkspace, a_path_that_leads_nowhere_is_the_open_file_with_the_longest_common_end) {
  OneFolder one;
  report::RunReport run = made_run();
  for (report::Site& site : run.kernels[0].sites) site.source.file = "/elsewhere/src/kernel.cu";
  run.source_text = {{{"/elsewhere/src/kernel.cu", 7}, "tile[y][x] = p[x];"},
                     {{"/elsewhere/src/kernel.cu", 8}, "p[y] = tile[x][y];"}};
  one.folder.write("bankshot.json", report::to_json(run));
  one.start();
  one.open("kernel.cu", "\n" + kSource);
  EXPECT_EQ(one.mark(), Mark(9, kFirm));
  one.open("kernel.cu", "int main() {}\n");
  EXPECT_TRUE(one.source().views.empty()) << "nothing of it is there";
}

TEST(LspWorkspace, files_outside_the_folders_are_not_read) {
  OneFolder one;
  const LspFolder other;
  other.write("kernel.cu", kSource);
  report::RunReport run = made_run();
  for (report::Site& site : run.kernels[0].sites) site.source.file = other.path("kernel.cu");
  one.folder.write("bankshot.json", report::to_json(run));
  one.start();
  EXPECT_TRUE(one.workspace.has_reports());
  EXPECT_TRUE(one.workspace.sources().empty());
}

TEST(LspWorkspace, problems_of_reports_are_told_and_go_away) {
  OneFolder one;
  one.folder.write("bankshot.json", "{");
  one.start();
  EXPECT_EQ(one.workspace.problems().size(), 1U);
  one.folder.write("bankshot.json", report::to_json(made_run()), 1);
  EXPECT_TRUE(one.workspace.refresh());
  EXPECT_TRUE(one.workspace.problems().empty());
  EXPECT_FALSE(one.workspace.refresh());
}

}  // namespace
}  // namespace bankshot::lsp

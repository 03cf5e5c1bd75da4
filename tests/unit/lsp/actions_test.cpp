#include "bankshot/lsp/actions.hpp"

#include <gtest/gtest.h>

#include "fixture.hpp"

namespace bankshot::lsp {
namespace {

using nlohmann::json;

constexpr const char* kTitle = "bankshot fix: tile, rows of 32 + 1 words: conflicts 93 -> 0";

/// The actions of a line of kernel.cu, from 1, when it is open with a text.
struct ActionsOf {
  LspFolder folder;
  Workspace workspace;

  ActionsOf() { folder.write_all(); }
  json operator()(const std::string& text, uint32_t line, const std::string& name = "kernel.cu") {
    workspace.set_folders({folder.path("")});
    workspace.refresh();
    workspace.open(folder.uri(name), text);
    return code_actions(*workspace.find(folder.uri(name)), workspace, line, line);
  }
};

TEST(LspActions, an_access_has_the_change_of_the_source_and_the_advice_as_a_comment) {
  ActionsOf actions;
  const json list = actions(kSource, 8);
  ASSERT_EQ(list.size(), 2U) << list;
  EXPECT_EQ(list[0]["title"], kTitle);
  EXPECT_EQ(list[0]["isPreferred"], true);
  const json& edit = list[0]["edit"]["changes"][actions.folder.uri("kernel.cu")][0];
  EXPECT_EQ(edit["newText"], "  __shared__ float tile[32][33];");
  EXPECT_EQ(edit["range"],
            (json{{"start", {{"line", 1}, {"character", 0}}}, {"end", {{"line", 1}, {"character", 32}}}}));
  EXPECT_EQ(list[1]["title"], std::string(kTitle) + " (as a comment)");
  const json& comment = list[1]["edit"]["changes"][actions.folder.uri("kernel.cu")][0];
  EXPECT_EQ(comment["range"]["start"], (json{{"line", 7}, {"character", 0}}));
  EXPECT_EQ(comment["newText"],
            "  // bankshot fix: tile, rows of 32 + 1 words: conflicts 93 -> 0\n  // row of 33\n  // x;\n");
}

TEST(LspActions, other_lines_have_none) {
  ActionsOf actions;
  EXPECT_EQ(actions(kSource, 7), json::array());
}

TEST(LspActions, a_text_that_is_not_as_it_was_gets_only_comments) {
  ActionsOf actions;
  actions(kSource, 8);
  const std::string uri = actions.folder.uri("kernel.cu");
  actions.workspace.change(uri, {{{{TextPosition{0, 0}, TextPosition{0, 0}}}, "\n"}});
  const json list = code_actions(*actions.workspace.find(uri), actions.workspace, 9, 9);
  ASSERT_EQ(list.size(), 1U) << list;
  EXPECT_EQ(list[0]["title"], std::string(kTitle) + " (as a comment)");
}

TEST(LspActions, an_array_that_was_changed_has_none) {
  ActionsOf actions;
  std::string padded = kSource;
  padded.replace(padded.find("[32][32]"), 8, "[32][33]");
  EXPECT_EQ(actions(padded, 8), json::array());
}

TEST(LspActions, a_source_that_changed_after_the_build_has_none) {
  ActionsOf actions;
  report::RunReport run = made_run();
  run.changed_sources = {"kernel.cu"};
  actions.folder.write("bankshot.json", report::to_json(run), 1);
  EXPECT_EQ(actions(kSource, 8), json::array());
}

TEST(LspActions, a_macro_is_not_ended_by_a_comment) {
  ActionsOf actions;
  std::string macro = kSource;
  macro.replace(macro.find("p[x];\n"), 5, "p[x];\\");
  actions.folder.write("kernel.cu", macro, 0);
  const json list = actions(macro, 8);
  ASSERT_EQ(list.size(), 1U) << list;
  EXPECT_EQ(list[0]["title"], kTitle);
}

TEST(LspActions, of_two_open_texts_of_one_file_the_one_is_changed_that_was_asked_for) {
  ActionsOf actions;
  std::filesystem::create_symlink(actions.folder.path("kernel.cu"), actions.folder.path("link.cu"));
  actions(kSource, 8);
  const json list = actions(kSource, 8, "link.cu");
  ASSERT_EQ(list.size(), 2U) << list;
  EXPECT_TRUE(list[0]["edit"]["changes"].contains(actions.folder.uri("link.cu"))) << list[0];
}

}  // namespace
}  // namespace bankshot::lsp

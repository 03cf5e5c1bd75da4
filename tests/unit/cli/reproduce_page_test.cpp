// The page of `reproduce --report`: which values count as agreement.
#include <gtest/gtest.h>

#include <string>

#include "bankshot/cli/commands/reproduce_output.hpp"
#include "bankshot/cli/commands/reproduce_report.hpp"

namespace bankshot::cli {
namespace {

/// Two rows of numbers, one of texts, one of which nothing was published; a series of a law and one of marks.
ReportedExperiment computed(const std::string& name) {
  experiment::Experiment e;
  e.name = name;
  e.laws = {"panel, law"};
  experiment::Outcome outcome;
  outcome.rows = {{"near 1", 100.0, 109.0, "", ""},
                  {"far", 100.0, 111.0, "", ""},
                  {"near text", "a", "a", "", ""},
                  {"near nothing", {}, 5.0, "", ""}};
  report::PlotPanel& panel = outcome.panels.emplace_back();
  panel.title = "panel";
  panel.x_title = "x";
  panel.series = {{"law", {{1, 10.0, 10.0}, {2, 20.0, 20.0}}}, {"marks", {{1, 10.0, 30.0}}}};
  ReportedExperiment one{name, name, to_document(e, outcome, false), {}, {}};
  one.result["gpu"] = "h100";
  one.result["date"] = "2026-01-02T03:04:05Z";
  one.result["version"] = "bankshot 0";
  one.result["seconds"] = 1;
  return one;
}

/// What the table's last column says of an item.
std::string agreement_of(const experiment::CoveredItem& item) {
  const std::string page = reproduce_page({computed("one")}, {}, {{"p", "paper", {item}}});
  const std::string before = "</a></td><td class=n>";
  const size_t at = page.find(before) + before.size();
  return page.substr(at, page.find("</td>", at) - at);
}

TEST(ReproducePage, values_within_10_percent_count_and_those_of_a_law_do_not) {
  // near 1, near text; of near 1, far, near text and the mark.
  EXPECT_EQ(agreement_of({"Figure", "what", {"one"}, {}, ""}), "2 of 4; 2 of a law");
}

TEST(ReproducePage, item_counts_the_rows_that_it_names) {
  EXPECT_EQ(agreement_of({"Figure", "what", {"one"}, {"near"}, ""}), "2 of 2");
  EXPECT_EQ(agreement_of({"Figure", "what", {"one"}, {"far", "near t"}, ""}), "1 of 2");
  EXPECT_EQ(agreement_of({"Figure", "what", {"one"}, {"panel, law"}, ""}), "2 of a law");
}

TEST(ReproducePage, first_result_of_an_experiment_counts_and_all_are_linked) {
  ReportedExperiment other = computed("one");
  other.stem = "one-t4";
  const std::string page =
      reproduce_page({computed("one"), other}, {}, {{"p", "paper", {{"Figure", "what", {"one"}, {}, ""}}}});
  EXPECT_NE(page.find("<a href=\"#one\">one</a>, <a href=\"#one-t4\">one-t4</a></td><td class=n>2 of 4; 2 of a law<"),
            std::string::npos);
}

TEST(ReproducePage, row_of_a_law_says_so_in_the_document) {
  const nlohmann::ordered_json rows = computed("one").result["rows"];
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_FALSE(rows[0].contains("law"));
  EXPECT_EQ(rows[4]["label"], "panel, law, x 1");
  EXPECT_EQ(rows[4]["law"], true);
  EXPECT_FALSE(rows[6].contains("law")) << rows[6];
}

}  // namespace
}  // namespace bankshot::cli

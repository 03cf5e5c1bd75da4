// The table of what the papers have: which rows of an experiment each item stands for. Source:
// experiments/coverage.toml.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bankshot/cli/commands/reproduce_output.hpp"
#include "bankshot/experiment/coverage.hpp"

namespace bankshot::experiment {
namespace {

struct LabelledRow {
  std::string label;
  bool published = false;
};

/// Of a quick run; only of experiments that run no program.
std::vector<LabelledRow> quick_rows(const std::string& name) {
  Settings settings;
  settings.quick = true;
  settings.threads = 1;
  settings.trace = [](const auto&, const auto&) { return Error{"no program can be run here"}; };
  settings.simulate = [](const auto&, const auto&, const auto&) { return Error{"no program can be run here"}; };
  const Result<Experiment> experiment = load(name);
  if (!experiment) throw std::runtime_error(experiment.error().message);
  const Result<Outcome> outcome = reproduce(*experiment, settings);
  if (!outcome) throw std::runtime_error(name + ": " + outcome.error().message);
  std::vector<LabelledRow> rows;
  const nlohmann::ordered_json document = cli::to_document(*experiment, *outcome, true);
  for (const auto& row : document["rows"]) rows.push_back({row["label"], !row["published"].is_null()});
  return rows;
}

std::vector<CoveredItem> items() {
  const Result<std::vector<CoveredPaper>> papers = coverage();
  if (!papers) throw std::runtime_error(papers.error().message);
  std::vector<CoveredItem> all;
  for (const CoveredPaper& paper : *papers) all.insert(all.end(), paper.items.begin(), paper.items.end());
  return all;
}

TEST(Coverage, every_prefix_begins_the_label_of_a_row) {
  size_t prefixes = 0;
  for (const CoveredItem& item : items()) {
    if (item.rows.empty()) continue;
    std::vector<LabelledRow> rows;
    for (const std::string& name : item.experiments) {
      const std::vector<LabelledRow> own = quick_rows(name);
      rows.insert(rows.end(), own.begin(), own.end());
    }
    for (const std::string& prefix : item.rows) {
      ++prefixes;
      EXPECT_TRUE(std::ranges::any_of(rows, [&](const LabelledRow& row) { return row.label.starts_with(prefix); }))
          << item.name << ": no row begins with '" << prefix << "'";
    }
  }
  EXPECT_GT(prefixes, 0u);
}

TEST(Coverage, published_row_of_an_experiment_that_several_items_share_belongs_to_one_of_them) {
  std::map<std::string, std::vector<CoveredItem>> by_experiment;
  for (const CoveredItem& item : items()) {
    for (const std::string& name : item.experiments) by_experiment[name].push_back(item);
  }
  size_t shared = 0;
  for (const auto& [name, of] : by_experiment) {
    if (of.size() < 2) continue;
    ++shared;
    for (const LabelledRow& row : quick_rows(name)) {
      size_t belongs = 0;
      for (const CoveredItem& item : of) {
        const auto begins = [&](const std::string& prefix) { return row.label.starts_with(prefix); };
        belongs += item.rows.empty() || std::ranges::any_of(item.rows, begins) ? 1 : 0;
      }
      EXPECT_LE(belongs, 1u) << name << ": " << row.label;
      EXPECT_TRUE(belongs == 1 || !row.published) << name << ": " << row.label;
    }
  }
  EXPECT_GT(shared, 0u);
}

}  // namespace
}  // namespace bankshot::experiment

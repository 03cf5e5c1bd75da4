// Reading an experiment. toml++ is heavy, so it stays in this file.
#define TOML_EXCEPTIONS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "bankshot/experiment/coverage.hpp"
#include "bankshot/experiment/experiment.hpp"
#include "bankshot/support/installation.hpp"
#include "bankshot/support/nearest_name.hpp"

namespace bankshot::experiment {
namespace {

namespace fs = std::filesystem;

/// Thrown and caught in this file only.
struct Bad {
  std::string message;
};

std::vector<std::string> folders() {
  if (const char* folder = std::getenv("BANKSHOT_EXPERIMENTS"); folder != nullptr && *folder != 0) return {folder};
  return data_folders("experiments");
}

class Reader {
 public:
  explicit Reader(const fs::path& path) : path_(path) {}

  toml::table read() const {
    toml::parse_result parsed = toml::parse_file(path_.string());
    if (!parsed) fail(parsed.error().source().begin, std::string(parsed.error().description()));
    return std::move(parsed).table();
  }

  [[noreturn]] void fail(const toml::source_position& at, const std::string& what) const {
    throw Bad{path_.string() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + what};
  }
  [[noreturn]] void fail(const toml::node& node, const std::string& what) const { fail(node.source().begin, what); }

  std::string text(const toml::table& table, std::string_view key, bool required) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (required) fail(table, std::string(key) + " is missing");
      return {};
    }
    if (!node->is_string()) fail(*node, std::string(key) + " must be a string in quotes");
    return node->as_string()->get();
  }

  bool flag(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return false;
    if (!node->is_boolean()) fail(*node, std::string(key) + " must be true or false");
    return node->as_boolean()->get();
  }

  std::vector<std::string> texts(const toml::node& node, std::string_view key) const {
    if (!node.is_array()) fail(node, std::string(key) + " must be a list of strings");
    std::vector<std::string> all;
    for (const toml::node& item : *node.as_array()) {
      if (!item.is_string()) fail(item, std::string(key) + " must be a list of strings");
      all.push_back(item.as_string()->get());
    }
    return all;
  }

  std::vector<std::string> texts(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    return node == nullptr ? std::vector<std::string>() : texts(*node, key);
  }

  void only(const toml::table& table, std::initializer_list<std::string_view> known) const {
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
        fail(key.source().begin, "unknown key '" + std::string(key.str()) + "'");
      }
    }
  }

  const toml::table* section(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node != nullptr && !node->is_table()) fail(*node, std::string(key) + " must be a section");
    return node == nullptr ? nullptr : node->as_table();
  }

  Benchmark benchmark(const toml::node& node) const {
    if (!node.is_table()) fail(node, "a benchmark must be a section: [[benchmark]]");
    const toml::table& table = *node.as_table();
    only(table, {"label", "program", "kernel", "arguments", "tests", "timed", "published", "patterns", "set", "aside"});
    Benchmark b;
    b.label = text(table, "label", true);
    b.patterns = texts(table, "patterns");
    b.program = text(table, "program", b.patterns.empty());
    b.kernel = text(table, "kernel", false);
    b.arguments = texts(table, "arguments");
    b.timed = texts(table, "timed");
    b.set = texts(table, "set");
    b.aside = flag(table, "aside");
    if (const toml::node* tests = table.get("tests")) {
      if (!tests->is_array()) fail(*tests, "tests must be a list of lists of strings");
      for (const toml::node& test : *tests->as_array()) b.tests.push_back(texts(test, "tests"));
    }
    if (const toml::table* published = section(table, "published")) {
      for (const auto& [key, value] : *published)
        b.published[std::string(key.str())] = text(*published, key.str(), true);
    }
    return b;
  }

  /// A number or a text, as `what` must be.
  Value value(const toml::node& node, std::string_view what) const {
    if (node.is_number()) return *node.value<double>();
    if (node.is_string()) return node.as_string()->get();
    fail(node, std::string(what) + " must be a number or a string");
  }

  std::vector<Value> parameter(const toml::node& node) const {
    if (!node.is_array()) return {value(node, "a parameter")};
    std::vector<Value> all;
    for (const toml::node& item : *node.as_array()) all.push_back(value(item, "each value of a parameter"));
    return all;
  }

  /// [[1, 108], [2, 228]]
  std::vector<std::pair<double, double>> points(const toml::node& node) const {
    std::vector<std::pair<double, double>> all;
    const toml::array* list = node.as_array();
    if (list == nullptr) fail(node, "points must be a list of pairs of numbers: [[1, 108], [2, 228]]");
    for (const toml::node& item : *list) {
      const toml::array* pair = item.as_array();
      if (pair == nullptr || pair->size() != 2 || !(*pair)[0].is_number() || !(*pair)[1].is_number()) {
        fail(item, "a point must be a pair of numbers: [1, 108]");
      }
      all.emplace_back(*(*pair)[0].value<double>(), *(*pair)[1].value<double>());
    }
    return all;
  }

  std::vector<Benchmark> benchmarks(const toml::table& root) const {
    std::vector<Benchmark> all;
    const toml::node* list = root.get("benchmark");
    if (list == nullptr) return all;
    if (!list->is_array()) fail(*list, "benchmark must be a list of sections: [[benchmark]]");
    for (const toml::node& node : *list->as_array()) all.push_back(benchmark(node));
    return all;
  }

  Experiment experiment() const {
    const toml::table root = read();
    only(root, {"title", "paper", "kind", "gpu", "benchmarks", "benchmark", "parameters", "published", "points", "laws",
                "deviations"});
    Experiment e;
    e.name = path_.stem().string();
    e.files = {path_.string()};
    e.kind = text(root, "kind", true);
    e.title = text(root, "title", true);
    e.paper = text(root, "paper", true);
    e.gpu = text(root, "gpu", false);
    e.deviations = texts(root, "deviations");
    if (const toml::table* parameters = section(root, "parameters")) {
      for (const auto& [key, node] : *parameters) e.parameters[std::string(key.str())] = parameter(node);
    }
    if (const toml::table* published = section(root, "published")) {
      for (const auto& [key, node] : *published) e.published[std::string(key.str())] = value(node, "a published value");
    }
    if (const toml::table* published = section(root, "points")) {
      for (const auto& [key, node] : *published) e.points[std::string(key.str())] = points(node);
    }
    e.laws = texts(root, "laws");
    for (const std::string& law : e.laws) {
      if (!e.points.contains(law)) fail(*root.get("laws"), "laws: no points are given of '" + law + "'");
    }
    e.benchmarks = benchmarks(root);
    if (const std::string other = text(root, "benchmarks", false); !other.empty()) {
      const Reader reader(path_.parent_path() / (other + ".toml"));
      const toml::table table = reader.read();
      e.files.push_back(reader.path_.string());
      const std::vector<Benchmark> others = reader.benchmarks(table);
      e.benchmarks.insert(e.benchmarks.begin(), others.begin(), others.end());
    }
    return e;
  }

  std::vector<CoveredPaper> coverage() const {
    const toml::table root = read();
    only(root, {"paper"});
    std::vector<CoveredPaper> papers;
    for (const toml::table& paper : sections(root, "paper")) {
      only(paper, {"name", "title", "item"});
      CoveredPaper& covered =
          papers.emplace_back(CoveredPaper{text(paper, "name", true), text(paper, "title", true), {}});
      for (const toml::table& table : sections(paper, "item")) {
        only(table, {"name", "what", "experiments", "rows", "otherwise"});
        const CoveredItem& item = covered.items.emplace_back(
            CoveredItem{text(table, "name", true), text(table, "what", true), texts(table, "experiments"),
                        texts(table, "rows"), text(table, "otherwise", false)});
        if (item.experiments.empty() == item.otherwise.empty())
          fail(table, "an item has experiments, or says what there is otherwise");
        if (!item.rows.empty() && item.experiments.empty()) fail(table, "rows are of experiments, and there are none");
      }
    }
    return papers;
  }

 private:
  /// The sections of a list of them: [[key]].
  std::vector<toml::table> sections(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr || !node->is_array_of_tables()) fail(table, "[[" + std::string(key) + "]] is missing");
    std::vector<toml::table> all;
    for (const toml::node& item : *node->as_array()) all.push_back(*item.as_table());
    return all;
  }

  fs::path path_;
};

}  // namespace

std::string searched() {
  std::string list;
  for (const std::string& folder : folders()) list += (list.empty() ? "" : ", ") + folder;
  return list;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  std::error_code code;
  for (const std::string& folder : folders()) {
    for (const auto& entry : fs::directory_iterator(folder, code)) {
      if (entry.path().extension() != ".toml") continue;
      const toml::parse_result parsed = toml::parse_file(entry.path().string());
      if (!parsed || parsed.table().contains("kind")) all.push_back(entry.path().stem().string());
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Result<std::vector<CoveredPaper>> coverage() {
  std::error_code code;
  std::vector<std::string> places = folders();
  for (const std::string& folder : data_folders("experiments")) places.push_back(folder);
  for (const std::string& folder : places) {
    const fs::path path = fs::path(folder) / "coverage.toml";
    if (!fs::is_regular_file(path, code)) continue;
    try {
      return Reader(path).coverage();
    } catch (const Bad& bad) {
      return Error{bad.message};
    }
  }
  return Error{"there is no coverage.toml in " + searched()};
}

Result<Experiment> load(const std::string& name) {
  std::error_code code;
  for (const std::string& folder : folders()) {
    const fs::path path = fs::path(folder) / (name + ".toml");
    if (name.find('/') != std::string::npos || !fs::is_regular_file(path, code)) continue;
    try {
      return Reader(path).experiment();
    } catch (const Bad& bad) {
      return Error{bad.message};
    }
  }
  const std::vector<std::string> all = names();
  return Error{fmt::format("no experiment is called '{}'; there are: {}{}", name,
                           all.empty() ? "none in " + searched() : fmt::format("{}", fmt::join(all, ", ")),
                           did_you_mean(name, all))};
}

}  // namespace bankshot::experiment

#include "bankshot/compare/diff_json.hpp"

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json_text.hpp"

namespace bankshot::compare {
namespace {

using nlohmann::ordered_json;

ordered_json run_json(const Snapshot& snapshot, const std::string& file) {
  const auto gpu = snapshot.conditions.find("gpu");
  return {{"file", file},
          {"mode", name(snapshot.mode)},
          {"program", snapshot.program},
          {"gpu", gpu == snapshot.conditions.end() ? "" : gpu->second},
          {"incomplete", snapshot.incomplete},
          {"suppressed", snapshot.suppressed}};
}

ordered_json numbers_json(const Numbers& numbers) {
  ordered_json json = {{"conflicts", numbers.conflicts}, {"wavefronts", numbers.wavefronts}};
  if (numbers.cycles) json["cycles"] = *numbers.cycles;
  return json;
}

ordered_json tally_json(const Tally& tally) {
  return {{"worse", tally.worse},
          {"better", tally.better},
          {"new", tally.added},
          {"gone", tally.gone},
          {"same", tally.same}};
}

template <class T>
std::string state_of(const Pair<T>& pair) {
  return pair.is_new() ? "new" : pair.is_gone() ? "gone" : "both";
}

/// The verdict, and both sides as `side` writes them, null where there is none.
template <class T, class Side>
ordered_json pair_json(const Pair<T>& pair, Side side) {
  return {{"verdict", name(pair.verdict)},
          {"in", state_of(pair)},
          {"before", pair.is_new() ? ordered_json(nullptr) : side(*pair.before)},
          {"after", pair.is_gone() ? ordered_json(nullptr) : side(*pair.after)}};
}

ordered_json line_side(const Line& line) {
  ordered_json json = {{"file", line.file}, {"line", line.line}, {"operations", line.operations}};
  if (!line.text.empty()) json["text"] = line.text;
  json["conflicts"] = line.conflicts;
  return json;
}

ordered_json kernel_side(const Kernel& kernel) {
  ordered_json json = {{"name", kernel.name}, {"demangled", kernel.demangled}, {"launch", kernel.launch}};
  json.update(numbers_json(kernel.numbers));
  return json;
}

ordered_json finding_side(const Finding& finding) {
  ordered_json json = {{"kind", finding.kind},         {"severity", finding.is_warning ? "warning" : "error"},
                       {"kernel", finding.kernel},     {"demangled", finding.demangled},
                       {"variable", finding.variable}, {"operations", finding.operations},
                       {"file", finding.file},         {"line", finding.line}};
  if (!finding.text.empty()) json["text"] = finding.text;
  json["count"] = finding.count;
  return json;
}

std::string verdict_word(const Diff& diff) {
  if (!diff.incomplete.empty()) return "none";
  return diff.is_worse() ? "worse" : diff.is_better() ? "better" : "same";
}

}  // namespace

std::string to_json(const Diff& diff, const Snapshot& before, const Snapshot& after, const std::string& before_file,
                    const std::string& after_file) {
  ordered_json root = {{"schema", kDiffSchema},
                       {"verdict", verdict_word(diff)},
                       {"incomplete", diff.incomplete},
                       {"before", run_json(before, before_file)},
                       {"after", run_json(after, after_file)},
                       {"conditions", ordered_json::array()},
                       {"program", {{"before", numbers_json(diff.before)}, {"after", numbers_json(diff.after)}}},
                       {"tally",
                        {{"kernels", tally_json(diff.kernel_tally)},
                         {"lines", tally_json(diff.line_tally)},
                         {"findings", tally_json(diff.finding_tally)}}}};
  for (const Condition& one : diff.conditions)
    root["conditions"].push_back({{"name", one.name}, {"before", one.before}, {"after", one.after}});
  root["kernels"] = ordered_json::array();
  for (const KernelPair& kernel : diff.kernels) {
    ordered_json json = pair_json(kernel, kernel_side);
    json["lines"] = ordered_json::array();
    for (const Pair<Line>& line : kernel.lines) json["lines"].push_back(pair_json(line, line_side));
    root["kernels"].push_back(std::move(json));
  }
  root["findings"] = ordered_json::array();
  for (const Pair<Finding>& finding : diff.findings) root["findings"].push_back(pair_json(finding, finding_side));
  return report::json_text(root);
}

}  // namespace bankshot::compare

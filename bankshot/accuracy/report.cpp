#include "bankshot/accuracy/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "bankshot/accuracy/rows_text.hpp"
#include "bankshot/accuracy/summary.hpp"

namespace bankshot::accuracy {
namespace {

using nlohmann::ordered_json;

std::string rows_table(const Evaluation& evaluation, const std::string& device) {
  std::vector<std::string> gpus;
  for (const Answer& answer : evaluation.answers) {
    if (std::find(gpus.begin(), gpus.end(), answer.row.gpu) == gpus.end()) gpus.push_back(answer.row.gpu);
  }
  std::string text;
  for (const std::string& gpu : gpus) {
    bool has_header = false;
    for (const Answer& answer : evaluation.answers) {
      if (answer.row.gpu != gpu) continue;
      if (!has_header) {
        text += fmt::format("{}, {} {}\n", gpu, device.empty() ? "simulated as" : "beside", answer.description);
        text += fmt::format("{:<62} {:>9} {:>9} {:>6}  {}\n", "", "published",
                            device.empty() ? "simulated" : "measured", "ratio", "unit");
        has_header = true;
      }
      text += fmt::format("{:<62} {:>9} {:>9} {:>6.2f}  {}\n", what_of(answer.row), significant(answer.row.value),
                          significant(answer.simulated), answer.ratio(), answer.row.unit);
    }
    text += '\n';
  }
  return text;
}

std::string summary_table(const Evaluation& evaluation) {
  std::string text = fmt::format("{:<36} {:<16} {:>5} {:>8} {:>8} {:>7} {:>11}\n", "GPU", "family", "rows", "MAPE",
                                 "median", "in 10 %", "correlation");
  for (const SummaryLine& line : summary_lines(evaluation)) {
    const Summary& one = line.summary;
    text += fmt::format("{:<36} {:<16} {:>5} {:>6.1f} % {:>6.1f} % {:>7} {:>11}\n", line.gpu.empty() ? "all" : line.gpu,
                        line.family.empty() ? "all" : line.family, one.rows, one.mean_error, one.median_error,
                        one.within_10, one.correlation ? fmt::format("{:.3f}", *one.correlation) : "-");
  }
  return text;
}

/// Rows by quantity and reason, with their number.
std::string unanswered_text(const Evaluation& evaluation) {
  if (evaluation.unanswered.empty()) return {};
  std::map<std::pair<std::string, std::string>, size_t> counts;
  for (const Unanswered& one : evaluation.unanswered) {
    const bool by_gpu = one.reason != "no benchmark";
    ++counts[{one.reason, by_gpu ? one.row.gpu : one.row.quantity}];
  }
  std::string text = fmt::format("\nnot run: {} rows\n", evaluation.unanswered.size());
  for (const auto& [which, count] : counts) text += fmt::format("  {:>5}  {}: {}\n", count, which.first, which.second);
  return text;
}

ordered_json summary_json(const Evaluation& evaluation) {
  ordered_json lines = ordered_json::array();
  for (const SummaryLine& line : summary_lines(evaluation)) {
    const Summary& one = line.summary;
    ordered_json entry = {{"gpu", nullptr},
                          {"family", nullptr},
                          {"rows", one.rows},
                          {"mean_error_percent", one.mean_error},
                          {"median_error_percent", one.median_error},
                          {"within_10_percent", one.within_10},
                          {"correlation_of_logarithms", nullptr}};
    if (!line.gpu.empty()) entry["gpu"] = line.gpu;
    if (!line.family.empty()) entry["family"] = line.family;
    if (one.correlation) entry["correlation_of_logarithms"] = *one.correlation;
    lines.push_back(std::move(entry));
  }
  return lines;
}

}  // namespace

std::string to_text(const Evaluation& evaluation, const std::string& device) {
  if (evaluation.answers.empty()) return "no row was answered\n" + unanswered_text(evaluation);
  return rows_table(evaluation, device) + summary_table(evaluation) + unanswered_text(evaluation);
}

std::string to_json(const Evaluation& evaluation, const std::string& device, const std::string& from) {
  ordered_json document = {{"schema", "bankshot/accuracy/1"}, {"from", from}, {"device", nullptr}};
  if (!device.empty()) document["device"] = device;
  document["rows"] = ordered_json::array();
  for (const Answer& answer : evaluation.answers) document["rows"].push_back(json_of(answer));
  document["summary"] = summary_json(evaluation);
  document["not_run"] = json_of(evaluation.unanswered);
  return document.dump(1) + "\n";
}

}  // namespace bankshot::accuracy

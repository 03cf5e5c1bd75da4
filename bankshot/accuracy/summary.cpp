#include "bankshot/accuracy/summary.hpp"

#include <algorithm>
#include <cmath>

namespace bankshot::accuracy {
namespace {

/// Pearson's, of logarithms.
std::optional<double> correlation(std::span<const Answer* const> answers) {
  if (answers.size() < 3) return std::nullopt;
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (const Answer* answer : answers) {
    if (answer->simulated <= 0) return std::nullopt;
    const double a = std::log(answer->row.value), b = std::log(answer->simulated);
    x += a;
    y += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  const auto n = static_cast<double>(answers.size());
  const double spread = (n * xx - x * x) * (n * yy - y * y);
  if (spread <= 1e-12) return std::nullopt;
  return (n * xy - x * y) / std::sqrt(spread);
}

}  // namespace

Summary summarize(std::span<const Answer* const> answers) {
  Summary summary;
  summary.rows = answers.size();
  if (answers.empty()) return summary;
  std::vector<double> errors;
  for (const Answer* answer : answers) errors.push_back(100 * std::abs(answer->ratio() - 1));
  std::sort(errors.begin(), errors.end());
  for (const double error : errors) {
    summary.mean_error += error / static_cast<double>(errors.size());
    if (error <= 10) ++summary.within_10;
  }
  const size_t half = errors.size() / 2;
  summary.median_error = errors.size() % 2 == 1 ? errors[half] : (errors[half - 1] + errors[half]) / 2;
  summary.correlation = correlation(answers);
  return summary;
}

std::vector<SummaryLine> summary_lines(const Evaluation& evaluation) {
  std::vector<std::string> gpus, families;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Answer& answer : evaluation.answers) {
    add(gpus, answer.row.gpu);
    add(families, answer.family);
  }
  std::sort(families.begin(), families.end());
  std::vector<SummaryLine> lines;
  const auto line = [&](const std::string& gpu, const std::string& family) {
    std::vector<const Answer*> some;
    for (const Answer& answer : evaluation.answers) {
      if ((gpu.empty() || answer.row.gpu == gpu) && (family.empty() || answer.family == family))
        some.push_back(&answer);
    }
    if (!some.empty()) lines.push_back({gpu, family, summarize(some)});
  };
  for (const std::string& gpu : gpus) {
    for (const std::string& family : families) line(gpu, family);
    line(gpu, "");
  }
  for (const std::string& family : families) line("", family);
  line("", "");
  return lines;
}

}  // namespace bankshot::accuracy

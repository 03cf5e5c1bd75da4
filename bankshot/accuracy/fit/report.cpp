#include "bankshot/accuracy/fit/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "bankshot/accuracy/rows_text.hpp"
#include "bankshot/measure/description.hpp"

namespace bankshot::accuracy {
namespace {

using nlohmann::ordered_json;

constexpr size_t kSourcesNamed = 2;
constexpr size_t kReasonsNamed = 3;

double off(const Answer& answer) { return 100 * std::abs(answer.ratio() - 1); }

std::vector<const Answer*> far_ones(const Fit& fit) {
  std::vector<const Answer*> far;
  for (const Answer& answer : fit.after.answers) {
    if (off(answer) > kFarPercent) far.push_back(&answer);
  }
  return far;
}

std::string parameters_table(const Fit& fit) {
  std::string text = fmt::format("{:<28} {:>8} {:>8} {:>5} {:>11} {:>11}\n", "parameter", "was", "fitted", "rows",
                                 "off before", "after");
  for (const FittedParameter& one : fit.parameters) {
    const std::string was = one.was == 0 && one.rows.empty() ? "-" : std::to_string(one.was);
    if (!one.not_determined.empty()) {
      text += fmt::format("{:<28} {:>8} not determined: {}\n", one.key, was, one.not_determined);
      continue;
    }
    text += fmt::format("{:<28} {:>8} {:>8} {:>5} {:>9.1f} % {:>9.1f} %\n", one.key, one.was, one.value,
                        one.rows.size(), one.off_before, one.off_after);
  }
  return text;
}

std::string far_table(const Fit& fit) {
  const std::vector<const Answer*> far = far_ones(fit);
  std::string text =
      fmt::format("rows off by more than {:.0f} %: {} of {}\n", kFarPercent, far.size(), fit.after.answers.size());
  if (!far.empty()) {
    text += fmt::format("{:<18} {:<62} {:>9} {:>9} {:>6}  {}\n", "GPU", "", "published", "simulated", "ratio", "unit");
  }
  for (const Answer* one : far) {
    text += fmt::format("{:<18.18} {:<62} {:>9} {:>9} {:>6.2f}  {}\n", one->row.gpu, what_of(one->row),
                        significant(one->row.value), significant(one->simulated), one->ratio(), one->row.unit);
  }
  return text;
}

/// A text without what a comment of TOML must not have.
std::string in_comment(std::string text) {
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
  return text;
}

/// The sources of a parameter's rows, those with most rows first, and the GPU of each.
std::string sources(const FittedParameter& one) {
  std::vector<std::pair<std::string, size_t>> counts;
  for (const Row& row : one.rows) {
    const std::string source = fmt::format("{}, {}", row.gpu, row.source);
    const auto known = std::ranges::find(counts, source, &std::pair<std::string, size_t>::first);
    if (known == counts.end()) {
      counts.emplace_back(source, 1);
    } else {
      ++known->second;
    }
  }
  std::ranges::stable_sort(counts, std::greater(), &std::pair<std::string, size_t>::second);
  std::string text;
  for (size_t k = 0; k < std::min(counts.size(), kSourcesNamed); ++k) text += (k == 0 ? "" : "; ") + counts[k].first;
  if (counts.size() > kSourcesNamed) text += fmt::format("; and {} more", counts.size() - kSourcesNamed);
  return in_comment(text);
}

}  // namespace

std::string to_text(const Fit& fit, const std::string& from) {
  std::string text =
      fmt::format("{}, fitted to the rows of {} in {}\n\n", fit.base, fmt::join(fit.devices, ", "), from);
  text += parameters_table(fit) + "\n" + far_table(fit);
  if (!fit.after.unanswered.empty()) {
    text += fmt::format("not run: {} of the rows", fit.after.unanswered.size());
    for (size_t k = 0; k < std::min(fit.after.unanswered.size(), kReasonsNamed); ++k) {
      const Unanswered& one = fit.after.unanswered[k];
      text += fmt::format("\n  {}:{}: {}", from, one.row.line, one.reason);
    }
    if (fit.after.unanswered.size() > kReasonsNamed) text += "\n  …; --json has the reason of each";
    text += "\n";
  }
  return text;
}

std::string to_json(const Fit& fit, const std::string& from) {
  ordered_json document = {
      {"schema", "bankshot/calibrate-from/1"}, {"from", from}, {"base", fit.base}, {"devices", fit.devices}};
  document["parameters"] = ordered_json::array();
  for (const FittedParameter& one : fit.parameters) {
    ordered_json entry = {{"key", one.key}, {"was", one.was}, {"value", nullptr}, {"lines", ordered_json::array()}};
    for (const Row& row : one.rows) entry["lines"].push_back(row.line);
    if (one.not_determined.empty()) {
      entry["value"] = one.value;
      entry["off_before_percent"] = one.off_before;
      entry["off_after_percent"] = one.off_after;
    } else {
      entry["not_determined"] = one.not_determined;
    }
    document["parameters"].push_back(std::move(entry));
  }
  document["rows"] = fit.after.answers.size();
  document["far"] = ordered_json::array();
  for (const Answer* one : far_ones(fit)) document["far"].push_back(json_of(*one));
  document["not_run"] = json_of(fit.after.unanswered);
  return document.dump(1) + "\n";
}

std::string to_toml(const Fit& fit, const std::string& from) {
  measure::Findings found;
  for (const FittedParameter& one : fit.parameters) {
    if (!one.not_determined.empty()) continue;
    const std::string remark = fmt::format("fitted to {} {}, off by {:.1f} %: {}", one.rows.size(),
                                           one.rows.size() == 1 ? "row" : "rows", one.off_after, sources(one));
    found[std::string(one.key)] = {std::string(one.key), std::to_string(one.value), {}, remark, {}, 0};
  }
  return fmt::format(
             "# {}, fitted with bankshot calibrate --from {} to the rows of {}.\n"
             "# Where nothing else is said, the value is that of {}.\n",
             in_comment(fit.gpu.name), in_comment(from), in_comment(fmt::format("{}", fmt::join(fit.devices, ", "))),
             in_comment(fit.base)) +
         measure::sections(fit.gpu, found);
}

}  // namespace bankshot::accuracy

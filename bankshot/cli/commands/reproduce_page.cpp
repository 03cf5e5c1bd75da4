// The page of `bankshot reproduce --report`.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "bankshot/cli/commands/reproduce_report.hpp"

namespace bankshot::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "–";
  if (value.is_number()) return fmt::format("{:.15g}", value.get<double>());
  return escaped(value.get<std::string>());
}

/// A number, or a text that is one: "9.7e7".
std::optional<double> number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const std::string text = value.get<std::string>();
  char* end = nullptr;
  const double read = std::strtod(text.c_str(), &end);
  return text.empty() || *end != 0 || !std::isfinite(read) ? std::nullopt : std::optional(read);
}

/// Measured over published, of two numbers of which the second is not 0.
std::optional<double> ratio(const Json& row) {
  const std::optional<double> measured = number(row["measured"]), published = number(row["published"]);
  if (!measured || !published || *published == 0) return std::nullopt;
  return *measured / *published;
}

/// How many published values there are, and how many of ours are within 10 % of theirs. Values of laws are neither.
struct Agreement {
  unsigned published = 0, near = 0, laws = 0;

  void operator+=(const Agreement& other) {
    published += other.published;
    near += other.near;
    laws += other.laws;
  }
};

bool is_law(const Json& row) { return row.contains("law") && row["law"] == true; }

/// @param prefixes  of the labels of rows that count; none: all count
bool counts(const std::string& label, const std::vector<std::string>& prefixes) {
  return prefixes.empty() ||
         std::ranges::any_of(prefixes, [&](const std::string& prefix) { return label.starts_with(prefix); });
}

Agreement agreement(const Json& result, const std::vector<std::string>& prefixes) {
  Agreement sum;
  for (const Json& row : result["rows"]) {
    if (!counts(row["label"], prefixes)) continue;
    if (row["published"].is_null() || row["measured"].is_null()) continue;
    if (is_law(row)) {
      ++sum.laws;
      continue;
    }
    ++sum.published;
    const std::optional<double> times = ratio(row);
    sum.near += times ? std::abs(*times - 1) <= 0.1 : row["published"] == row["measured"];
  }
  return sum;
}

std::string rows_table(const Json& rows) {
  if (rows.empty()) return {};
  std::string text =
      "<table><tr><td></td><th scope=col>published</th><th scope=col>measured</th><th scope=col>measured / "
      "published</th><td></td></tr>\n";
  for (const Json& row : rows) {
    const std::optional<double> times = ratio(row);
    text +=
        fmt::format("<tr><td>{}</td><td class=n>{}</td><td class=n>{}</td><td class=n>{}</td><td>{}{}{}</td></tr>\n",
                    escaped(row["label"]), value_text(row["published"]), value_text(row["measured"]),
                    times ? fmt::format("{:.2f}", *times) : "", escaped(row["unit"]),
                    row.contains("note") ? "; " + escaped(row["note"]) : "", is_law(row) ? "; the paper's law" : "");
  }
  return text + "</table>\n";
}

std::string sentences(const Json& list, const std::string& title) {
  if (list.empty()) return {};
  std::string text = title.empty() ? "" : "<h4>" + title + "</h4>\n";
  text += "<ul>\n";
  for (const Json& one : list) text += "<li>" + escaped(one) + "</li>\n";
  return text + "</ul>\n";
}

/// "2026-11-26 19:20:11 UTC", of "2026-11-26T19:20:11Z".
std::string date_text(std::string date) {
  if (date.size() == 20) date = date.substr(0, 10) + " " + date.substr(11, 8) + " UTC";
  return escaped(date);
}

std::string link(const std::string& stem, const std::string& ending, const std::string& text) {
  return fmt::format("<a href=\"{}.{}\">{}</a>", escaped(stem), ending, text);
}

std::string section(const ReportedExperiment& one) {
  std::string text = fmt::format("<section id=\"{0}\">\n<h3>{0}: ", escaped(one.stem));
  if (one.result.is_null())
    return text + fmt::format("not computed</h3>\n<p>{}</p>\n</section>\n", escaped(one.missing));
  const Json& result = one.result;
  text += fmt::format("{}</h3>\n<p>{}. Computed {} by {} in {:.1f} s for {}{}. {}", escaped(result["title"]),
                      escaped(result["paper"]), date_text(result["date"]), escaped(result["version"]),
                      result["seconds"].get<double>(), escaped(result["gpu"]), result["quick"] ? ", with --quick" : "",
                      link(one.stem, "json", "JSON"));
  text += one.svg.empty() ? "</p>\n" : ", " + link(one.stem, "svg", "SVG") + "</p>\n<figure>" + one.svg + "</figure>\n";
  return text + rows_table(result["rows"]) + sentences(result["notes"], "") +
         sentences(result["deviations"], result["quick"] ? "Deviations of the full run" : "Deviations") +
         "</section>\n";
}

std::string list_of_older(const std::vector<ReportedExperiment>& older) {
  if (older.empty()) return {};
  std::string text =
      "<h2>Older results</h2>\n<p>Another version of the program, the experiment or the GPU's description computed "
      "these files. The table above does not count them. To compute them again, name them in the command.</p>\n<ul>\n";
  for (const ReportedExperiment& one : older) {
    const Json date = one.result.value("date", Json());
    text += "<li>" + link(one.stem, "json", escaped(one.stem)) +
            (date.is_string() ? ", " + date_text(date) : std::string()) + "</li>\n";
  }
  return text + "</ul>\n";
}

class Coverage {
 public:
  explicit Coverage(const std::vector<ReportedExperiment>& experiments) : experiments_(experiments) {}

  std::string table(const std::vector<experiment::CoveredPaper>& papers) const {
    std::string text =
        "<table><tr><th scope=col>paper</th><th scope=col>item</th><td></td><th scope=col>here</th><th "
        "scope=col>published values within 10 %</th></tr>\n";
    for (const experiment::CoveredPaper& paper : papers) {
      for (const experiment::CoveredItem& item : paper.items) {
        text += fmt::format("<tr><td title=\"{}\">{}</td><td>{}</td><td>{}</td>", escaped(paper.title),
                            escaped(paper.name), escaped(item.name), escaped(item.what));
        text += item.experiments.empty() ? fmt::format("<td>{}</td><td></td></tr>\n", escaped(item.otherwise))
                                         : computed(item);
      }
    }
    return text + "</table>\n";
  }

 private:
  std::string computed(const experiment::CoveredItem& item) const {
    std::string links;
    Agreement sum;
    for (const std::string& name : item.experiments) {
      bool listed = false, counted = false;
      for (const ReportedExperiment& one : experiments_) {
        if (one.name != name) continue;
        listed = true;
        links += fmt::format("{0}<a href=\"#{1}\">{1}</a>", links.empty() ? "" : ", ", escaped(one.stem));
        if (one.result.is_null()) {
          links += " (not computed)";
        } else if (!std::exchange(counted, true)) {
          sum += agreement(one.result, item.rows);
        }
      }
      if (!listed) links += (links.empty() ? "" : ", ") + name + " (not computed)";
    }
    std::string near = sum.published == 0 ? "" : fmt::format("{} of {}", sum.near, sum.published);
    if (sum.laws != 0) near += fmt::format("{}{} of a law", near.empty() ? "" : "; ", sum.laws);
    return fmt::format("<td>{}</td><td class=n>{}</td></tr>\n", links, near);
  }

  const std::vector<ReportedExperiment>& experiments_;
};

constexpr std::string_view kHead =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri "
    "'none'; form-action 'none'\"><title>Bankshot: the papers, published and "
    "measured</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
    ":root { color-scheme: light dark; } body { font: 14px/1.45 sans-serif; max-width: 75em; margin: 2em auto; "
    "padding: 0 "
    "1em; }\n"
    "table { border-collapse: collapse; margin: 1em 0; } th, td { padding: 2px 10px; text-align: left; border-bottom: "
    "1px "
    "solid #8884; vertical-align: top; }\n"
    ".n { text-align: right; white-space: nowrap; } figure { margin: 1em 0; overflow-x: auto; } section { border-top: "
    "2px "
    "solid #8888; margin-top: 2em; }\n</style></head><body>\n";

}  // namespace

std::string reproduce_page(const std::vector<ReportedExperiment>& results, const std::vector<ReportedExperiment>& older,
                           const std::vector<experiment::CoveredPaper>& papers) {
  double seconds = 0;
  size_t computed = 0;
  bool quick = false;
  std::string sections;
  for (const ReportedExperiment& one : results) {
    sections += section(one);
    if (one.result.is_null()) continue;
    ++computed;
    seconds += one.result["seconds"].get<double>();
    quick |= one.result["quick"].get<bool>();
  }
  std::string text(kHead);
  text += "<h1>The papers, published and measured</h1>\n";
  text += fmt::format(
      "<p>{} result{}, computed in {:.0f} s. Published values are only compared, never used for tuning.{}</p>\n",
      computed, computed == 1 ? "" : "s", seconds,
      quick ? " Names that end in -quick are results of --quick: fewer runs and smaller problems; published values are "
              "of full runs."
            : "");
  text +=
      "<h2>Status of each figure and table</h2>\n<p>Values of a law of the paper that the model computes with the same "
      "constants are not counted as published values. For an experiment with several results, the first is "
      "counted.</p>\n" +
      Coverage(results).table(papers);
  return text + list_of_older(older) + "<h2>All results</h2>\n" + sections + "</body></html>\n";
}

}  // namespace bankshot::cli

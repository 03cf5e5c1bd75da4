#include "bankshot/cli/commands/reproduce_output.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bankshot::cli {
namespace {

using experiment::Value;

std::string text_of(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{:.15g}", *number);
  const std::string* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : "-";
}

nlohmann::ordered_json json_of(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) {
    const bool whole = *number == static_cast<double>(static_cast<int64_t>(*number));
    return whole ? nlohmann::ordered_json(static_cast<int64_t>(*number)) : nlohmann::ordered_json(*number);
  }
  const std::string* text = std::get_if<std::string>(&value);
  return text != nullptr ? nlohmann::ordered_json(*text) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json json_of(const std::optional<double>& value) {
  return value ? json_of(Value(*value)) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json json_of(const report::PlotPanel& panel) {
  constexpr std::string_view kinds[] = {"lines", "bars", "stacked"};
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const report::PlotSeries& series : panel.series) {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    for (const report::PlotPoint& p : series.points)
      points.push_back({{"x", json_of(Value(p.x))}, {"published", json_of(p.published)}, {"measured", json_of(p.y)}});
    all.push_back({{"label", series.label}, {"points", points}});
  }
  nlohmann::ordered_json json = {{"title", panel.title},
                                 {"kind", kinds[static_cast<size_t>(panel.kind)]},
                                 {"x", panel.x_title},
                                 {"y", panel.y_title}};
  if (!panel.categories.empty()) json["categories"] = panel.categories;
  json["series"] = all;
  return json;
}

/// A row of each point of a series of which a value was published.
std::vector<experiment::Row> rows_of(const report::PlotPanel& panel, const report::PlotSeries& series) {
  std::vector<experiment::Row> rows;
  for (const report::PlotPoint& p : series.points) {
    if (!p.published) continue;
    const std::string label =
        fmt::format("{}, {}, {} {}", panel.title, series.label, panel.x_title, report::x_name(panel, p.x));
    rows.push_back({label, *p.published, p.y ? Value(*p.y) : Value(), panel.y_title, {}});
  }
  return rows;
}

/// The lines of a table. The titles of its columns are left out where there is no row.
std::string table(const std::vector<experiment::Row>& rows) {
  size_t label = 5, published = 9, measured = 8;
  for (const experiment::Row& row : rows) {
    label = std::max(label, row.label.size());
    published = std::max(published, text_of(row.published).size());
    measured = std::max(measured, text_of(row.measured).size());
  }
  std::string text =
      rows.empty() ? ""
                   : fmt::format("  {:<{}}  {:>{}}  {:>{}}\n", "", label, "published", published, "measured", measured);
  for (const experiment::Row& row : rows) {
    text += fmt::format("  {:<{}}  {:>{}}  {:>{}}  {}{}", row.label, label, text_of(row.published), published,
                        text_of(row.measured), measured, row.unit, row.note.empty() ? "" : "; " + row.note);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string to_text(const experiment::Experiment& one, const experiment::Outcome& outcome, bool quick) {
  std::string text = fmt::format("{}: {}\n{}\n", one.name, one.title, one.paper);
  if (quick) text += "--quick: fewer runs and smaller problems; published values are of the full run\n";
  text += "\n" + table(outcome.rows);
  for (const report::PlotPanel& panel : outcome.panels) text += (text.ends_with("\n\n") ? "" : "\n") + to_table(panel);
  text += "\n";
  for (const std::string& note : outcome.notes) text += note + "\n";
  // The files explain what the full runs measure.
  if (!one.deviations.empty()) text += quick ? "Deviations of the full run:\n" : "Deviations:\n";
  for (const std::string& deviation : one.deviations) text += "- " + deviation + "\n";
  return text + "\n";
}

nlohmann::ordered_json to_document(const experiment::Experiment& one, const experiment::Outcome& outcome, bool quick) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array(), panels = nlohmann::ordered_json::array();
  const auto add = [&](const experiment::Row& row) {
    rows.push_back({{"label", row.label},
                    {"published", json_of(row.published)},
                    {"measured", json_of(row.measured)},
                    {"unit", row.unit}});
    if (!row.note.empty()) rows.back()["note"] = row.note;
  };
  std::for_each(outcome.rows.begin(), outcome.rows.end(), add);
  for (const report::PlotPanel& panel : outcome.panels) {
    for (const report::PlotSeries& series : panel.series) {
      const bool law = std::ranges::find(one.laws, panel.title + ", " + series.label) != one.laws.end();
      for (const experiment::Row& point : rows_of(panel, series)) {
        add(point);
        if (law) rows.back()["law"] = true;
      }
    }
    panels.push_back(json_of(panel));
  }
  nlohmann::ordered_json document = {{"schema", "bankshot/reproduce/1"},
                                     {"name", one.name},
                                     {"title", one.title},
                                     {"paper", one.paper},
                                     {"quick", quick},
                                     {"rows", rows},
                                     {"notes", outcome.notes},
                                     {"deviations", one.deviations}};
  if (!panels.empty()) document["panels"] = panels;
  return document;
}

}  // namespace bankshot::cli

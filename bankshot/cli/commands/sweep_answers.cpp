#include "bankshot/cli/commands/sweep_answers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/commands/sweep_run.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/report/figure/plot.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/support/printable.hpp"
#include "bankshot/sweep/plan/settings.hpp"

namespace bankshot::cli {
namespace {

using Json = nlohmann::ordered_json;

Result<sweep::Condition> condition(const std::string& option, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return Error{fmt::format("{} {}: must be AXIS=VALUE, such as gpu=v100", option, text)};
  return sweep::Condition{sweep::column_of(text.substr(0, equals)), text.substr(equals + 1)};
}

Json counts_json(const sweep::SweepInfo& info, sweep::Store& store) {
  const sweep::Counts counts = store.counts(info);
  Json failures = Json::array();
  for (const sweep::Failure& one : store.failures(info))
    failures.push_back({{"message", one.message}, {"points", one.points}, {"first_row", one.row}});
  Json axes = Json::array();
  for (const std::string& setting : info.settings) axes.push_back(sweep::column_of(setting));
  return {{"sweep", info.name},      {"title", info.title},     {"plan", info.file},
          {"columns", axes},         {"points", counts.points}, {"done", counts.done},
          {"failed", counts.failed}, {"open", counts.open()},   {"failures", failures}};
}

}  // namespace

void SweepQuestion::define_sweep(CLI::App& app, bool required) {
  CLI::Option* const name = app.add_option("SWEEP", sweep, "name of a sweep, or the file of its plan");
  if (required) name->required();
  app.add_option("--json", json, "write the result as JSON; - is standard output")->type_name("FILE|-");
}

void SweepQuestion::define_choice(CLI::App& app) {
  app.add_option("--measure", measure, "what is looked at: " + sweep::measure_list())
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--where", where, "only points with this value; may be given several times")
      ->allow_extra_args(false)
      ->type_name("AXIS=VALUE");
  CLI::Option* const speedup =
      app.add_option("--speedup-over", speedup_over,
                     "how many times as fast as the point that has this value and is the same otherwise")
          ->type_name("AXIS=VALUE");
  app.add_option("--relative-to", relative_to,
                 "divide by the result of the point that has this value and is the same otherwise")
      ->type_name("AXIS=VALUE")
      ->excludes(speedup);
}

namespace {

/// Letters of a text in UTF-8.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& lines, size_t left) {
  std::vector<size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()), 0);
    for (size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], width_of(line[c]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string out;
    for (size_t c = 0; c < line.size(); ++c)
      out += fmt::format(fmt::runtime(c < left ? "{}{:<{}}" : "{}{:>{}}"), c == 0 ? "" : "  ", printable(line[c]),
                         widths[c]);
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text;
}

Result<sweep::SweepInfo> find_sweep(sweep::Store& store, const std::string& name) {
  if (std::optional<sweep::SweepInfo> info = store.find(name)) return *std::move(info);
  std::string list;
  for (const sweep::SweepInfo& one : store.sweeps()) list += (list.empty() ? "" : ", ") + one.name;
  return Error{
      fmt::format("{} has no sweep '{}'; {}", store.file(), name, list.empty() ? "it has none" : "it has " + list)};
}

Result<SweepAnswer> answer(sweep::Store& store, const SweepQuestion& question, const std::vector<std::string>& more) {
  Result<sweep::SweepInfo> info = find_sweep(store, question.sweep);
  if (!info) return info.error();
  std::vector<sweep::Condition> where;
  for (const std::string& text : question.where) {
    Result<sweep::Condition> one = condition("--where", text);
    if (!one) return one.error();
    where.push_back(*std::move(one));
  }
  std::vector<std::string> measures{question.measure == "cycles" && !info->simulates ? "conflicts" : question.measure};
  measures.insert(measures.end(), more.begin(), more.end());
  Result<sweep::Table> table = sweep::read_table(store, *info, measures, where);
  if (!table) return table.error();
  SweepAnswer all;
  all.info = *info;
  all.table = *std::move(table);
  all.what = measures[0];
  all.more_is_better = measures[0] == "ipc";
  const bool is_speedup = !question.speedup_over.empty();
  if (is_speedup || !question.relative_to.empty()) {
    const std::string& text = is_speedup ? question.speedup_over : question.relative_to;
    const Result<sweep::Condition> reference = condition(is_speedup ? "--speedup-over" : "--relative-to", text);
    if (!reference) return reference.error();
    const Result<size_t> left_out = sweep::make_relative(all.table, *reference, is_speedup);
    if (!left_out) return left_out.error();
    all.left_out = *left_out;
    all.what = is_speedup ? fmt::format("speed-up over {} ({})", text, measures[0])
                          : fmt::format("{} relative to {}", measures[0], text);
    if (is_speedup) all.more_is_better = true;
  }
  if (all.table.size() == 0) return Error{fmt::format("{}: no point has a result yet", all.info.name)};
  const auto has_result = [](double result) { return !std::isnan(result); };
  if (std::ranges::none_of(all.table.results, has_result)) {
    const std::string why = store.without_kernel(all.info).message;
    return Error{
        fmt::format("{}: no point has a number of {}{}", all.info.name, all.what, why.empty() ? "" : ": " + why)};
  }
  all.without_kernel = store.without_kernel(all.info).points;
  all.mean = sweep::mean_for(all.table, is_speedup || !question.relative_to.empty());
  return all;
}

std::string caveats(const SweepAnswer& answer) {
  std::string text;
  if (answer.table.missing != 0)
    text += fmt::format("{} of {} points have no result (bankshot sweep status {})\n", grouped(answer.table.missing),
                        grouped(answer.table.missing + answer.table.size() + answer.left_out), answer.info.name);
  if (answer.without_kernel != 0)
    text += fmt::format("{} points ran none of the kernels that count\n", grouped(answer.without_kernel));
  if (answer.left_out != 0)
    text += fmt::format("{} points have no point to compare with and are left out\n", grouped(answer.left_out));
  return text;
}

int sweep_status(const SweepQuestion& question) {
  sweep::Store store = sweep::Store::open(question.store, false);
  std::vector<sweep::SweepInfo> sweeps;
  if (question.sweep.empty()) {
    sweeps = store.sweeps();
  } else {
    const Result<sweep::SweepInfo> one = find_sweep(store, question.sweep);
    if (!one) return refuse(one.error().message);
    sweeps.push_back(*one);
  }
  std::vector<std::vector<std::string>> lines{{"sweep", "plan", "points", "done", "failed", "open"}};
  Json list = Json::array();
  std::string failures;
  for (const sweep::SweepInfo& info : sweeps) {
    const sweep::Counts counts = store.counts(info);
    lines.push_back({info.name, info.file, grouped(counts.points), grouped(counts.done), grouped(counts.failed),
                     grouped(counts.open())});
    list.push_back(counts_json(info, store));
    if (counts.failed == 0) continue;
    if (!question.sweep.empty()) {
      for (const sweep::Failure& one : store.failures(info))
        failures += fmt::format("\n{} failed, first row {}: {}", grouped(one.points), one.row, printable(one.message));
      failures += "\nbankshot sweep --retry-failed runs them again\n";
    }
  }
  const std::string text = fmt::format("store {}: {} results\n\n{}", store.file(),
                                       grouped(static_cast<uint64_t>(store.database().number(
                                           "SELECT count(*) FROM bankshot_points WHERE status = 'done'"))),
                                       aligned(lines, 2)) +
                           failures;
  return deliver(
      question.json,
      report::json_text(Json{{"schema", "bankshot/sweep-status/1"}, {"store", store.file()}, {"sweeps", list}}), text);
}

int sweep_export(const SweepQuestion& question) {
  sweep::Store store = sweep::Store::open(question.store, false);
  std::string sql = question.sql;
  if (sql.empty()) {
    if (question.sweep.empty()) return refuse("which sweep? bankshot sweep status lists them; or give --sql");
    const Result<sweep::SweepInfo> info = find_sweep(store, question.sweep);
    if (!info) return refuse(info.error().message);
    sql = "SELECT * FROM " + sweep::sql_name(info->name);
  } else if (!question.sweep.empty()) {
    return refuse("--sql names what it reads itself: give no SWEEP with it");
  }
  if (question.csv.empty() && question.json.empty())
    return refuse("where to? Give --csv FILE or --json FILE; - is standard output");
  if (question.csv == "-" && question.json == "-") return refuse("--csv and --json both write to standard output");
  if (const auto error = cannot_deliver(question.csv, {{"the store", question.store}})) return refuse(error->message);
  if (const auto error = cannot_deliver(question.json, {{"the store", question.store}})) return refuse(error->message);
  std::optional<sweep::Statement> prepared;
  try {
    prepared.emplace(store.database().prepare(sql));
  } catch (const sweep::StoreError& error) {
    return refuse(fmt::format("--sql: {}", error.what()));
  }
  sweep::Statement& query = *prepared;
  if (query.columns() == 0) return refuse("--sql: this is no query: begin with SELECT");
  const auto csv_text = [](std::string_view text) {
    if (text.find_first_of(",\"\n\r") == text.npos) return std::string(text);
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
  };
  std::string csv;
  Json rows = Json::array();
  for (int c = 0; c < query.columns(); ++c) csv += (c == 0 ? "" : ",") + csv_text(query.name(c));
  csv += "\n";
  while (query.step()) {
    Json row = Json::object();
    for (int c = 0; c < query.columns(); ++c) {
      if (!question.csv.empty()) csv += (c == 0 ? "" : ",") + csv_text(query.text(c));
      if (question.json.empty()) continue;
      Json& value = row[query.name(c)];
      if (query.is_null(c))
        value = nullptr;
      else if (query.is_whole(c))
        value = query.integer(c);
      else if (query.is_text(c))
        value = query.text(c);
      else
        value = query.real(c);
    }
    csv += "\n";
    if (!question.json.empty()) rows.push_back(std::move(row));
  }
  if (!question.json.empty()) {
    const std::string text = report::json_text(Json{{"schema", "bankshot/sweep-export/1"}, {"rows", rows}});
    if (const int status = deliver(question.json, text, ""); status != kDone) return status;
  }
  return question.csv.empty() ? kDone : deliver(question.csv, csv, "");
}

}  // namespace bankshot::cli

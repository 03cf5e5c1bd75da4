#include "bankshot/cli/commands/sweep_answers.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/cli/commands/sweep_run.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/report/text/text.hpp"
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
          {"failed", counts.failed}, {"open", counts.open()},   {"without_kernel", store.without_kernel(info).points},
          {"failures", failures}};
}

}  // namespace

void SweepQuestion::define_sweep(CLI::App& app, bool required) {
  CLI::Option* const name = app.add_option("SWEEP", sweep, "name of a sweep, or the file of its plan");
  if (required) name->required();
}

void SweepQuestion::define_json(CLI::App& app) {
  app.add_option("--json", json, "write the result as JSON; - is standard output")->type_name("FILE|-");
}

void SweepQuestion::define_choice(CLI::App& app) {
  app.add_option("--measure", measure,
                 "measure to report (default: cycles, or conflicts if the plan says so): " + sweep::measure_list())
      ->type_name("NAME");
  app.add_option("--where", where, "only points with this value; may be given several times")
      ->allow_extra_args(false)
      ->type_name("AXIS=VALUE");
  CLI::Option* const speedup =
      app.add_option("--speedup-over", speedup_over,
                     "how many times as fast as the point that has this value and is otherwise the same")
          ->type_name("AXIS=VALUE");
  app.add_option("--relative-to", relative_to,
                 "divide by the result of the point that has this value and is otherwise the same")
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

namespace {

/// Whether the axis of the reference is shown, so that its 1 stands by itself and is in no mean with others.
bool keeps_reference(const SweepQuestion& question, const std::string& axis) {
  const auto is_it = [&](const std::string& name) { return sweep::column_of(name) == axis; };
  const bool lists_points = question.by.empty() && question.x.empty() && !question.sensitivity;
  return lists_points || std::ranges::any_of(question.by, is_it) || is_it(question.x) || is_it(question.series) ||
         is_it(question.panel);
}

}  // namespace

Result<SweepAnswer> answer(sweep::Store& store, const SweepQuestion& question) {
  Result<sweep::SweepInfo> info = find_sweep(store, question.sweep);
  if (!info) return info.error();
  const std::string& reference_text = question.speedup_over.empty() ? question.relative_to : question.speedup_over;
  const std::string reference_axis = sweep::column_of(reference_text.substr(0, reference_text.find('=')));
  std::vector<sweep::Condition> where, later;
  for (const std::string& text : question.where) {
    Result<sweep::Condition> one = condition("--where", text);
    if (!one) return one.error();
    // A condition on the axis of the reference is for what is compared, and not for the reference.
    (one->axis == reference_axis ? later : where).push_back(*std::move(one));
  }
  const std::vector<std::string> measures{!question.measure.empty() ? question.measure
                                          : info->simulates         ? "cycles"
                                                                    : "conflicts"};
  Result<sweep::Table> table = sweep::read_table(store, *info, measures, where);
  if (!table) return table.error();
  SweepAnswer all;
  all.info = *info;
  all.table = *std::move(table);
  all.what = measures[0];
  // Of two points that are the same but for one setting, the clock can differ only by this.
  all.compares_cycles = measures[0] == "cycles" &&
                        (reference_text.empty() || reference_axis == "gpu" || reference_axis.starts_with("clocks_"));
  all.more_is_better = measures[0] == "ipc";
  const bool is_speedup = !question.speedup_over.empty();
  if (is_speedup || !question.relative_to.empty()) {
    const std::string& text = is_speedup ? question.speedup_over : question.relative_to;
    const Result<sweep::Condition> reference = condition(is_speedup ? "--speedup-over" : "--relative-to", text);
    if (!reference) return reference.error();
    const Result<sweep::LeftOut> left_out =
        sweep::make_relative(all.table, *reference, is_speedup != all.more_is_better,
                             keeps_reference(question, reference->axis) && later.empty());
    if (!left_out) return left_out.error();
    all.left_out = *left_out;
    for (const sweep::Condition& one : later) {
      if (const auto error = sweep::keep_only(all.table, one)) return Error{all.info.name + ": " + error->message};
    }
    if (!keeps_reference(question, reference->axis) && later.empty())
      all.without_reference = fmt::format("points with {} are left out of the means", text);
    all.what = is_speedup ? fmt::format("speed-up over {} ({})", text, measures[0])
                          : fmt::format("{} relative to {}", measures[0], text);
    if (is_speedup) all.more_is_better = true;
  }
  if (all.table.size() == 0) {
    if (all.left_out.alone + all.left_out.not_finite != 0) return Error{all.info.name + ": " + caveats(all)};
    if (all.table.without_number == 0) return Error{fmt::format("{}: no point has a result yet", all.info.name)};
    const std::string why = store.without_kernel(all.info).message;
    return Error{fmt::format("{}: no point has a value for {}{}", all.info.name, all.what,
                             why.empty() ? "; sampled points have no counters" : ": " + why)};
  }
  all.mean = sweep::mean_for(all.table, is_speedup || !question.relative_to.empty());
  return all;
}

std::string caveats(const SweepAnswer& answer) {
  const sweep::Table& table = answer.table;
  const size_t left_out = answer.left_out.alone + answer.left_out.not_finite;
  std::string text;
  const auto add = [&](size_t points, const std::string& what) {
    if (points != 0) text += fmt::format("{} {}\n", report::counted(points, "point", "points"), what);
  };
  if (!answer.without_reference.empty()) text += answer.without_reference + "\n";
  if (table.clocks_differ && answer.compares_cycles)
    text += "points have different clocks: --measure microseconds compares times\n";
  add(table.missing,
      fmt::format("of {} without a result: bankshot sweep status {}",
                  report::grouped(table.missing + table.without_number + table.size() + left_out), answer.info.name));
  add(table.without_number, "without a value: no kernel that ran counts, or the counters are those of a sample");
  add(answer.left_out.alone, "left out: there is no matching point to compare with");
  add(answer.left_out.not_finite, "left out: the ratio would be a division by 0");
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
  std::vector<std::vector<std::string>> lines{{"sweep", "plan", "runs", "done", "failed", "open"}};
  Json list = Json::array();
  std::string failures;
  for (const sweep::SweepInfo& info : sweeps) {
    const sweep::Counts counts = store.counts(info);
    lines.push_back({info.name, info.file, report::grouped(counts.points), report::grouped(counts.done),
                     report::grouped(counts.failed), report::grouped(counts.open())});
    list.push_back(counts_json(info, store));
    if (counts.failed == 0) continue;
    if (!question.sweep.empty()) {
      for (const sweep::Failure& one : store.failures(info))
        failures +=
            fmt::format("\n{} failed, first row {}: {}", report::grouped(one.points), one.row, printable(one.message));
      failures += fmt::format("\nbankshot sweep --retry-failed {} runs them again\n", info.file);
    }
  }
  const std::string text = fmt::format("store {}: {} results\n\n{}", store.file(),
                                       report::grouped(static_cast<uint64_t>(store.database().number(
                                           "SELECT count(*) FROM bankshot_points WHERE status = 'done'"))),
                                       aligned(lines, 2)) +
                           failures;
  return deliver(
      question.json,
      report::json_text(Json{{"schema", "bankshot/sweep-status/1"}, {"store", store.file()}, {"sweeps", list}}), text);
}

int sweep_forget(const SweepQuestion& question) {
  sweep::Store::open(question.store, false);  // one that is not there is not made
  sweep::Store store = sweep::Store::open(question.store, true);
  const Result<sweep::SweepInfo> info = find_sweep(store, question.sweep);
  if (!info) return refuse(info.error().message);
  const uint64_t removed = store.forget(*info, question.results);
  print(
      fmt::format("{} is no longer in {}; {}\n", info->name, store.file(),
                  question.results ? report::counted(removed, "result", "results") + " removed" : "its results stay"));
  flush_output();
  return kDone;
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
    if (!prepared->is_query()) return refuse("--sql: only a query is possible: begin with SELECT");
  } catch (const sweep::StoreError& error) {
    return refuse(fmt::format("--sql: {}", error.what()));
  }
  sweep::Statement& query = *prepared;
  const auto csv_text = [](std::string_view text) {
    if (text.find_first_of(",\"\n\r") == text.npos) return std::string(text);
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
  };
  const auto hexadecimal = [](std::string_view bytes) {
    std::string out;
    for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return out;
  };
  std::string csv;
  Json rows = Json::array();
  for (int c = 0; c < query.columns(); ++c) csv += (c == 0 ? "" : ",") + csv_text(query.name(c));
  csv += "\n";
  while (query.step()) {
    Json row = Json::object();
    for (int c = 0; c < query.columns(); ++c) {
      const bool is_blob = query.is_bytes(c);
      if (!question.json.empty()) {
        Json& value = row[query.name(c)];
        if (query.is_null(c))
          value = nullptr;
        else if (is_blob)
          value = hexadecimal(query.bytes(c));
        else if (query.is_whole(c))
          value = query.integer(c);
        else if (query.is_text(c))
          value = query.text(c);
        else
          value = query.real(c);
      }
      if (!question.csv.empty())
        csv += (c == 0 ? "" : ",") + (is_blob ? hexadecimal(query.bytes(c)) : csv_text(query.text(c)));
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

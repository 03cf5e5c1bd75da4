// bankshot sweep results: tables, the best points, the Pareto front, and which settings matter.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/commands/sweep_answers.hpp"
#include "bankshot/cli/commands/sweep_run.hpp"
#include "bankshot/report/figure/plot.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/sweep/answers/hash_hardware.hpp"
#include "bankshot/sweep/answers/pareto.hpp"
#include "bankshot/sweep/answers/sensitivity.hpp"
#include "bankshot/sweep/plan/settings.hpp"

namespace bankshot::cli {
namespace {

using Json = nlohmann::ordered_json;
using sweep::Group;
using sweep::Table;

std::string number_text(double value) {
  return value >= 1e4 ? report::grouped(static_cast<uint64_t>(std::llround(value))) : report::short_number(value);
}

std::string cell_text(const sweep::Cell& cell) {
  return cell.error ? fmt::format("{} ± {}", number_text(cell.value), report::short_number(*cell.error))
                    : number_text(cell.value);
}

Json value_json(const sweep::Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  if (const int64_t* number = std::get_if<int64_t>(&value)) return *number;
  if (const double* number = std::get_if<double>(&value)) return *number;
  return sweep::is_set(value) ? Json(sweep::text_of(value)) : Json(nullptr);
}

std::string value_text(const sweep::Value& value) {
  const std::string text = sweep::text_of(value);
  return text.empty() ? "(unset)" : text;
}

Json cell_json(const sweep::Cell& cell) {
  Json json = {{"value", cell.value}};
  if (cell.error) json["error"] = *cell.error;
  json["points"] = cell.points;
  return json;
}

const char* name(sweep::Mean mean) { return mean == sweep::Mean::geometric ? "geometric mean" : "mean"; }

Json head(const SweepAnswer& answer, const char* kind) {
  return {{"schema", "bankshot/sweep-results/1"},
          {"sweep", answer.info.name},
          {"kind", kind},
          {"measure", answer.what},
          {"mean", answer.mean == sweep::Mean::geometric ? "geometric" : "arithmetic"},
          {"missing", answer.table.missing},
          {"left_out", answer.left_out.alone + answer.left_out.not_finite},
          {"without_number", answer.table.without_number}};
}

/// Writes the answer where it is wanted; below the text the points that it lacks.
int tell(const SweepQuestion& question, const SweepAnswer& answer, const Json& json, const std::string& text) {
  const std::string lacks = caveats(answer), document = report::json_text(json);
  page::Contents contents{.command = "sweep results", .json = document};
  for (size_t at = 0, end = 0; (end = lacks.find('\n', at)) != std::string::npos; at = end + 1)
    contents.notes.push_back(lacks.substr(at, end - at));
  if (!question.html.write(std::move(contents))) return kBadInput;
  return deliver(question.json, document, text + lacks);
}

/// Places of axes by their names.
Result<std::vector<size_t>> places(const SweepAnswer& answer, const std::vector<std::string>& names) {
  std::vector<size_t> all;
  for (const std::string& name : names) {
    const std::optional<size_t> at = answer.table.find(sweep::column_of(name));
    if (!at) {
      std::string list;
      for (const auto& axis : answer.table.axes) list += (list.empty() ? "" : ", ") + axis.name;
      return Error{fmt::format("the points with a result do not differ in '{}'; they differ in {}", name,
                               list.empty() ? "nothing" : list)};
    }
    all.push_back(*at);
  }
  return all;
}

/// The settings of a group but for some axes: "gpu=v100 bank_hash=xor".
std::string settings_text(const Table& table, const std::vector<size_t>& axes, const Group& group, size_t from) {
  std::string text;
  for (size_t k = from; k < axes.size(); ++k)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", table.axes[axes[k]].name,
                        value_text(table.axes[axes[k]].values[group.codes[k]]));
  return text;
}

Json settings_json(const Table& table, const std::vector<size_t>& axes, const Group& group) {
  Json settings = Json::object();
  for (size_t k = 0; k < axes.size(); ++k)
    settings[table.axes[axes[k]].name] = value_json(table.axes[axes[k]].values[group.codes[k]]);
  return settings;
}

int tell_table(const SweepQuestion& question, const SweepAnswer& answer) {
  const Result<std::vector<size_t>> axes = places(answer, question.by);
  if (!axes) return refuse(axes.error().message);
  if (axes->size() > 2) return refuse("--by takes one or two axes: the lines and the columns of the table");
  const std::vector<Group> groups = sweep::group(answer.table, *axes, answer.mean);
  const auto& down = answer.table.axes[(*axes)[0]];
  Json json = head(answer, "table"), rows = Json::array();
  std::vector<std::vector<std::string>> lines;
  std::string title = fmt::format("{} of {}, by {}", name(answer.mean), answer.what, down.name);
  if (axes->size() == 1) {
    lines.push_back({down.name, answer.what, "points"});
    for (const Group& one : groups)
      lines.push_back({value_text(down.values[one.codes[0]]), cell_text(one.cell), report::grouped(one.cell.points)});
  } else {
    const auto& across = answer.table.axes[(*axes)[1]];
    title += fmt::format(" and {}", across.name);
    lines.push_back({down.name});
    for (const sweep::Value& value : across.values) lines[0].push_back(value_text(value));
    for (const sweep::Value& value : down.values) {
      lines.push_back({value_text(value)});
      lines.back().resize(across.values.size() + 1, "-");
    }
    for (const Group& one : groups) lines[one.codes[0] + 1][one.codes[1] + 1] = cell_text(one.cell);
  }
  for (const Group& one : groups) {
    Json row = {{"settings", settings_json(answer.table, *axes, one)}};
    row.update(cell_json(one.cell));
    rows.push_back(std::move(row));
  }
  json["by"] = question.by;
  json["rows"] = std::move(rows);
  return tell(question, answer, json, fmt::format("{}: {}\n\n{}", answer.info.name, title, aligned(lines, 1)));
}

int tell_best(const SweepQuestion& question, const SweepAnswer& answer) {
  const Result<std::vector<size_t>> by = places(answer, {question.best_by});
  if (!by) return refuse(by.error().message);
  const Table& table = answer.table;
  // The axis that is asked for, then those of the machine; what else it runs is put together.
  std::vector<size_t> axes = *by;
  for (size_t a = 0; a < table.axes.size(); ++a) {
    if (a != axes[0] && table.axes[a].of_machine) axes.push_back(a);
  }
  std::map<uint32_t, std::vector<Group>> groups;
  for (Group& one : sweep::group(table, axes, answer.mean)) groups[one.codes[0]].push_back(std::move(one));
  std::vector<std::vector<std::string>> lines{{question.best_by, "best", answer.what, "median", "worst"}};
  Json json = head(answer, "best"), rows = Json::array();
  for (auto& [code, all] : groups) {
    const auto better = [&](const Group& a, const Group& b) {
      return answer.more_is_better ? a.cell.value > b.cell.value : a.cell.value < b.cell.value;
    };
    std::ranges::stable_sort(all, better);
    const auto equal = static_cast<size_t>(
        std::ranges::count_if(all, [&](const Group& one) { return one.cell.value == all[0].cell.value; }));
    std::string best = axes.size() == 1 ? "(one machine)" : settings_text(table, axes, all[0], 1);
    if (equal > 1) best += fmt::format(", and {} more", equal - 1);
    const double median = (all[(all.size() - 1) / 2].cell.value + all[all.size() / 2].cell.value) / 2;
    const Group& worst = all.back();
    lines.push_back({value_text(table.axes[axes[0]].values[code]), best, cell_text(all[0].cell), number_text(median),
                     number_text(worst.cell.value)});
    Json row = {{"settings", settings_json(table, axes, all[0])}};
    row.update(cell_json(all[0].cell));
    row["equally_good"] = equal;
    row["median"] = median;
    row["worst"] = worst.cell.value;
    rows.push_back(std::move(row));
  }
  json["by"] = {question.best_by};
  json["rows"] = std::move(rows);
  return tell(question, answer, json,
              fmt::format("{}: the best points by {}, {}\n\n{}", answer.info.name, question.best_by, answer.what,
                          aligned(lines, 2)));
}

int tell_sensitivity(const SweepQuestion& question, const SweepAnswer& answer) {
  const Result<sweep::Sensitivity> all = sweep::sensitivity(answer.table);
  if (!all) return refuse(answer.info.name + ": " + all.error().message);
  const Table& table = answer.table;
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  std::vector<std::vector<std::string>> lines{{"axis", "alone", "with interactions",
                                               all->logarithmic ? "largest / smallest" : "largest - smallest",
                                               "smallest at", "largest at"}};
  Json json = head(answer, "sensitivity"), rows = Json::array(), pairs = Json::array();
  json.erase("mean");
  for (const sweep::Effect& one : all->main) {
    const auto& axis = table.axes[one.axes[0]];
    std::string label = axis.name;
    for (const std::string& with : one.with) label += ", " + with;
    lines.push_back({label, one.share ? percent(*one.share) : "-", one.total ? percent(*one.total) : "-",
                     report::short_number(one.range), value_text(axis.values[one.least]),
                     value_text(axis.values[one.most])});
    Json row = {{"axis", axis.name}, {"range", one.range}};
    if (one.share) row["share"] = *one.share;
    if (!one.with.empty()) row["with"] = one.with;
    if (one.total) row["total"] = *one.total;
    row["smallest_at"] = value_json(axis.values[one.least]);
    row["largest_at"] = value_json(axis.values[one.most]);
    rows.push_back(std::move(row));
  }
  std::string interactions;
  for (const sweep::Effect& one : all->interactions) {
    pairs.push_back({{"axes", {table.axes[one.axes[0]].name, table.axes[one.axes[1]].name}}, {"share", *one.share}});
    if (*one.share >= 0.001 && pairs.size() <= 5)
      interactions += fmt::format("  {} with {}: {}\n", table.axes[one.axes[0]].name, table.axes[one.axes[1]].name,
                                  percent(*one.share));
  }
  json["complete"] = all->complete;
  json["logarithmic"] = all->logarithmic;
  json["variance"] = all->variance;
  json["rows"] = std::move(rows);
  if (all->complete) json["interactions"] = std::move(pairs);
  std::string text = fmt::format("{}: share of the variance of {}{} that each axis explains\n\n{}", answer.info.name,
                                 all->logarithmic ? "the logarithm of " : "", answer.what, aligned(lines, 1));
  if (!interactions.empty()) text += "\nInteractions:\n" + interactions;
  if (table.one_at_a_time)
    text += "\nEach axis is compared with the base point; shares and interactions cannot be determined\n";
  else if (!all->complete)
    text += "\nNot every combination of values is there: shares are estimates, and interactions cannot be determined\n";
  return tell(question, answer, json, text);
}

/// What the hashes of groups cost: the largest of the machines of a group's points.
Result<std::vector<double>> hash_gates(sweep::Store& store, const SweepAnswer& answer, const std::vector<size_t>& axes,
                                       const std::vector<Group>& groups) {
  const Result<sweep::Plan> plan = sweep::parse_plan(store.plan(answer.info), answer.info.file);
  if (!plan) return plan.error();
  sweep::HashHardware hardware;
  std::map<std::vector<uint32_t>, double> largest;
  std::set<std::vector<uint32_t>> seen;
  for (size_t row = 0; row < answer.table.size(); ++row) {
    const size_t point = answer.table.rows[row];
    std::vector<uint32_t> codes, machine;
    for (const size_t axis : axes) codes.push_back(answer.table.code(row, axis));
    machine = codes;
    for (size_t c = 0; c < plan->columns.size(); ++c) {
      // A program may have variables for hashes.
      const sweep::SettingKind kind = sweep::kind_of(plan->columns[c].name);
      if (kind != sweep::SettingKind::seed && kind != sweep::SettingKind::arguments)
        machine.push_back(plan->point(point)[c]);
    }
    if (!seen.insert(std::move(machine)).second) continue;
    const Result<double> gates = hardware.gates_of(*plan, point);
    if (!gates) return gates.error();
    double& most = largest[codes];
    most = std::max(most, *gates);
  }
  std::vector<double> all;
  for (const Group& one : groups) all.push_back(largest.at(one.codes));
  return all;
}

int tell_pareto(const SweepQuestion& question, const SweepAnswer& answer, sweep::Store& store) {
  const std::vector<std::string> by = question.by.empty() ? std::vector<std::string>{"bank_hash"} : question.by;
  if (std::ranges::find(by, "bank_hash") == by.end())
    return refuse("--pareto compares hardware of bank hashes: bank_hash must be among the axes of --by");
  const Result<std::vector<size_t>> axes = places(answer, by);
  if (!axes) return refuse(axes.error().message);
  const std::vector<Group> groups = sweep::group(answer.table, *axes, answer.mean);
  const Result<std::vector<double>> gates = hash_gates(store, answer, *axes, groups);
  if (!gates) return refuse("--pareto needs the area of hashes: " + gates.error().message);
  std::vector<std::pair<double, double>> points;
  for (size_t k = 0; k < groups.size(); ++k)
    points.emplace_back(answer.more_is_better ? -groups[k].cell.value : groups[k].cell.value, (*gates)[k]);
  const std::vector<size_t> front = sweep::pareto_front(points);
  std::vector<size_t> order(groups.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, {}, [&](size_t k) { return points[k]; });
  std::vector<std::vector<std::string>> lines{{"", "point", answer.what, "NAND2 a lane"}};
  Json json = head(answer, "pareto"), rows = Json::array();
  for (const size_t k : order) {
    const bool is_front = std::ranges::find(front, k) != front.end();
    lines.push_back({is_front ? "*" : "", settings_text(answer.table, *axes, groups[k], 0), cell_text(groups[k].cell),
                     fmt::format("{:.0f}", (*gates)[k])});
    Json row = {{"settings", settings_json(answer.table, *axes, groups[k])}};
    row.update(cell_json(groups[k].cell));
    row["hash_gates"] = (*gates)[k];
    row["front"] = is_front;
    rows.push_back(std::move(row));
  }
  json["by"] = by;
  json["rows"] = std::move(rows);
  return tell(
      question, answer, json,
      fmt::format("{}: {} of {} against the area of the hash's hardware; * no other point is better in both\n\n{}",
                  answer.info.name, name(answer.mean), answer.what, aligned(lines, 2)));
}

int tell_points(const SweepQuestion& question, const SweepAnswer& answer) {
  const Table& table = answer.table;
  std::vector<size_t> order(table.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return answer.more_is_better ? table.result(a) > table.result(b) : table.result(a) < table.result(b);
  });
  std::vector<std::vector<std::string>> lines{{"row"}};
  for (const auto& axis : table.axes) lines[0].push_back(axis.name);
  lines[0].push_back(answer.what);
  Json json = head(answer, "points"), rows = Json::array();
  json.erase("mean");
  for (size_t k = 0; k < order.size() && k < question.limit; ++k) {
    const size_t row = order[k];
    std::vector<std::string> line{report::grouped(table.rows[row])};
    Json one = {{"row", table.rows[row]}}, settings = Json::object();
    for (size_t a = 0; a < table.axes.size(); ++a) {
      line.push_back(value_text(table.axes[a].values[table.code(row, a)]));
      settings[table.axes[a].name] = value_json(table.axes[a].values[table.code(row, a)]);
    }
    sweep::Cell cell{table.result(row), std::nullopt, 1};
    if (!table.errors.empty() && table.errors[row] != 0) cell.error = table.errors[row];
    line.push_back(cell_text(cell));
    one["settings"] = std::move(settings);
    one.update(cell_json(cell));
    one.erase("points");
    lines.push_back(std::move(line));
    rows.push_back(std::move(one));
  }
  json["rows"] = std::move(rows);
  std::string text =
      fmt::format("{}: {}, the best first\n\n{}", answer.info.name, answer.what, aligned(lines, table.axes.size() + 1));
  if (table.size() > question.limit)
    text += report::counted(table.size() - question.limit, "more point", "more points") +
            ": raise --limit, or use bankshot sweep export\n";
  return tell(question, answer, json, text);
}

}  // namespace

int sweep_results(const SweepQuestion& question) {
  const int kinds = (question.best_by.empty() ? 0 : 1) + (question.pareto ? 1 : 0) + (question.sensitivity ? 1 : 0) +
                    (!question.by.empty() && !question.pareto ? 1 : 0);
  if (kinds > 1)
    return refuse(
        "--by, --best-by and --sensitivity are different answers: ask for one at a time (--pareto takes --by)");
  if (const std::string reason = question.html.problem("sweep results", question.sweep, question.json); !reason.empty())
    return refuse(reason);
  for (const auto& [option, file] : {std::pair{"--json", question.json}, {"--html", question.html.file}}) {
    if (const auto error = host::overwrites(option, file, {{"the store", question.store}}))
      return refuse(error->message);
  }
  sweep::Store store = sweep::Store::open(question.store, false);
  const Result<SweepAnswer> found = answer(store, question);
  if (!found) return refuse(found.error().message);
  if (question.pareto) return tell_pareto(question, *found, store);
  if (question.sensitivity) return tell_sensitivity(question, *found);
  if (!question.best_by.empty()) return tell_best(question, *found);
  return question.by.empty() ? tell_points(question, *found) : tell_table(question, *found);
}

}  // namespace bankshot::cli

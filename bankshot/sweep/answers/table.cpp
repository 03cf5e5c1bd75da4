#include "bankshot/sweep/answers/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>

#include "bankshot/sweep/plan/result_columns.hpp"
#include "bankshot/sweep/plan/settings.hpp"
#include "bankshot/timing/base/counters.hpp"

namespace bankshot::sweep {
namespace {

bool is_counter(std::string_view name) {
  if (std::ranges::any_of(timing::counter_names(), [&](const auto& one) { return one.name == name; })) return true;
  for (unsigned cause = 0; cause < timing::kCauses; ++cause) {
    if (name.starts_with("slots_") && name.substr(6) == timing::name(static_cast<timing::Cause>(cause))) return true;
  }
  return false;
}

/// What a measure is in SQL, of a view v; empty if there is none of the name.
std::string sql_of(const std::string& measure, bool by_kernel) {
  const auto column = std::ranges::find(kResultColumns, measure, &ResultColumn::name);
  if (column != kResultColumns.end() && column->is_measure) return "v." + measure;
  if (measure == "ipc") return "CAST(v.warp_instructions AS REAL) / v.cycles";
  if (!is_counter(measure)) return {};
  return fmt::format(
      "(SELECT CASE WHEN count(k.counters) = count(*) THEN sum(coalesce(json_extract(k.counters, '$.{}'), 0)) END FROM "
      "bankshot_kernels k WHERE k.point = v.point{})",
      measure, by_kernel ? " AND (v.kernel IS NULL OR instr(k.name, v.kernel))" : "");
}

Value value_at(const Statement& row, int column) {
  if (row.is_null(column)) return {};
  if (row.is_text(column)) return std::string(row.text(column));
  if (row.is_whole(column)) return row.integer(column);
  return row.real(column);
}

/// The codes of a column's values, in the order in which they come.
class Coder {
 public:
  uint32_t code(const Statement& row, int column) {
    if (row.is_text(column)) {
      const std::string_view text = row.text(column);
      if (last_ && *last_ == text) return last_code_;
      last_ = text;
      return last_code_ = place(std::string(text));
    }
    last_.reset();
    return place(value_at(row, column));
  }
  std::vector<Value> values;

 private:
  uint32_t place(const Value& value) {
    const auto [known, is_new] = places_.try_emplace(value, static_cast<uint32_t>(values.size()));
    if (is_new) values.push_back(value);
    return known->second;
  }
  std::map<Value, uint32_t> places_;
  std::optional<std::string> last_;
  uint32_t last_code_ = 0;
};

/// Where each value goes so that numbers ascend; others stay.
std::vector<uint32_t> order_of(const std::vector<Value>& values) {
  std::vector<uint32_t> by_rank(values.size());
  std::iota(by_rank.begin(), by_rank.end(), 0u);
  if (std::ranges::all_of(values, is_number))
    std::ranges::sort(by_rank, {}, [&](uint32_t v) { return number_of(values[v]); });
  std::vector<uint32_t> to(values.size());
  for (uint32_t rank = 0; rank < by_rank.size(); ++rank) to[by_rank[rank]] = rank;
  return to;
}

/// Whether a value is the one that is asked for, each looked at once.
struct Matcher {
  size_t column;
  std::string wanted;
  std::vector<bool> known;  ///< of each code

  bool matches(uint32_t code, const std::vector<Value>& values) {
    while (known.size() < values.size()) known.push_back(text_of(values[known.size()]) == wanted);
    return known[code];
  }
};

/// Values that no row has, as conditions left them out.
void drop_unused(std::vector<Coder>& coders, std::vector<uint32_t>& codes) {
  const size_t width = coders.size();
  for (size_t c = 0; c < width; ++c) {
    std::vector<bool> is_used(coders[c].values.size(), false);
    for (size_t at = c; at < codes.size(); at += width) is_used[codes[at]] = true;
    std::vector<uint32_t> moved(is_used.size(), 0);
    std::vector<Value> kept;
    for (size_t v = 0; v < is_used.size(); ++v) {
      moved[v] = static_cast<uint32_t>(kept.size());
      if (is_used[v]) kept.push_back(coders[c].values[v]);
    }
    for (size_t at = c; at < codes.size(); at += width) codes[at] = moved[codes[at]];
    coders[c].values = std::move(kept);
  }
}

std::string names_of(const std::vector<std::string>& settings) {
  std::string list;
  for (const std::string& one : settings) list += (list.empty() ? "" : ", ") + column_of(one);
  return list;
}

}  // namespace

std::optional<size_t> Table::find(std::string_view axis) const {
  const auto at = std::ranges::find(axes, axis, &TableAxis::name);
  return at == axes.end() ? std::nullopt : std::optional(static_cast<size_t>(at - axes.begin()));
}

std::vector<size_t> Table::base_rows() const {
  std::vector<size_t> all;
  if (!one_at_a_time) return all;
  const std::optional<size_t> program = find("program");
  std::map<uint32_t, size_t> first;
  for (size_t row = 0; row < size(); ++row) first.try_emplace(program ? code(row, *program) : 0, row);
  for (size_t row = 0; row < size(); ++row) all.push_back(first.at(program ? code(row, *program) : 0));
  return all;
}

bool Table::tells_of(size_t row, const std::vector<size_t>& own, const std::vector<size_t>& bases) const {
  if (bases.empty()) return true;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const bool is_own = std::ranges::find(own, axis) != own.end();
    if (!is_own && code(row, axis) != code(bases[row], axis)) return false;
  }
  return true;
}

std::optional<Error> keep_only(Table& table, const Condition& condition) {
  const std::optional<size_t> axis = table.find(condition.axis);
  const size_t width = table.axes.size(), measures = table.measures.size();
  Table kept = table;
  kept.codes.clear();
  kept.results.clear();
  kept.errors.clear();
  kept.rows.clear();
  for (size_t row = 0; axis && row < table.size(); ++row) {
    if (text_of(table.axes[*axis].values[table.code(row, *axis)]) != condition.value) continue;
    const auto codes = table.codes.begin() + static_cast<ptrdiff_t>(row * width);
    kept.codes.insert(kept.codes.end(), codes, codes + static_cast<ptrdiff_t>(width));
    const auto results = table.results.begin() + static_cast<ptrdiff_t>(row * measures);
    kept.results.insert(kept.results.end(), results, results + static_cast<ptrdiff_t>(measures));
    if (!table.errors.empty()) kept.errors.push_back(table.errors[row]);
    kept.rows.push_back(table.rows[row]);
  }
  if (kept.rows.empty()) return Error{fmt::format("no point has {} = {}", condition.axis, condition.value)};
  // The axis has one value now, so it is none.
  std::vector<uint32_t> codes;
  for (size_t at = 0; at < kept.codes.size(); ++at) {
    if (at % width != *axis) codes.push_back(kept.codes[at]);
  }
  kept.codes = std::move(codes);
  kept.axes.erase(kept.axes.begin() + static_cast<ptrdiff_t>(*axis));
  table = std::move(kept);
  return std::nullopt;
}

std::string measure_list() {
  std::string columns;
  for (const ResultColumn& one : kResultColumns) {
    if (one.is_measure) columns += (columns.empty() ? "" : ", ") + std::string(one.name);
  }
  return fmt::format(
      "{} (microseconds is simulated time; host_ is what the run took here), ipc, and each counter of the simulation, "
      "such as l2_reads or slots_barrier",
      columns);
}

Result<Table> read_table(Store& store, const SweepInfo& sweep, const std::vector<std::string>& measures,
                         const std::vector<Condition>& where) {
  Database& database = store.database();
  const bool by_kernel =
      database.number(fmt::format("SELECT count(*) FROM pragma_table_info('bankshot_design_{}') WHERE name = 'kernel'",
                                  sweep.id)) != 0;
  for (const Condition& one : where) {
    const auto known = [&](const std::string& setting) { return column_of(setting) == one.axis; };
    if (std::ranges::none_of(sweep.settings, known))
      return Error{fmt::format("{} has no axis '{}'; it has {}", sweep.name, one.axis, names_of(sweep.settings))};
  }
  Table table;
  table.measures = measures;
  table.is_grid = sweep.is_grid;
  table.one_at_a_time = sweep.one_at_a_time;
  std::string select;
  std::vector<std::string> names;
  for (const std::string& setting : sweep.settings) {
    names.push_back(column_of(setting));
    select += fmt::format("v.{}, ", sql_name(names.back()));
  }
  for (const std::string& measure : measures) {
    const std::string sql = sql_of(measure, by_kernel);
    if (sql.empty()) return Error{fmt::format("there is no measure '{}'; there are {}", measure, measure_list())};
    if (!sweep.simulates &&
        (measure == "cycles" || measure == "ipc" || measure == "microseconds" || !sql.starts_with("v.")))
      return Error{fmt::format("{} counts conflicts, and has no {}: take --measure conflicts", sweep.name, measure)};
    select += sql + ", ";
  }
  Statement query = database.prepare(
      fmt::format("SELECT {}v.cycles_error, v.row, v.status = 'done', v.cycles * 1e3 / v.microseconds FROM {} v",
                  select, sql_name(sweep.name)));
  std::vector<Coder> coders(names.size());
  std::vector<Matcher> matchers;
  for (const Condition& one : where)
    matchers.push_back({static_cast<size_t>(std::ranges::find(names, one.axis) - names.begin()), one.value, {}});
  std::vector<uint32_t> codes, row(names.size());
  bool has_errors = false;
  std::set<long> clocks;
  size_t matching = 0;
  const int first_measure = static_cast<int>(names.size()), last = first_measure + static_cast<int>(measures.size());
  while (query.step()) {
    for (size_t c = 0; c < names.size(); ++c) row[c] = coders[c].code(query, static_cast<int>(c));
    const auto matches = [&](Matcher& one) { return one.matches(row[one.column], coders[one.column].values); };
    if (!std::ranges::all_of(matchers, matches)) continue;
    ++matching;
    if (query.integer(last + 2) == 0) {
      ++table.missing;
      continue;
    }
    if (query.is_null(first_measure)) {
      ++table.without_number;
      continue;
    }
    codes.insert(codes.end(), row.begin(), row.end());
    for (int m = first_measure; m < last; ++m)
      table.results.push_back(query.is_null(m) ? std::numeric_limits<double>::quiet_NaN() : query.real(m));
    table.errors.push_back(measures[0] == "cycles" ? query.real(last) : 0);
    clocks.insert(query.is_null(last + 3) ? 0 : std::lround(query.real(last + 3)));
    has_errors |= table.errors.back() != 0;
    table.rows.push_back(static_cast<uint64_t>(query.integer(last + 1)));
  }
  if (matching == 0) {
    std::string said;
    for (const Condition& one : where) said += (said.empty() ? "" : ", ") + one.axis + " = " + one.value;
    return Error{fmt::format("{}: no point has {}", sweep.name, said)};
  }
  if (!has_errors) table.errors.clear();
  table.clocks_differ = clocks.size() > 1;
  std::vector<size_t> kept;
  drop_unused(coders, codes);
  std::vector<std::vector<uint32_t>> moved;
  for (size_t c = 0; c < names.size(); ++c) {
    if (coders[c].values.size() < 2) continue;
    kept.push_back(c);
    moved.push_back(order_of(coders[c].values));
    TableAxis axis{names[c], std::vector<Value>(coders[c].values.size()), is_of_machine(sweep.settings[c])};
    for (size_t v = 0; v < coders[c].values.size(); ++v) axis.values[moved.back()[v]] = coders[c].values[v];
    table.axes.push_back(std::move(axis));
  }
  table.codes.reserve(table.rows.size() * kept.size());
  for (size_t row = 0; row < table.rows.size(); ++row) {
    for (size_t a = 0; a < kept.size(); ++a) table.codes.push_back(moved[a][codes[row * names.size() + kept[a]]]);
  }
  return table;
}

}  // namespace bankshot::sweep

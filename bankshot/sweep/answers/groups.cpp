#include "bankshot/sweep/answers/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bankshot/support/student.hpp"

namespace bankshot::sweep {
namespace {

/// A sum of which a mean is made.
struct Sum {
  double value = 0, error = 0;  ///< the error relative to the value
  size_t points = 0;

  void add(Mean mean, double result, double relative_error) {
    value += mean == Mean::geometric ? std::log(result) : result;
    error += relative_error;
    ++points;
  }
};

/// Which error a row has, relative to its cycles.
double relative_error(const Table& table, size_t row, size_t measure) {
  if (table.errors.empty() || table.measures[measure] != "cycles") return 0;
  return table.result(row, measure) > 0 ? table.errors[row] / table.result(row, measure) : 0;
}

std::string values_of(const TableAxis& axis) {
  std::string list;
  for (const Value& value : axis.values) list += (list.empty() ? "" : ", ") + text_of(value);
  return list;
}

/// A value of an axis that no row has.
void drop_value(Table& table, size_t axis, uint32_t value) {
  table.axes[axis].values.erase(table.axes[axis].values.begin() + value);
  for (size_t at = axis; at < table.codes.size(); at += table.axes.size()) {
    if (table.codes[at] > value) --table.codes[at];
  }
}

}  // namespace

Mean mean_for(const Table& table, bool is_relative, size_t measure) {
  const std::string& name = table.measures[measure];
  if (!is_relative && name != "cycles" && name != "microseconds" && name != "host_seconds" && name != "ipc")
    return Mean::arithmetic;
  for (size_t row = 0; row < table.size(); ++row) {
    if (!(table.result(row, measure) > 0)) return Mean::arithmetic;
  }
  return Mean::geometric;
}

Result<LeftOut> make_relative(Table& table, const Condition& reference, bool inverse, bool keep_reference) {
  const std::optional<size_t> axis = table.find(reference.axis);
  if (!axis) return Error{fmt::format("points do not differ in '{}'", reference.axis)};
  const auto& values = table.axes[*axis].values;
  const auto value = std::ranges::find(values, reference.value, text_of);
  if (value == values.end())
    return Error{
        fmt::format("{} has no value '{}'; it has {}", reference.axis, reference.value, values_of(table.axes[*axis]))};
  const auto wanted = static_cast<uint32_t>(value - values.begin());
  const size_t width = table.axes.size();
  const auto partner_of = [&](size_t row) {
    std::vector<uint32_t> key(table.codes.begin() + static_cast<ptrdiff_t>(row * width),
                              table.codes.begin() + static_cast<ptrdiff_t>((row + 1) * width));
    key[*axis] = wanted;
    return key;
  };
  std::map<std::vector<uint32_t>, size_t> partners;
  for (size_t row = 0; row < table.size(); ++row) {
    if (table.code(row, *axis) == wanted) partners[partner_of(row)] = row;
  }
  LeftOut left_out;
  Table kept = table;
  kept.codes.clear();
  kept.results.clear();
  kept.rows.clear();
  kept.errors.clear();
  const size_t measures = table.measures.size();
  for (size_t row = 0; row < table.size(); ++row) {
    if (!keep_reference && table.code(row, *axis) == wanted) continue;
    const auto partner = partners.find(partner_of(row));
    if (partner == partners.end()) {
      ++left_out.alone;
      continue;
    }
    const double own = table.result(row), other = table.result(partner->second);
    const double ratio = inverse ? other / own : own / other;
    if (!std::isfinite(ratio)) {
      ++left_out.not_finite;
      continue;
    }
    kept.codes.insert(kept.codes.end(), table.codes.begin() + static_cast<ptrdiff_t>(row * width),
                      table.codes.begin() + static_cast<ptrdiff_t>((row + 1) * width));
    kept.results.push_back(ratio);
    for (size_t m = 1; m < measures; ++m) kept.results.push_back(table.result(row, m));
    kept.rows.push_back(table.rows[row]);
    if (!table.errors.empty()) {
      // As if they were independent; that of the reference itself is none.
      const double a = relative_error(table, row, 0), b = relative_error(table, partner->second, 0);
      kept.errors.push_back(row == partner->second ? 0 : ratio * std::sqrt(a * a + b * b));
    }
  }
  table = std::move(kept);
  if (!keep_reference) drop_value(table, *axis, wanted);
  return left_out;
}

std::vector<Group> group(const Table& table, const std::vector<size_t>& axes, Mean mean, size_t measure) {
  const std::optional<size_t> seed = table.find("seed");
  const bool by_seed = seed && std::ranges::find(axes, *seed) == axes.end();
  std::map<std::vector<uint32_t>, std::map<uint32_t, Sum>> sums;
  std::vector<uint32_t> key(axes.size());
  const std::vector<size_t> bases = table.base_rows();
  for (size_t row = 0; row < table.size(); ++row) {
    if (std::isnan(table.result(row, measure)) || !table.tells_of(row, axes, bases)) continue;
    for (size_t k = 0; k < axes.size(); ++k) key[k] = table.code(row, axes[k]);
    sums[key][by_seed ? table.code(row, *seed) : 0].add(mean, table.result(row, measure),
                                                        relative_error(table, row, measure));
  }
  std::vector<Group> all;
  for (const auto& [codes, seeds] : sums) {
    Group one{codes, {}};
    // Means of seeds are compared as the values are: by their logarithms, if the mean is geometric.
    double sum = 0, squares = 0, errors = 0;
    for (const auto& [code, of_seed] : seeds) {
      const double middle = of_seed.value / static_cast<double>(of_seed.points);
      sum += middle;
      squares += middle * middle;
      errors += of_seed.error;
      one.cell.points += of_seed.points;
    }
    const auto count = static_cast<double>(seeds.size());
    const double middle = sum / count;
    one.cell.value = mean == Mean::geometric ? std::exp(middle) : middle;
    if (seeds.size() > 1) {
      const double variance = std::max(0.0, (squares - sum * middle) / (count - 1));
      const double half = student_t(seeds.size() - 1) * std::sqrt(variance / count);
      one.cell.error = mean == Mean::geometric ? one.cell.value * std::expm1(half) : half;
    } else if (errors > 0) {
      one.cell.error = one.cell.value * errors / static_cast<double>(one.cell.points);
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace bankshot::sweep

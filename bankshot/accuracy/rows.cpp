#include "bankshot/accuracy/rows.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "bankshot/accuracy/unit.hpp"

namespace bankshot::accuracy {
namespace {

constexpr std::array<std::string_view, 7> kColumns = {"gpu",   "arch", "quantity", "condition",
                                                      "value", "unit", "source"};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// @return a positive number, or 0
double number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) && value > 0 ? value : 0;
}

/// The mean of numbers with slashes between them, or 0 if one is wrong.
double mean_of(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '/');
  double sum = 0;
  for (const std::string_view part : parts) {
    const double value = number(part);
    if (value == 0) return 0;
    sum += value;
  }
  return sum / static_cast<double>(parts.size());
}

/// What is wrong with the columns of a row, or empty.
std::string problem(const std::vector<std::string_view>& columns) {
  if (columns.size() != kColumns.size()) {
    return fmt::format("{} columns; a row has {}, separated by tabs: {}", columns.size(), kColumns.size(),
                       fmt::join(kColumns, ", "));
  }
  for (const size_t k : {0u, 2u, 6u}) {
    if (columns[k].empty()) return fmt::format("the column {} is empty", kColumns[k]);
  }
  if (mean_of(columns[4]) == 0) {
    return fmt::format("the value '{}' is not a positive number, nor several with slashes between them", columns[4]);
  }
  if (!find_unit(columns[5])) {
    return fmt::format("the unit '{}' is unknown; known are {}", columns[5], fmt::join(unit_names(), ", "));
  }
  return {};
}

}  // namespace

Result<std::vector<Row>> parse_rows(std::string_view text, const std::string& file) {
  std::vector<Row> rows;
  unsigned line = 0;
  bool has_header = false;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (std::string_view one : split(text, '\n')) {
    ++line;
    if (one.ends_with('\r')) one.remove_suffix(1);
    if (one.empty()) continue;
    const std::vector<std::string_view> columns = split(one, '\t');
    if (!has_header) {
      if (!std::equal(columns.begin(), columns.end(), kColumns.begin(), kColumns.end())) {
        return Error{fmt::format("{}:{}: the first line must name the columns, separated by tabs: {}", file, line,
                                 fmt::join(kColumns, ", "))};
      }
      has_header = true;
      continue;
    }
    if (const std::string wrong = problem(columns); !wrong.empty()) {
      return Error{fmt::format("{}:{}: {}", file, line, wrong)};
    }
    rows.push_back({std::string(columns[0]), std::string(columns[1]), std::string(columns[2]), std::string(columns[3]),
                    mean_of(columns[4]), std::string(columns[5]), std::string(columns[6]), line});
  }
  if (!has_header) return Error{file + ": the file is empty"};
  return rows;
}

Result<std::vector<Row>> load_rows(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  const bool is_empty = file && file.peek() == std::ifstream::traits_type::eof() && !file.bad();
  if (!file.is_open() || (!is_empty && !(text << file.rdbuf()))) {
    return Error{fmt::format("{} cannot be read: {}", path, std::strerror(errno == 0 ? EIO : errno))};
  }
  return parse_rows(text.str(), path);
}

}  // namespace bankshot::accuracy

// A panel of a figure as a table of text.
#include <algorithm>

#include <fmt/format.h>

#include "bankshot/report/figure/plot.hpp"

namespace bankshot::report {
namespace {

struct Column {
  std::string head;
  std::vector<std::string> cells;  ///< by x

  size_t width() const {
    size_t widest = head.size();
    for (const std::string& cell : cells) widest = std::max(widest, cell.size());
    return widest;
  }
};

/// The column of one side of a series; without cells if it has no value at all.
Column column_of(const PlotSeries& series, const std::vector<double>& xs, bool published) {
  Column column{published ? "published" : series.label, std::vector<std::string>(xs.size(), "-")};
  bool any = false;
  for (const PlotPoint& p : series.points) {
    const std::optional<double>& value = published ? p.published : p.y;
    if (!value) continue;
    any = true;
    column.cells[static_cast<size_t>(std::lower_bound(xs.begin(), xs.end(), p.x) - xs.begin())] = short_number(*value);
  }
  if (!any) column.cells.clear();
  return column;
}

}  // namespace

std::string to_table(const PlotPanel& panel) {
  const std::vector<double> xs = all_x(panel);
  Column names{panel.x_title, {}};
  for (const double x : xs) names.cells.push_back(x_name(panel, x));
  std::vector<Column> columns = {names};
  for (const PlotSeries& series : panel.series) {
    for (const bool published : {false, true}) {
      if (Column column = column_of(series, xs, published); !column.cells.empty()) columns.push_back(std::move(column));
    }
  }
  std::string text = "  " + panel.title + ": " + panel.y_title + "\n";
  for (size_t line = 0; line <= xs.size(); ++line) {
    text += " ";
    for (const Column& column : columns)
      text += fmt::format(" {:>{}}", line == 0 ? column.head : column.cells[line - 1],
                          column.width() + (&column == columns.data() ? 0 : 1));
    text += "\n";
  }
  return text;
}

}  // namespace bankshot::report

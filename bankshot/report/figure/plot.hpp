// Figures: lines with markers or bars, several series, in panels. As SVG, as text, as the same numbers in JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bankshot::report {

/// The measured and the published value at x; either may be missing.
struct PlotPoint {
  double x = 0;
  std::optional<double> y, published = std::nullopt;
  bool operator==(const PlotPoint&) const = default;
};

struct PlotSeries {
  std::string label;
  std::vector<PlotPoint> points;  ///< ascending in x
};

enum class PlotKind {
  lines,
  bars,     ///< of every x a group of bars, one a series
  stacked,  ///< of every x one bar, the series on top of each other
};

struct PlotPanel {
  std::string title, x_title, y_title;
  PlotKind kind = PlotKind::lines;
  bool log2_x = false;                  ///< of lines; bars stand side by side whatever their x is
  std::vector<std::string> categories;  ///< of bars: names of x = 0, 1, 2 …; empty: x is the name
  std::vector<PlotSeries> series;
};

struct Plot {
  std::string title, source;
  std::vector<PlotPanel> panels;
};

/// Every x of a panel once, ascending.
std::vector<double> all_x(const PlotPanel& panel);
/// What a place on the x axis is called.
std::string x_name(const PlotPanel& panel, double x);
/// A number in five digits, or as many as are before the point, without needless zeros.
std::string short_number(double value);

/// An SVG document. A series has the same colour and marker in all panels; what was published is dashed, in the colour
/// of the series that was measured. It follows the reader's light or dark theme, its colours are told apart by
/// colour-blind readers, and the same plot is the same text on every host.
std::string to_svg(const Plot& plot);

/// A table: a line an x, a column a series and, where something was published, one for that beside it.
std::string to_table(const PlotPanel& panel);

}  // namespace bankshot::report

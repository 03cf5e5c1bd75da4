#include "bankshot/report/figure/plot.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bankshot/report/figure/plot_panel.hpp"
#include "bankshot/report/figure/svg.hpp"

namespace bankshot::report {
namespace {

constexpr double kMargin = 12, kLetter = 6.6, kLegendLine = 18, kSample = 26;
constexpr double kMostWidth = 1300;  // of panels side by side

bool has_published(const PlotPanel& panel) {
  for (const PlotSeries& series : panel.series) {
    for (const PlotPoint& p : series.points) {
      if (p.published) return true;
    }
  }
  return false;
}

/// Every label once, in the order in which they come.
std::vector<PlotStyle> styles_of(const Plot& plot) {
  std::vector<PlotStyle> styles;
  for (const PlotPanel& panel : plot.panels) {
    for (const PlotSeries& series : panel.series) {
      const auto same = [&](const PlotStyle& style) { return style.label == series.label; };
      if (std::none_of(styles.begin(), styles.end(), same)) styles.push_back({series.label, styles.size()});
    }
  }
  return styles;
}

/// Where the panels are: as many in a row as fit, in columns of one width.
struct Grid {
  size_t columns = 1;
  double cell = 0;
  std::vector<double> heights;  ///< by row

  explicit Grid(const std::vector<PlotPanel>& panels) {
    for (const PlotPanel& panel : panels) cell = std::max(cell, panel_width(panel));
    const auto fit = static_cast<size_t>(std::max(1.0, kMostWidth / std::max(cell, 1.0)));
    columns = std::min(fit, std::max<size_t>(1, panels.size()));
    if (panels.size() == 4 && fit == 3) columns = 2;
    for (size_t k = 0; k < panels.size(); ++k) {
      if (k % columns == 0) heights.push_back(0);
      heights.back() = std::max(heights.back(), panel_height(panels[k]));
    }
  }
  double width() const { return cell * static_cast<double>(columns); }
};

/// Entries side by side, each a sample of a line and its label, in as many lines as they take.
class Legend {
 public:
  Legend(double width, double y) : width_(width), y_(y) {}

  void add(const PlotStyle& style) {
    const double x = place(style.label);
    text_ += svg_group(style.index) + line(x, "") + svg_marker(style.index, x + 10, y_, false) + "\n</g>\n" +
             label(x, style.label);
  }
  void add_published() {
    const double x = place("published");
    text_ += "<g color=\"#777777\">\n" + line(x, " stroke-dasharray=\"5 3\"") + "\n</g>\n" + label(x, "published");
  }
  const std::string& text() const { return text_; }
  double bottom() const { return y_ + kLegendLine / 2; }

 private:
  double place(const std::string& label) {
    const double wide = kSample + kLetter * static_cast<double>(label.size()) + 14;
    if (x_ > kMargin && x_ + wide > width_) {
      x_ = kMargin;
      y_ += kLegendLine;
    }
    const double x = x_;
    x_ += wide;
    return x;
  }
  std::string line(double x, std::string_view more) const {
    return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"currentColor\" stroke-width=\"1.6\"{}/>",
                       svg_number(x), svg_number(y_), svg_number(x + 20), svg_number(y_), more);
  }
  std::string label(double x, const std::string& label) const { return svg_text(x + kSample, y_ + 4, label, ""); }

  double width_, y_, x_ = kMargin;
  std::string text_;
};

}  // namespace

std::vector<double> all_x(const PlotPanel& panel) {
  std::vector<double> all;
  for (const PlotSeries& series : panel.series) {
    for (const PlotPoint& p : series.points) all.push_back(p.x);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string x_name(const PlotPanel& panel, double x) {
  if (x < 0 || x >= static_cast<double>(panel.categories.size())) return short_number(x);
  return panel.categories[static_cast<size_t>(x)];
}

std::string short_number(double value) {
  if (std::abs(value) >= 99'999.5 && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.5g}", value == 0 ? 0.0 : value);
}

std::string to_svg(const Plot& plot) {
  const std::vector<PlotStyle> styles = styles_of(plot);
  const Grid grid(plot.panels);
  const double words = 7.4 * static_cast<double>(std::max(plot.title.size(), plot.source.size() * 6 / 7));
  const double width = std::max(grid.width(), words) + 2 * kMargin;
  Legend legend(width - kMargin, 60);
  for (const PlotStyle& style : styles) legend.add(style);
  if (std::any_of(plot.panels.begin(), plot.panels.end(), has_published)) legend.add_published();
  double y = legend.bottom() + 6;
  std::string panels;
  for (size_t k = 0; k < plot.panels.size(); ++k) {
    const double x = kMargin + grid.cell * static_cast<double>(k % grid.columns);
    panels += fmt::format("<g class=\"panel\" transform=\"translate({} {})\">\n", svg_number(x), svg_number(y)) +
              svg_panel(plot.panels[k], styles) + "</g>\n";
    if (k % grid.columns == grid.columns - 1 || k + 1 == plot.panels.size()) y += grid.heights[k / grid.columns];
  }
  const std::string size =
      fmt::format("width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\"", svg_number(width), svg_number(y + kMargin));
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" " + size +
         " font-family=\"sans-serif\" font-size=\"11\">\n<title>" + svg_escaped(plot.title) + "</title>\n" +
         svg_themes() + "<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
         svg_text(kMargin, 22, plot.title, "font-size=\"14\" font-weight=\"bold\"") +
         svg_text(kMargin, 40, plot.source, "") + legend.text() + panels + "</svg>\n";
}

}  // namespace bankshot::report

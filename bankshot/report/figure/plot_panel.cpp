#include "bankshot/report/figure/plot_panel.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bankshot/report/figure/plot_axis.hpp"
#include "bankshot/report/figure/svg.hpp"

namespace bankshot::report {
namespace {

constexpr double kLeft = 58, kRight = 14, kTop = 26, kBottom = 44, kHeight = 210, kLeastWidth = 330;
constexpr double kTickLetter = 6;  // width of a letter of the ticks, at most
constexpr double kLeastBar = 5;
constexpr unsigned kTicks = 6;

bool is_bars(const PlotPanel& panel) { return panel.kind != PlotKind::lines; }

double inner_width(const PlotPanel& panel) {
  if (!is_bars(panel)) return kLeastWidth;
  const size_t bars = panel.kind == PlotKind::bars ? panel.series.size() + 1 : 2;
  return std::max(kLeastWidth, kLeastBar * static_cast<double>(bars * all_x(panel).size()));
}

/// The longest name of an x, in pixels.
double longest_name(const PlotPanel& panel) {
  size_t letters = 0;
  for (const double x : all_x(panel)) letters = std::max(letters, x_name(panel, x).size());
  return kTickLetter * static_cast<double>(letters);
}

/// Whether the names of bars must stand on end.
bool steep(const PlotPanel& panel) {
  return is_bars(panel) &&
         longest_name(panel) > inner_width(panel) / static_cast<double>(std::max<size_t>(1, all_x(panel).size()));
}

class Drawing {
 public:
  Drawing(const PlotPanel& panel, const std::vector<PlotStyle>& styles)
      : panel_(panel), styles_(styles), xs_(all_x(panel)), width_(inner_width(panel)), y_(y_axis(panel)) {
    if (is_bars(panel) || xs_.empty()) return;
    const double least = xs_.front(), most = xs_.back();
    x_ = panel.log2_x && least > 0 ? log2_axis(least, most, 12) : tight_axis(least, most, 8);
  }

  std::string all() {
    frame();
    for (const PlotSeries& series : panel_.series) {
      out_ += svg_group(style_of(series.label));
      is_bars(panel_) ? bars(series) : lines(series);
      out_ += "</g>\n";
    }
    return std::move(out_);
  }

 private:
  static Axis y_axis(const PlotPanel& panel) {
    double least = 0, most = 0;
    for (const PlotSeries& series : panel.series) {
      for (const PlotPoint& p : series.points) {
        for (const std::optional<double>& value : {p.y, p.published}) {
          least = std::min(least, value.value_or(0));
          most = std::max(most, value.value_or(0));
        }
      }
    }
    if (panel.kind == PlotKind::stacked) {
      for (const double x : all_x(panel)) {
        double sum = 0;
        for (const PlotSeries& series : panel.series) {
          for (const PlotPoint& p : series.points) sum += p.x == x ? p.y.value_or(0) : 0;
        }
        most = std::max(most, sum);
      }
    }
    return linear_axis(least, most, kTicks);
  }

  size_t style_of(const std::string& label) const {
    for (const PlotStyle& style : styles_) {
      if (style.label == label) return style.index;
    }
    return 0;
  }

  double across(double x) const { return kLeft + width_ * x_.at(x); }
  double up(double y) const { return kTop + kHeight * (1 - y_.at(y)); }
  size_t slot_of(double x) const {
    return static_cast<size_t>(std::lower_bound(xs_.begin(), xs_.end(), x) - xs_.begin());
  }
  double slot_width() const { return width_ / static_cast<double>(xs_.size()); }

  void line(std::string_view kind, double x1, double y1, double x2, double y2) {
    out_ += fmt::format("<line class=\"{}\" stroke=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", kind,
                        kind == "grid" ? "#dddddd" : "#777777", svg_number(x1), svg_number(y1), svg_number(x2),
                        svg_number(y2));
  }

  void frame() {
    out_ += svg_text(kLeft, 16, panel_.title, "font-weight=\"bold\"");
    for (const double tick : y_.ticks) {
      line(tick == 0 ? "axis" : "grid", kLeft, up(tick), kLeft + width_, up(tick));
      out_ += svg_text(kLeft - 6, up(tick) + 4, short_number(tick), "text-anchor=\"end\"");
    }
    line("axis", kLeft, kTop, kLeft, kTop + kHeight);
    is_bars(panel_) ? slots() : x_ticks();
    out_ += svg_text(kLeft + width_ / 2, panel_height(panel_) - 8, panel_.x_title, "text-anchor=\"middle\"");
    const double middle = kTop + kHeight / 2;
    out_ += svg_text(14, middle, panel_.y_title,
                     fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 14 {})\"", svg_number(middle)));
  }

  void x_ticks() {
    for (const double tick : x_.ticks) {
      line("axis", across(tick), kTop + kHeight, across(tick), kTop + kHeight + 4);
      out_ += svg_text(across(tick), kTop + kHeight + 16, short_number(tick), "text-anchor=\"middle\"");
    }
  }

  void slots() {
    for (size_t k = 0; k < xs_.size(); ++k) {
      const double x = kLeft + slot_width() * (static_cast<double>(k) + 0.5),
                   y = kTop + kHeight + (steep(panel_) ? 10 : 16);
      const std::string turned =
          fmt::format("text-anchor=\"end\" transform=\"rotate(-60 {} {})\"", svg_number(x), svg_number(y));
      out_ += svg_text(x, y, x_name(panel_, xs_[k]), steep(panel_) ? turned : "text-anchor=\"middle\"");
    }
  }

  /// The tooltip of a point.
  std::string told(const PlotSeries& series, const PlotPoint& p) const {
    std::string text = series.label + ", " + panel_.x_title + " " + x_name(panel_, p.x) + ":";
    if (p.y) text += " " + short_number(*p.y);
    if (p.published) text += (p.y ? ", published " : " published ") + short_number(*p.published);
    return "<title>" + svg_escaped(text) + "</title>";
  }

  void lines(const PlotSeries& series) {
    path(series, false);
    path(series, true);
    const size_t style = style_of(series.label);
    for (const PlotPoint& p : series.points) {
      out_ += "<g>" + told(series, p);
      if (p.published) out_ += svg_marker(style, across(p.x), up(*p.published), true);
      if (p.y) out_ += svg_marker(style, across(p.x), up(*p.y), false);
      out_ += "</g>\n";
    }
  }

  /// The line through the measured or the published points.
  void path(const PlotSeries& series, bool published) {
    std::string points;
    size_t count = 0;
    for (const PlotPoint& p : series.points) {
      const std::optional<double>& value = published ? p.published : p.y;
      if (!value) continue;
      points += (count++ == 0 ? "" : " ") + svg_number(across(p.x)) + "," + svg_number(up(*value));
    }
    if (count < 2) return;
    out_ += fmt::format("<polyline fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.6\"{} points=\"{}\"/>\n",
                        published ? " class=\"published\" stroke-dasharray=\"5 3\"" : "", points);
  }

  void bars(const PlotSeries& series) {
    const bool stacked = panel_.kind == PlotKind::stacked;
    const auto index = static_cast<double>(&series - panel_.series.data());
    const double bar = slot_width() * 0.8 / (stacked ? 1 : static_cast<double>(panel_.series.size()));
    stack_.resize(xs_.size());
    for (const PlotPoint& p : series.points) {
      double& below = stack_[slot_of(p.x)];
      const double left =
          kLeft + slot_width() * (static_cast<double>(slot_of(p.x)) + 0.1) + (stacked ? 0 : bar * index);
      const double foot = stacked ? below : 0;
      out_ += "<g>" + told(series, p);
      if (p.y) out_ += rectangle(left, bar, foot, foot + *p.y, "fill=\"currentColor\"");
      if (p.published) {
        out_ += rectangle(left, bar, foot, foot + *p.published,
                          "class=\"published ink\" fill=\"none\" stroke=\"#222222\" stroke-dasharray=\"5 3\"");
      }
      out_ += "</g>\n";
      if (stacked) below += p.y.value_or(0);
    }
  }

  std::string rectangle(double left, double width, double from, double to, std::string_view more) const {
    const double top = std::min(up(from), up(to)), height = std::abs(up(from) - up(to));
    return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>", svg_number(left), svg_number(top),
                       svg_number(width), svg_number(height), more);
  }

  const PlotPanel& panel_;
  const std::vector<PlotStyle>& styles_;
  std::vector<double> xs_;
  double width_;
  Axis x_, y_;
  std::vector<double> stack_;  ///< by slot: the height reached
  std::string out_;
};

}  // namespace

double panel_width(const PlotPanel& panel) { return kLeft + inner_width(panel) + kRight; }

double panel_height(const PlotPanel& panel) {
  return kTop + kHeight + kBottom + (steep(panel) ? 0.87 * longest_name(panel) - 8 : 0);
}

std::string svg_panel(const PlotPanel& panel, const std::vector<PlotStyle>& styles) {
  return Drawing(panel, styles).all();
}

}  // namespace bankshot::report

// One panel of a figure as SVG.
#pragma once

#include <string>
#include <vector>

#include "bankshot/report/figure/plot.hpp"

namespace bankshot::report {

/// How a series looks; the same in all panels.
struct PlotStyle {
  std::string label;
  size_t index = 0;  ///< of its colour and marker in svg.hpp
};

double panel_width(const PlotPanel& panel);
double panel_height(const PlotPanel& panel);
/// The panel with its upper left corner at 0, 0.
std::string svg_panel(const PlotPanel& panel, const std::vector<PlotStyle>& styles);

}  // namespace bankshot::report

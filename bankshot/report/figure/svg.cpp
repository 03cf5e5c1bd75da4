#include "bankshot/report/figure/svg.hpp"

#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

namespace bankshot::report {
namespace {

// Okabe and Ito's colours, their yellow left out, which is too light on white, and Tol's wine; brighter on black.
constexpr std::string_view kLight[kColours] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                               "#E69F00", "#56B4E9", "#555555", "#882255"};
constexpr std::string_view kDark[kColours] = {"#4FA3DD", "#FF8440", "#2DC79A", "#E29CC4",
                                              "#F5B83D", "#9AD4F5", "#C8C8C8", "#D4709B"};

}  // namespace

std::string svg_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string svg_number(double value) {
  const double rounded = std::round(value * 10) / 10;
  return fmt::format("{:.1f}", rounded == 0 ? 0.0 : rounded);  // no minus before zero
}

std::string svg_text(double x, double y, std::string_view text, std::string_view more) {
  return fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#222222\"{}{}>{}</text>\n", svg_number(x), svg_number(y),
                     more.empty() ? "" : " ", more, svg_escaped(text));
}

std::string svg_marker(size_t style, double x, double y, bool hollow) {
  constexpr double r = 3.2;
  const std::string paint =
      hollow ? " class=\"published\" fill=\"none\" stroke=\"currentColor\"" : " fill=\"currentColor\"";
  const auto polygon = [&](std::initializer_list<std::pair<double, double>> corners) {
    std::string points;
    for (const auto& [dx, dy] : corners)
      points += (points.empty() ? "" : " ") + svg_number(x + dx * r) + "," + svg_number(y + dy * r);
    return "<polygon points=\"" + points + "\"" + paint + "/>";
  };
  switch (style % 5) {
    case 0:
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>", svg_number(x), svg_number(y), svg_number(r),
                         paint);
    case 1: return polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
    case 2: return polygon({{0, -1.3}, {1.1, 0.8}, {-1.1, 0.8}});
    case 3: return polygon({{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}});
    default: return polygon({{0, 1.3}, {1.1, -0.8}, {-1.1, -0.8}});
  }
}

std::string svg_group(size_t style) {
  return fmt::format("<g class=\"s{0}\" color=\"{1}\">\n", style % kColours, kLight[style % kColours]);
}

std::string svg_themes() {
  std::string text =
      "<style>\n@media (prefers-color-scheme: dark) {\n.paper { fill: #16181c; } text { fill: #dddddd; } .ink { "
      "stroke: #dddddd; } .grid { "
      "stroke: #3a3d42; } .axis { stroke: #aaaaaa; }\n";
  for (size_t k = 0; k < kColours; ++k)
    text += fmt::format(".s{} {{ color: {}; }}{}", k, kDark[k], k + 1 == kColours ? "\n" : " ");
  return text + "}\n</style>\n";
}

}  // namespace bankshot::report

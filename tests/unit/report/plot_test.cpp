// Figures as SVG and as tables: what is in them, on places worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bankshot/report/figure/plot.hpp"
#include "bankshot/report/figure/plot_axis.hpp"
#include "bankshot/report/figure/svg.hpp"

namespace bankshot::report {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

/// Whether every element that is opened is closed in order.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty();
}

/// Two series over 1, 2 and 4; the first has a published value at 2 and 4.
Plot two_lines() {
  PlotPanel panel{"stride 256", "conflicts", "cycles", PlotKind::lines, true, {}, {}};
  panel.series.push_back({"baseline", {{1, 120}, {2, 180, 160}, {4, 320, 300}}});
  panel.series.push_back({"XOR", {{1, 120}, {2, 180}, {4, 180}}});
  return {"Latency", "a paper", {panel}};
}

TEST(PlotAxis, has_ticks_at_round_numbers_from_zero_on) {
  const Axis axis = linear_axis(118, 6160, 6);  // 6160 / 6 = 1027: the next of 1, 2, 5 is 2000
  EXPECT_EQ(axis.ticks, (std::vector<double>{0, 2000, 4000, 6000, 8000}));
  EXPECT_EQ(axis.at(0), 0);
  EXPECT_EQ(axis.at(2000), 0.25);
  EXPECT_EQ(axis.at(8000), 1);
  EXPECT_DOUBLE_EQ(linear_axis(-0.3, 0.2, 5).ticks.front(), -0.3);
  EXPECT_EQ(linear_axis(-3, -1, 4).ticks, (std::vector<double>{-3, -2, -1, 0}));
  EXPECT_EQ(linear_axis(0, 0, 5).high, 1) << "of nothing but zeros";
  EXPECT_EQ(linear_axis(0, 1, 5).ticks.size(), 6u);
}

TEST(PlotAxis, ends_where_the_values_end_across) {
  const Axis axis = tight_axis(1, 32, 8);  // 31 / 8: steps of 5
  EXPECT_EQ(axis.ticks, (std::vector<double>{5, 10, 15, 20, 25, 30}));
  EXPECT_EQ(axis.at(1), 0);
  EXPECT_EQ(axis.at(32), 1);
  EXPECT_EQ(tight_axis(7, 7, 8).at(7), 0.5);
}

TEST(PlotAxis, of_powers_of_two_has_them_evenly_spaced) {
  const Axis axis = log2_axis(1, 256, 12);
  EXPECT_EQ(axis.ticks, (std::vector<double>{1, 2, 4, 8, 16, 32, 64, 128, 256}));
  EXPECT_EQ(axis.at(16), 0.5);
  EXPECT_EQ(log2_axis(1, 256, 4).ticks, (std::vector<double>{1, 8, 64}));
  EXPECT_EQ(log2_axis(3, 24, 12).ticks, (std::vector<double>{4, 8, 16}));
}

TEST(Plot, lines_have_a_marker_a_point_and_what_was_published_is_dashed) {
  const std::string svg = to_svg(two_lines());
  EXPECT_TRUE(well_formed(svg));
  EXPECT_EQ(count(svg, "<polyline"), 3u);
  EXPECT_EQ(count(svg, "<polyline fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.6\" class=\"published\""), 1u);
  EXPECT_EQ(count(svg, "<circle"), 3u + 2 + 1) << "measured, published, legend";
  EXPECT_EQ(count(svg, "<polygon"), 3u + 1);
  EXPECT_EQ(count(svg, ">published</text>"), 1u);
  EXPECT_EQ(count(svg, ">baseline</text>"), 1u);
  EXPECT_NE(svg.find("<title>baseline, conflicts 4: 320, published 300</title>"), std::string::npos);
}

TEST(Plot, points_stand_where_their_values_are) {
  // 58 to 388 across for 1 to 4 in powers of two; 236 up to 26 for 0 to 400.
  EXPECT_NE(to_svg(two_lines()).find("points=\"58.0,173.0 223.0,141.5 388.0,68.0\""), std::string::npos);
  PlotPanel linear = two_lines().panels[0];
  linear.log2_x = false;
  EXPECT_NE(to_svg({"", "", {linear}}).find("points=\"58.0,173.0 168.0,141.5 388.0,68.0\""), std::string::npos);
}

TEST(Plot, a_series_looks_the_same_in_all_panels_and_is_once_in_the_legend) {
  Plot plot = two_lines();
  plot.panels.push_back(plot.panels[0]);
  plot.panels[1].series.erase(plot.panels[1].series.begin());
  const std::string svg = to_svg(plot);
  EXPECT_EQ(count(svg, ">XOR</text>"), 1u);
  EXPECT_EQ(count(svg, "<g class=\"s1\" color=\"#D55E00\">"), 3u) << "legend and both panels";
  EXPECT_EQ(count(svg, "<g class=\"panel\""), 2u);
}

TEST(Plot, bars_stand_side_by_side_or_on_each_other) {
  PlotPanel panel{"t", "words", "cycles", PlotKind::bars, false, {}, {}};
  panel.series.push_back({"locks", {{32, 300}, {64, 200}}});
  panel.series.push_back({"banks", {{32, 100}, {64, 200, 150}}});
  const std::string side = to_svg({"", "", {panel}});
  EXPECT_TRUE(well_formed(side));
  // Two slots of 165: bars of 0.8 * 165 / 2 = 66 from 16.5 on; 0 to 300 in 210 pixels, which end at 236.
  EXPECT_NE(side.find("<rect x=\"74.5\" y=\"26.0\" width=\"66.0\" height=\"210.0\""), std::string::npos);
  EXPECT_NE(side.find("<rect x=\"140.5\" y=\"166.0\" width=\"66.0\" height=\"70.0\""), std::string::npos);
  EXPECT_EQ(count(side, "class=\"published ink\""), 1u);
  panel.kind = PlotKind::stacked;
  // 0 to 400: the second 100 lie on the first 300.
  const std::string stacked = to_svg({"", "", {panel}});
  EXPECT_NE(stacked.find("<rect x=\"74.5\" y=\"78.5\" width=\"132.0\" height=\"157.5\""), std::string::npos);
  EXPECT_NE(stacked.find("<rect x=\"74.5\" y=\"26.0\" width=\"132.0\" height=\"52.5\""), std::string::npos);
}

TEST(Plot, long_names_of_bars_stand_on_end_below_the_zero_line) {
  PlotPanel panel{"t", "", "times", PlotKind::bars, false, {"matrix scan", "back propagation"}, {}};
  panel.series.push_back({"a", {{0, 1}, {1, -1}}});
  EXPECT_EQ(count(to_svg({"", "", {panel}}), "rotate(-60"), 0u);
  panel.categories[0] = "a name that is longer than half of the panel";
  const std::string svg = to_svg({"", "", {panel}});
  EXPECT_EQ(count(svg, "rotate(-60"), 2u);
  EXPECT_NE(svg.find(">back propagation</text>"), std::string::npos);
}

TEST(Plot, what_xml_takes_for_markup_is_text) {
  Plot plot = two_lines();
  plot.title = "a < b & \"c\"";
  const std::string svg = to_svg(plot);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_NE(svg.find("<title>a &lt; b &amp; &quot;c&quot;</title>"), std::string::npos);
}

TEST(Plot, numbers_are_short_and_zero_has_no_sign) {
  EXPECT_EQ(svg_number(-0.04), "0.0");
  EXPECT_EQ(svg_number(2.25), "2.3");
  EXPECT_EQ(short_number(-0.0), "0");
  EXPECT_EQ(short_number(1.0 / 3), "0.33333");
  EXPECT_EQ(short_number(12345), "12345");
  EXPECT_EQ(short_number(746544), "746544");
  EXPECT_EQ(short_number(-99999.7), "-100000");
}

TEST(Plot, nothing_to_draw_is_a_document_all_the_same) {
  EXPECT_TRUE(well_formed(to_svg({"t", "s", {}})));
  for (const PlotKind kind : {PlotKind::lines, PlotKind::bars, PlotKind::stacked}) {
    EXPECT_TRUE(well_formed(to_svg({"t", "s", {{"p", "x", "y", kind, true, {}, {{"empty", {}}}}}})));
  }
}

TEST(Plot, tables_have_a_column_for_published_values_only_where_there_are_some) {
  EXPECT_EQ(to_table(two_lines().panels[0]),
            "  stride 256: cycles\n"
            "  conflicts  baseline  published  XOR\n"
            "          1       120          -  120\n"
            "          2       180        160  180\n"
            "          4       320        300  180\n");
}

}  // namespace
}  // namespace bankshot::report

#include "bankshot/accuracy/unit.hpp"

#include <algorithm>
#include <array>

namespace bankshot::accuracy {
namespace {

constexpr std::array kUnits = {
    Unit{"cycles", Dimension::cycles},
    Unit{"cycle", Dimension::cycles},
    Unit{"cycles/op", Dimension::cycles},
    Unit{"cycles/iter", Dimension::cycles},
    Unit{"cycles/warp instr", Dimension::cycles},
    Unit{"cycles/warp inst", Dimension::cycles},
    Unit{"ns", Dimension::time},
    Unit{"us", Dimension::time, 1e3},
    Unit{"ms", Dimension::time, 1e6},
    Unit{"byte/clk", Dimension::per_cycle},
    Unit{"byte/clk/SM", Dimension::per_cycle},
    Unit{"B/clk/SM", Dimension::per_cycle},
    Unit{"warpinst/SM/clk", Dimension::per_cycle},
    Unit{"warp inst/cycle/sub-core", Dimension::per_cycle},
    Unit{"instr/clk/SM", Dimension::per_cycle},
    Unit{"flop/clk/SM", Dimension::per_cycle},
    Unit{"FMA/clk/SM", Dimension::per_cycle},
    Unit{"op/clk/SM", Dimension::per_cycle},
    Unit{"atoms/cycle/SM", Dimension::per_cycle},
    Unit{"GB/s", Dimension::per_time},
    Unit{"TB/s", Dimension::per_time, 1e3},
    Unit{"ratio", Dimension::ratio},
};

}  // namespace

std::optional<Unit> find_unit(std::string_view name) {
  const auto found = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == kUnits.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string_view> unit_names() {
  std::vector<std::string_view> names;
  for (const Unit& unit : kUnits) names.push_back(unit.name);
  return names;
}

std::optional<double> in_unit(const Reading& reading, const Unit& unit, double ghz) {
  double value = reading.value / unit.factor;
  if (reading.dimension == unit.dimension) return value;
  const auto from_to = [&](Dimension from, Dimension to) { return reading.dimension == from && unit.dimension == to; };
  if (from_to(Dimension::cycles, Dimension::time)) return value / ghz;
  if (from_to(Dimension::time, Dimension::cycles)) return value * ghz;
  if (from_to(Dimension::per_cycle, Dimension::per_time)) return value * ghz;
  if (from_to(Dimension::per_time, Dimension::per_cycle)) return value / ghz;
  return std::nullopt;
}

}  // namespace bankshot::accuracy

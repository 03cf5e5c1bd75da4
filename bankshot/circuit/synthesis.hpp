// What a bank hash costs in standard cells: area, delay and power by Debian's yosys, abc and OpenSTA, with the cells of
// 180 nm that qflow brings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/circuit/design.hpp"

namespace bankshot::circuit {

/// How error messages end after Ctrl-C.
inline constexpr std::string_view kInterrupted = "interrupted";

/// Programs and the cell library; paths.
struct Tools {
  std::string yosys, sta, liberty;
};
/// The error says which packages are missing.
Result<Tools> find_tools();

/// The gate that areas are counted in, and the unit of delays.
struct Units {
  double nand2_um2 = 0;  ///< area of a NAND gate of two inputs
  double fo4_ns = 0;     ///< delay of an inverter that drives four of the same size, mean of both edges
};

/// The logic of a design as one of several recipes of synthesis makes it. Wires are not counted.
struct Logic {
  std::string recipe;  ///< "area", "sized", "fast", "flow"
  double area_um2 = 0;
  double delay_ns = 0;  ///< from the address to the slowest bank bit, of which each drives four inverters
  double leakage_w = 0;
  std::vector<double> energy_j;  ///< of a cycle, by activity
};

/// The configuration register, which never changes while a kernel runs.
struct Register {
  unsigned bits = 0;
  double area_um2 = 0;
  double energy_j = 0;  ///< of a cycle: that of its clock
  double leakage_w = 0;
};

struct Synthesis {
  std::vector<Logic> logic;  ///< of all recipes
  Register setting;
};

/// Changes of an address bit in a cycle; power is computed for each of them.
using Activities = std::vector<double>;

Result<Units> measure_units(const Tools& tools);
Result<Synthesis> synthesise(const Tools& tools, const Design& design, const Activities& activities);

/// The smallest logic that is ready within a time; if none is, the fastest.
const Logic& smallest_within(const Synthesis& synthesis, double ns);

}  // namespace bankshot::circuit

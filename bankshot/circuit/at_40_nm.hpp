// A synthesised design at a clock of a process of 40 nm.
#pragma once

#include <vector>

#include "bankshot/circuit/synthesis.hpp"

namespace bankshot::circuit {

/// The smallest logic that is ready within a cycle, with the register of the design, scaled (scaling.hpp). Leakage is
/// left out.
struct At40Nm {
  const Logic* logic = nullptr;  ///< of the synthesis
  bool met = false;              ///< false: it is the fastest, and is not ready
  double delay_ps = 0;           ///< of the logic
  double area_um2 = 0;           ///< logic and register
  std::vector<double> power_w;   ///< of both, by activity
};
At40Nm at_40_nm(const Synthesis& synthesis, double ghz);

}  // namespace bankshot::circuit

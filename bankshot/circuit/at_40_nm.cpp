#include "bankshot/circuit/at_40_nm.hpp"

#include "bankshot/circuit/scaling.hpp"

namespace bankshot::circuit {

At40Nm at_40_nm(const Synthesis& synthesis, double ghz) {
  const Scaling scaling = to_40_nm();
  const double cycle_ns = 1 / ghz / scaling.delay;  // at 180 nm
  const Logic& logic = smallest_within(synthesis, cycle_ns);
  At40Nm at{&logic,
            logic.delay_ns <= cycle_ns,
            logic.delay_ns * 1e3 * scaling.delay,
            (logic.area_um2 + synthesis.setting.area_um2) * scaling.area,
            {}};
  for (const double energy : logic.energy_j)
    at.power_w.push_back((energy + synthesis.setting.energy_j) * scaling.energy * ghz * 1e9);
  return at;
}

}  // namespace bankshot::circuit

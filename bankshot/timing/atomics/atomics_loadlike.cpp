// Atomics that cost what a load of the same addresses costs: what GPGPU-Sim charges. Source: the ICCD'13 paper on
// atomics, section III and its figure 5 (the original simulator).
#include "bankshot/timing/atomics/atomics_unit.hpp"

namespace bankshot::timing {
namespace {

class LoadLike final : public AtomicsUnit {
 public:
  Charge charge(const AtomicAccess& access, Banks&) override {
    return {access.cost.wavefronts - access.cost.position, false};
  }
};

const AtomicsRegistry loadlike({"loadlike",
                                "an atomic costs as much as a load of the same addresses (the original GPGPU-Sim)",
                                [](const Config&) { return std::make_unique<LoadLike>(); }});

}  // namespace
}  // namespace bankshot::timing

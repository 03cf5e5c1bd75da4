// Native atomics at the banks (Maxwell and later): a bank serves one lane a pass, so lanes on one word take turns.
// Evidence: C, see docs/wavefronts.md.
#include "bankshot/timing/atomics_unit.hpp"

namespace bankshot::timing {
namespace {

class Native final : public AtomicsUnit {
 public:
  Charge charge(const AtomicAccess& access) override { return {access.cost.wavefronts, 0}; }
};

const AtomicsRegistry native({"native", "atomics at the banks: lanes on one word take turns (Maxwell and later)",
                              [](const Config&) { return std::make_unique<Native>(); }});

}  // namespace
}  // namespace bankshot::timing

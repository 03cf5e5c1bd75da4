// Native atomics at the banks (Maxwell and later): a bank serves one lane a pass, so lanes on one word take turns. What
// has no machine instruction is a loop around a compare-and-swap. Evidence: C, see docs/wavefronts.md; which operations
// are loops and which increments are combined is in machine code that ptxas 13 makes for sm_75 to sm_100.
#include <bit>

#include "bankshot/timing/atomics/atomics_loop.hpp"
#include "bankshot/timing/atomics/atomics_native.hpp"

namespace bankshot::timing {
namespace {

class Native final : public AtomicsLoop {
 public:
  explicit Native(const Config& config)
      // A load, the arithmetic, a compare-and-swap, and the branch that depends on what it returned.
      : AtomicsLoop(config, {config.scratchpad.latency - 1, 1, config.scratchpad.latency - 1, 1,
                             config.units[static_cast<unsigned>(UnitClass::alu)].latency + config.issue.branch_cycles}),
        combines_increments_(config.parameters[kCombinesIncrements] != 0) {}

  Charge charge(const AtomicAccess& access, Banks& banks) override {
    switch (access.form) {
      case AtomicForm::loop: begin(access, banks); return {0, true};
      case AtomicForm::increment:
        // The lanes on a word are counted, and the count is added.
        if (combines_increments_) return {access.cost.wavefronts - access.cost.position, false};
        [[fallthrough]];
      default: return {access.cost.wavefronts, false};
    }
  }

 private:
  static size_t word(const Flight& flight, unsigned lane) { return (flight.base + flight.addresses[lane]) / 4; }

  uint64_t claim(Flight& flight) override { return flight.pending; }
  unsigned write_passes(const Flight& flight) const override {
    return scratchpad::cost(*flight.rules, scratchpad::AccessKind::atomic, flight.width, flight.addresses.data(),
                            flight.writers)
        .wavefronts;
  }
  /// Those succeed whose words nobody has written since they were read; of several on a word the first in lane order.
  uint64_t write(Flight& flight, Cycle at) override {
    uint64_t done = 0;
    for (uint64_t rest = flight.writers; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const size_t at_word = word(flight, lane);
      if (at_word >= written_.size()) written_.resize(std::bit_ceil(at_word + 1), 0);
      if (written_[at_word] > flight.read_at) continue;
      written_[at_word] = at + 1;
      done |= uint64_t{1} << lane;
    }
    return done;
  }

  const bool combines_increments_;
  std::vector<Cycle> written_;  ///< by word of the SM: one more than when it was last written in such a loop; 0: never
};

const AtomicsRegistry native({"native",
                              "atomics at the banks: lanes on one word take turns (Maxwell and later)",
                              [](const Config& config) { return std::make_unique<Native>(config); },
                              {&kCombinesIncrements}});

}  // namespace
}  // namespace bankshot::timing

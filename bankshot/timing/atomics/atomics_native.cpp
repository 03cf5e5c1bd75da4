// Native atomics at the banks (Maxwell and later): a bank serves one lane a pass, so lanes on one word take turns. What
// has no machine instruction is a loop around a compare-and-swap, of which each round serves one lane of each bank: as
// an H200 counts (hardware/h200_wavefronts.tsv). Which operations are loops is in machine code that ptxas 13 makes for
// sm_75 to sm_100.
#include <bit>
#include <bitset>

#include "bankshot/timing/atomics/atomics_loop.hpp"

namespace bankshot::timing {
namespace {

using scratchpad::AccessKind;

class Native final : public AtomicsLoop {
 public:
  explicit Native(const Config& config)
      // A load, the arithmetic, a compare-and-swap, and the branch that depends on what it returned.
      : AtomicsLoop(config,
                    {config.scratchpad.latency - 1, 1, config.scratchpad.latency - 1, 1,
                     config.units[static_cast<unsigned>(UnitClass::alu)].latency + config.issue.branch_cycles}) {}

  Charge charge(const AtomicAccess& access, Banks& banks) override {
    if (access.form != AtomicForm::loop) return {access.cost.wavefronts, false};
    begin(access, access.cost.ideal * access.rules->cas_passes, banks);
    return {0, true};
  }

 private:
  static size_t word(const Flight& flight, unsigned lane) { return (flight.base + flight.addresses[lane]) / 4; }

  uint64_t claim(Flight& flight) override { return flight.pending; }
  static uint32_t bank(const Flight& flight, unsigned lane) {
    return flight.rules->bank(flight.addresses[lane] / flight.rules->bank_bytes);
  }
  /// A round's compare-and-swap tries one lane of each bank, so it takes what one without conflicts does.
  unsigned write_passes(const Flight& flight) const override {
    return scratchpad::cost(*flight.rules, AccessKind::cas, flight.width, flight.addresses.data(), flight.writers)
        .ideal;
  }
  /// Of the lanes of a phase on one bank the first in lane order is tried. It succeeds if no lane has written its word
  /// since it was read.
  uint64_t write(Flight& flight, Cycle at) override {
    uint64_t done = 0;
    const scratchpad::LaneMask writers(flight.writers);
    scratchpad::phases_of(*flight.rules, AccessKind::cas, flight.width, flight.addresses.data(), writers)
        .for_each(writers, [&](scratchpad::LaneMask, scratchpad::LaneMask own) {
          std::bitset<scratchpad::kMaxBanks> tried;
          for (const unsigned lane : own) {
            if (tried.test(bank(flight, lane))) continue;
            tried.set(bank(flight, lane));
            const size_t at_word = word(flight, lane);
            if (at_word >= written_.size()) written_.resize(std::bit_ceil(at_word + 1), 0);
            if (written_[at_word] > flight.read_at) continue;
            written_[at_word] = at + 1;
            done |= uint64_t{1} << lane;
          }
        });
    return done;
  }

  std::vector<Cycle> written_;  ///< by word of the SM: one more than when it was last written in such a loop; 0: never
};

const AtomicsRegistry native({"native",
                              "atomics at the banks: lanes on the same word take turns (Maxwell and later)",
                              [](const Config& config) { return std::make_unique<Native>(config); },
                              {}});

}  // namespace
}  // namespace bankshot::timing

// Atomics in a loop over locks (Fermi): a read that tries to lock, the update, a write that unlocks, a branch back for
// those that got no lock. Warps of an SM compete for its locks. Source: ICCD'13, sections II and III; TPDS'13,
// section 2.1.3, for the lane that wins a lock.
#include "bankshot/scratchpad/atomics/lock_unit.hpp"
#include "bankshot/timing/atomics/atomics_loop.hpp"
#include "bankshot/timing/atomics/locks.hpp"

namespace bankshot::timing {
namespace {

class Lock final : public AtomicsLoop {
 public:
  explicit Lock(const Config& config)
      : AtomicsLoop(config, {0, locks_of(config).read, 0, locks_of(config).write, locks_of(config).branch}),
        update_(locks_of(config).update),
        locks_(config.lock_hash) {}

  Charge charge(const AtomicAccess& access, Banks& banks) override {
    AtomicAccess mine = access;
    mine.update = update_;
    begin(mine, mine.cost.ideal, banks);
    return {0, true};
  }
  void clear() override {
    AtomicsLoop::clear();
    held_.reset();
  }

 private:
  uint64_t claim(Flight& flight) override {
    return scratchpad::acquire(locks_, flight.addresses.data(), flight.pending, held_, flight.base);
  }
  unsigned write_passes(const Flight& flight) const override {
    return scratchpad::write_level(*flight.rules, flight.width, flight.addresses.data(), flight.writers);
  }
  uint64_t write(Flight& flight, Cycle) override { return flight.writers; }
  void let_go(Flight& flight) override {
    scratchpad::release(locks_, flight.addresses.data(), flight.writers, held_, flight.base);
  }

  const unsigned update_;  ///< cycles of the addition
  const scratchpad::LockTable locks_;
  scratchpad::Locks held_;
};

std::vector<const Parameter*> parameters() {
  std::vector<const Parameter*> all;
  for (const Parameter& parameter : kLockParameters) all.push_back(&parameter);
  return all;
}

const AtomicsRegistry lock({"lock",
                            "a loop of read-and-lock, update, write-and-unlock for the lanes that got a lock (Fermi)",
                            [](const Config& config) { return std::make_unique<Lock>(config); }, parameters(),
                            [](const Config& config) -> std::string_view {
                              if (locks_of(config).bits != 0) return {};
                              return "the unit \"lock\" needs a section [scratchpad.locks]";
                            }});

}  // namespace
}  // namespace bankshot::timing

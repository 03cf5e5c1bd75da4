// Atomics that machine code makes of a loop: read, compute, write, and again for the lanes that were not the first.
// Each access in flight is a finite-state machine. Source: ICCD'13, section III.
#pragma once

#include <array>
#include <tuple>
#include <vector>

#include "bankshot/timing/atomics/atomics_unit.hpp"

namespace bankshot::timing {

class AtomicsLoop : public AtomicsUnit {
 public:
  Cycle next_event() const override { return events_.empty() ? kNever : events_.front().at; }
  void advance(Cycle now, Banks& banks) override;
  void clear() override;

 protected:
  /// Cycles of the states, each counted from when the banks begin to serve it.
  struct Times {
    unsigned read = 0, read_level = 0;  ///< of a read, and more for each bank conflict level
    unsigned write = 0, write_level = 0;
    unsigned branch = 0;  ///< back to the next round; also out of the last one
  };
  /// An access in flight.
  struct Flight {
    enum class State : uint8_t { read, claim, write, let_go };
    State state = State::read;  ///< what it does next
    Cycle at = 0;               ///< … and when
    /// When it came to the banks, for the read or for the write. They serve whoever came first: a warp that had to come
    /// again and again behind those that poll its locks would hold these for ever.
    Cycle since = 0;
    uint64_t sequence = 0;
    uint32_t instr = 0;
    unsigned slot = 0, width = 4, update = 0;
    const scratchpad::Rules* rules = nullptr;  ///< of its instruction
    uint64_t pending = 0;                      ///< lanes that have not updated their words
    uint64_t writers = 0;                      ///< … of this round
    /// Passes that an access without conflicts needs, until these are charged: later rounds are due to conflicts.
    unsigned ideal_read = 0, ideal_write = 0;
    Cycle read_at = 0;  ///< the banks began to serve the round's read
    Cycle round_ends = 0;
    std::array<uint32_t, scratchpad::kMaxLanes> addresses;  ///< bytes in its CTA's shared memory
    uint32_t base = 0;                                      ///< where that begins in the SM's
  };

  AtomicsLoop(const Config& config, Times times) : config_(config), times_(times) {}
  /// Takes an access over. @param ideal_write  passes of its first write if there are no conflicts
  void begin(const AtomicAccess& access, unsigned ideal_write, Banks& banks);

  /// The banks begin to serve the read at Flight::read_at. @return the pending lanes that will write
  virtual uint64_t claim(Flight& flight) = 0;
  /// Passes in which the writers write.
  virtual unsigned write_passes(const Flight& flight) const = 0;
  /// The banks begin to serve the write. @return the writers that have updated their words
  virtual uint64_t write(Flight& flight, Cycle at) = 0;
  /// The write has been served.
  virtual void let_go(Flight&) {}

  const Config& config_;

 private:
  /// Of what is due at one time, locks are let go first; then who came to the banks first goes first, and who issued
  /// first.
  struct Event {
    Cycle at = 0;
    bool takes = false;
    Cycle since = 0;
    uint64_t sequence = 0;
    unsigned slot = 0;
    bool operator<(const Event& other) const {
      return std::tie(other.at, other.takes, other.since, other.sequence) < std::tie(at, takes, since, sequence);
    }
  };

  void plan(Flight& flight, Flight::State state, Cycle at);
  void wait(Flight& flight, Cycle until);
  void step(Flight& flight, Banks& banks);

  const Times times_;
  std::array<Flight, 64> flights_;  ///< by warp slot
  std::vector<Event> events_;       ///< a heap, the next at its front: one of each access in flight
  uint64_t sequence_ = 0;
};

}  // namespace bankshot::timing

#include "bankshot/timing/atomics/atomics_loop.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "bankshot/scratchpad/atomics/lock_unit.hpp"

namespace bankshot::timing {

void AtomicsLoop::begin(const AtomicAccess& access, unsigned ideal_write, Banks& banks) {
  Flight& flight = flights_[access.slot];
  flight.state = Flight::State::read;
  flight.at = flight.since = access.now;
  flight.sequence = sequence_++;
  flight.instr = access.instr;
  flight.slot = access.slot;
  flight.rules = access.rules;
  flight.width = access.width;
  flight.update = access.update;
  flight.pending = access.lanes;
  flight.base = access.base;
  flight.ideal_read = access.cost.ideal;
  flight.ideal_write = ideal_write;
  for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    flight.addresses[lane] = static_cast<uint32_t>(access.offsets[lane]);
  }
  step(flight, banks);
}

void AtomicsLoop::advance(Cycle now, Banks& banks) {
  while (!events_.empty() && events_.front().at <= now) {
    std::pop_heap(events_.begin(), events_.end());
    Flight& flight = flights_[events_.back().slot];
    events_.pop_back();
    step(flight, banks);
  }
}

/// What a flight does next, and when.
void AtomicsLoop::plan(Flight& flight, Flight::State state, Cycle at) {
  flight.state = state;
  flight.since = at;
  wait(flight, at);
}

/// … when its turn has come: it keeps its place among those that wait.
void AtomicsLoop::wait(Flight& flight, Cycle until) {
  flight.at = until;
  events_.push_back({until, flight.state != Flight::State::let_go, flight.since, flight.sequence, flight.slot});
  std::push_heap(events_.begin(), events_.end());
}

void AtomicsLoop::clear() {
  events_.clear();
  sequence_ = 0;
  done_.clear();
}

void AtomicsLoop::step(Flight& flight, Banks& banks) {
  using State = Flight::State;
  const Cycle now = flight.at;
  switch (flight.state) {
    case State::read: {
      if (const Cycle free = banks.accepts(now, flight.slot); free > now) return wait(flight, free);
      const unsigned level =
          scratchpad::read_level(*flight.rules, flight.width, flight.addresses.data(), flight.pending);
      flight.read_at = banks.serve(now, flight.slot, flight.instr, level, std::exchange(flight.ideal_read, 0)).begin;
      flight.round_ends = flight.read_at + times_.read + level * times_.read_level + config_.scratchpad.hash_cycles;
      return plan(flight, State::claim, flight.read_at);
    }
    case State::claim:
      flight.writers = claim(flight);
      return plan(flight, State::write, flight.round_ends + flight.update);
    case State::write: {
      if (flight.writers == 0) {  // their instruction issues, with no lane
        flight.round_ends = now;
        break;
      }
      if (const Cycle free = banks.accepts(now, flight.slot); free > now) return wait(flight, free);
      const unsigned passes = write_passes(flight);
      const Passage passage = banks.serve(now, flight.slot, flight.instr, passes, std::exchange(flight.ideal_write, 0));
      flight.pending &= ~write(flight, passage.begin);
      flight.round_ends = passage.begin + times_.write + passes * times_.write_level + config_.scratchpad.hash_cycles;
      return plan(flight, State::let_go, passage.end);
    }
    case State::let_go: let_go(flight); break;
  }
  const Cycle back = flight.round_ends + times_.branch;
  if (flight.pending != 0) return plan(flight, State::read, back);
  done_.push_back({flight.slot, flight.instr, back});
}

}  // namespace bankshot::timing

#include "bankshot/timing/atomics_loop.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "bankshot/scratchpad/lock_unit.hpp"

namespace bankshot::timing {

void AtomicsLoop::begin(const AtomicAccess& access, Banks& banks) {
  Flight& flight = flights_[access.slot];
  flight.state = Flight::State::read;
  flight.at = flight.since = access.now;
  flight.sequence = sequence_++;
  flight.instr = access.instr;
  flight.slot = access.slot;
  flight.width = access.width;
  flight.update = access.update;
  flight.pending = access.lanes;
  flight.ideal_read = flight.ideal_write = access.cost.ideal;
  for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    flight.addresses[lane] = static_cast<uint32_t>(access.offsets[lane]);
  }
  active_ |= uint64_t{1} << access.slot;
  step(flight, banks);
  find_next();
}

void AtomicsLoop::advance(Cycle now, Banks& banks) {
  for (;;) {
    Flight* due = nullptr;
    const auto key = [](const Flight& f) {
      return std::tuple(f.at, f.state != Flight::State::let_go, f.since, f.sequence);
    };
    for (uint64_t rest = active_; rest != 0; rest &= rest - 1) {
      Flight& flight = flights_[static_cast<size_t>(std::countr_zero(rest))];
      if (flight.at <= now && (due == nullptr || key(flight) < key(*due))) due = &flight;
    }
    if (due == nullptr) break;
    step(*due, banks);
  }
  find_next();
}

void AtomicsLoop::clear() {
  active_ = 0;
  sequence_ = 0;
  next_ = kNever;
  done_.clear();
}

void AtomicsLoop::find_next() {
  next_ = kNever;
  for (uint64_t rest = active_; rest != 0; rest &= rest - 1) {
    next_ = std::min(next_, flights_[static_cast<size_t>(std::countr_zero(rest))].at);
  }
}

void AtomicsLoop::step(Flight& flight, Banks& banks) {
  using State = Flight::State;
  switch (flight.state) {
    case State::read: {
      if (const Cycle at = banks.accepts(flight.at); at > flight.at) {
        flight.at = at;
        return;
      }
      const unsigned level =
          scratchpad::read_level(config_.rules, flight.width, flight.addresses.data(), flight.pending);
      flight.read_at =
          banks.serve(flight.at, flight.slot, flight.instr, level, std::exchange(flight.ideal_read, 0)).begin;
      flight.round_ends = flight.read_at + times_.read + level * times_.read_level + config_.scratchpad.hash_cycles;
      flight.at = flight.read_at;
      flight.state = State::claim;
      return;
    }
    case State::claim:
      flight.writers = claim(flight);
      flight.at = flight.since = flight.round_ends + flight.update;
      flight.state = State::write;
      return;
    case State::write: {
      if (flight.writers == 0) {  // their instruction issues, with no lane
        flight.round_ends = flight.at;
        break;
      }
      if (const Cycle at = banks.accepts(flight.at); at > flight.at) {
        flight.at = at;
        return;
      }
      const unsigned passes = write_passes(flight);
      const Passage passage =
          banks.serve(flight.at, flight.slot, flight.instr, passes, std::exchange(flight.ideal_write, 0));
      flight.pending &= ~write(flight, passage.begin);
      flight.round_ends = passage.begin + times_.write + passes * times_.write_level + config_.scratchpad.hash_cycles;
      flight.at = passage.end;
      flight.state = State::let_go;
      return;
    }
    case State::let_go: let_go(flight); break;
  }
  flight.at = flight.since = flight.round_ends + times_.branch;
  flight.state = State::read;
  if (flight.pending != 0) return;
  active_ &= ~(uint64_t{1} << flight.slot);
  done_.push_back({flight.slot, flight.instr, flight.at});
}

}  // namespace bankshot::timing

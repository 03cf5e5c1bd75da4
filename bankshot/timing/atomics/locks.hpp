// The locks of shared-memory atomics where machine code locks words and tries again (Fermi, Kepler).
#pragma once

#include <array>

#include "bankshot/scratchpad/atomics/lock_hash.hpp"
#include "bankshot/timing/base/config.hpp"

namespace bankshot::timing {

/// What a GPU file says of its locks. Cycles of issue.
struct LocksConfig {
  unsigned bits = 0;  ///< 2^bits locks of an SM; 0: atomics need none
  // The states of the loop: ICCD'13, section III.
  unsigned read = 0;    ///< read and lock, each bank conflict level
  unsigned update = 0;  ///< the addition
  unsigned write = 0;   ///< write and unlock, each bank conflict level
  unsigned branch = 0;  ///< back to those that got no lock
  // The closed model: TPDS'13, section 2.1.
  unsigned base = 0;      ///< an access without conflicts
  unsigned position = 0;  ///< each further lane on one lock
  unsigned bank = 0;      ///< each further bank conflict level of a read or a write
};

/// Its numbers, in the order of LocksConfig. The unit "lock" registers them.
extern const std::array<Parameter, 8> kLockParameters;
LocksConfig locks_of(const Config& config);

/// The sizes of lock hashes of this machine.
scratchpad::LockSize lock_size(const Config& config);

}  // namespace bankshot::timing

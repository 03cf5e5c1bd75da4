#include "bankshot/scratchpad/lock_unit.hpp"

#include <bit>

namespace bankshot::scratchpad {

uint64_t acquire(const LockTable& locks, const uint32_t* addresses, uint64_t pending, Locks& held) {
  uint64_t winners = 0;
  for (uint64_t rest = pending; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned lock = locks.lock(addresses[lane] / 4);
    if (held[lock]) continue;
    held.set(lock);
    winners |= uint64_t{1} << lane;
  }
  return winners;
}

void release(const LockTable& locks, const uint32_t* addresses, uint64_t lanes, Locks& held) {
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    held.reset(locks.lock(addresses[static_cast<size_t>(std::countr_zero(rest))] / 4));
  }
}

}  // namespace bankshot::scratchpad

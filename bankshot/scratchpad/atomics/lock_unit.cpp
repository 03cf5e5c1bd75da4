#include "bankshot/scratchpad/atomics/lock_unit.hpp"

#include <bit>

namespace bankshot::scratchpad {

uint64_t acquire(const LockTable& locks, const uint32_t* addresses, uint64_t pending, Locks& held, uint32_t base) {
  uint64_t winners = 0;
  for (uint64_t rest = pending; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned lock = locks.lock((base + addresses[lane]) / 4);
    if (held[lock]) continue;
    held.set(lock);
    winners |= uint64_t{1} << lane;
  }
  return winners;
}

void release(const LockTable& locks, const uint32_t* addresses, uint64_t lanes, Locks& held, uint32_t base) {
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    held.reset(locks.lock((base + addresses[static_cast<size_t>(std::countr_zero(rest))]) / 4));
  }
}

}  // namespace bankshot::scratchpad

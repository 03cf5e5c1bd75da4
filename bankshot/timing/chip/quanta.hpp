// Host threads that advance the parts of a machine together, from quantum to quantum.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "bankshot/support/thread_pool.hpp"

namespace bankshot::timing {

/// A barrier at which the last to arrive does what nobody else may see half done. Waits by looking, for a while, then
/// lets the host run something else.
class QuantumBarrier {
 public:
  explicit QuantumBarrier(unsigned threads) : threads_(threads) {}
  template <class Last>
  void arrive(Last last) {
    const uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      last();
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    for (unsigned looks = 0; round_.load(std::memory_order_acquire) == round; ++looks) pause(looks);
  }

 private:
  static void pause(unsigned looks);
  const unsigned threads_;
  alignas(64) std::atomic<uint32_t> arrived_{0};
  alignas(64) std::atomic<uint32_t> round_{0};
};

/// Calls part(k) for each k below `parts`, on all threads, then between() on one, again and again until it says no.
/// Which thread takes which part is open; parts must not depend on each other.
void run_quanta(ThreadPool& pool, unsigned threads, unsigned parts, const std::function<void(unsigned)>& part,
                const std::function<bool()>& between);

}  // namespace bankshot::timing

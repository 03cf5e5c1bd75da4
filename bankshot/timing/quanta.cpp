#include "bankshot/timing/quanta.hpp"

#include <xmmintrin.h>

#include <thread>

namespace bankshot::timing {

void QuantumBarrier::pause(unsigned looks) {
  constexpr unsigned kLooks = 4000;  // about a quantum's work
  if (looks < kLooks) {
    _mm_pause();
  } else {
    std::this_thread::yield();
  }
}

void run_quanta(ThreadPool& pool, unsigned threads, unsigned parts, const std::function<void(unsigned)>& part,
                const std::function<bool()>& between) {
  const auto alone = [&] {
    do {
      for (unsigned k = 0; k < parts; ++k) part(k);
    } while (between());
  };
  if (threads <= 1) return alone();
  QuantumBarrier barrier(threads);
  alignas(64) std::atomic<unsigned> next{0};
  std::atomic<bool> go_on{true};
  pool.run(threads, [&](unsigned) {
    const unsigned mxcsr = _mm_getcsr();
    while (go_on.load(std::memory_order_relaxed)) {
      for (unsigned k; (k = next.fetch_add(1, std::memory_order_relaxed)) < parts;) part(k);
      barrier.arrive([&] {
        go_on.store(between(), std::memory_order_relaxed);
        next.store(0, std::memory_order_relaxed);
      });
    }
    _mm_setcsr(mxcsr);
  });
}

}  // namespace bankshot::timing

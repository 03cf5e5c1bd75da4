#include "bankshot/timing/chip/quanta.hpp"

#include <xmmintrin.h>

#include <thread>
#include <vector>

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
  // A thread begins with the parts it had in the quantum before, which lie in its caches, and then helps the others,
  // from their ends. A part belongs to whom first writes the round's number into its claim.
  struct alignas(64) Claim {
    std::atomic<uint32_t> round{0};
  };
  std::vector<Claim> claims(parts);
  QuantumBarrier barrier(threads);
  std::atomic<bool> go_on{true};
  const auto first_of = [&](unsigned thread) { return static_cast<unsigned>(uint64_t{parts} * thread / threads); };
  pool.run(threads, [&](unsigned self) {
    const unsigned mxcsr = _mm_getcsr();
    for (uint32_t round = 1; go_on.load(std::memory_order_relaxed); ++round) {
      const auto take = [&](unsigned k) {
        uint32_t before = round - 1;
        if (claims[k].round.compare_exchange_strong(before, round, std::memory_order_relaxed)) part(k);
      };
      for (unsigned k = first_of(self); k < first_of(self + 1); ++k) take(k);
      for (unsigned other = 1; other < threads; ++other) {
        const unsigned owner = (self + other) % threads;
        for (unsigned k = first_of(owner + 1); k-- > first_of(owner);) take(k);
      }
      barrier.arrive([&] { go_on.store(between(), std::memory_order_relaxed); });
    }
    _mm_setcsr(mxcsr);
  });
}

}  // namespace bankshot::timing

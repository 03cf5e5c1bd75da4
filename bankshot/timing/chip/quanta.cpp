#include "bankshot/timing/chip/quanta.hpp"

#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace bankshot::timing {
namespace {

/// Waits for the next quantum: looks for a while, then sleeps. A wait that was too long for looking makes the next one
/// sleep earlier: on a busy host the processor is better left to the thread that is late.
class Patience {
 public:
  void wait_while(const std::atomic<uint32_t>& round, uint32_t is) {
    for (unsigned looks = 0; looks < looks_; ++looks) {
      if (round.load(std::memory_order_acquire) != is) {
        looks_ = std::min(looks_ * 2, kMost);
        return;
      }
      _mm_pause();
    }
    looks_ = std::max(looks_ / 2, kLeast);
    round.wait(is, std::memory_order_acquire);
  }

 private:
  static constexpr unsigned kLeast = 64, kMost = 4096;  // the most is about a quantum's work
  unsigned looks_ = kMost;
};

/// Whether one thread is faster than all together, as it is on a busy host: measured again every half second.
class Company {
 public:
  bool alone() const { return alone_; }

  /// A quantum is over. @return whether alone() has changed
  bool note() {
    ++quanta_;
    const Clock::time_point now = Clock::now();
    if (now < until_) return false;
    const double seconds = std::chrono::duration<double>(now - since_).count();
    rate_[alone_] = quanta_ / seconds;
    const bool was = alone_;
    if (tries_) {
      tries_ = false;
      if (rate_[alone_] < kBetter * rate_[!alone_]) alone_ = !alone_;  // back
    } else {
      tries_ = true;
      alone_ = !alone_;
    }
    since_ = now;
    quanta_ = 0;
    until_ = now + (tries_ ? kTrial : kStay);
    return alone_ != was;
  }

 private:
  using Clock = std::chrono::steady_clock;
  // A trial lasts some turns of the host's scheduler, and takes no more than a small share of the time.
  static constexpr std::chrono::milliseconds kTrial{20}, kStay{500};
  static constexpr double kBetter = 1.05;
  bool alone_ = false, tries_ = false;
  uint64_t quanta_ = 0;
  double rate_[2] = {};  ///< quanta a second, by alone_
  Clock::time_point since_ = Clock::now(), until_ = since_ + kStay / 10;
};

/// A part belongs to the thread that first writes the quantum's number into its claim.
struct alignas(64) Claim {
  std::atomic<uint32_t> round{0};
};

class Quanta {
 public:
  Quanta(unsigned threads, unsigned parts, const std::function<void(unsigned)>& part,
         const std::function<bool()>& between)
      : threads_(threads), parts_(parts), part_(part), between_(between), claims_(parts) {}

  /// What each thread does until between() says no.
  void work(unsigned self) {
    Patience patience;
    for (uint32_t round = 1; goes_on_.load(std::memory_order_relaxed);) {
      if (take_parts(self, round)) finish(round);
      if (self != 0) alone_.wait(true, std::memory_order_acquire);
      patience.wait_while(round_, round);
      round = round_.load(std::memory_order_acquire);
    }
  }

 private:
  unsigned first_of(unsigned thread) const { return static_cast<unsigned>(uint64_t{parts_} * thread / threads_); }

  /// A thread begins with the parts that it had in the quantum before, which lie in its caches, and then helps the
  /// others, from their ends. @return whether it finished the last part of all
  bool take_parts(unsigned self, uint32_t round) {
    unsigned done = 0;
    const auto take = [&](unsigned k) {
      // Of a thread that is late every claim has a later number.
      uint32_t before = round - 1;
      if (!claims_[k].round.compare_exchange_strong(before, round, std::memory_order_relaxed)) return;
      part_(k);
      ++done;
    };
    for (unsigned k = first_of(self); k < first_of(self + 1); ++k) take(k);
    for (unsigned other = 1; other < threads_; ++other) {
      const unsigned owner = (self + other) % threads_;
      for (unsigned k = first_of(owner + 1); k-- > first_of(owner);) take(k);
    }
    return done != 0 && done_.fetch_add(done, std::memory_order_acq_rel) + done == parts_;
  }

  void finish(uint32_t round) {
    done_.store(0, std::memory_order_relaxed);
    const bool goes_on = between_();
    if (!goes_on) goes_on_.store(false, std::memory_order_relaxed);
    if (company_.note() || !goes_on) {
      alone_.store(goes_on && company_.alone(), std::memory_order_release);
      alone_.notify_all();
    }
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
  }

  const unsigned threads_, parts_;
  const std::function<void(unsigned)>& part_;
  const std::function<bool()>& between_;
  std::vector<Claim> claims_;
  alignas(64) std::atomic<unsigned> done_{0};
  alignas(64) std::atomic<uint32_t> round_{1};
  std::atomic<bool> goes_on_{true};
  std::atomic<bool> alone_{false};  ///< only the first thread works
  alignas(64) Company company_;     ///< of the thread that finishes a quantum
};

}  // namespace

void run_quanta(ThreadPool& pool, unsigned threads, unsigned parts, const std::function<void(unsigned)>& part,
                const std::function<bool()>& between) {
  if (threads <= 1) {
    do {
      for (unsigned k = 0; k < parts; ++k) part(k);
    } while (between());
    return;
  }
  Quanta quanta(threads, parts, part, between);
  pool.run(threads, [&](unsigned self) {
    const unsigned mxcsr = _mm_getcsr();
    quanta.work(self);
    _mm_setcsr(mxcsr);
  });
}

}  // namespace bankshot::timing

// Greedy, then oldest. Source: Rogers, O'Connor, Aamodt: Cache-Conscious Wavefront Scheduling, MICRO 2012, section 4.
#include <bit>

#include "bankshot/timing/schedulers/scheduler.hpp"

namespace bankshot::timing {
namespace {

class GreedyThenOldest final : public WarpScheduler {
 public:
  unsigned pick(const WarpView& view) override {
    if (last_ < 64 && (view.ready >> last_ & 1) != 0) return last_;
    unsigned oldest = static_cast<unsigned>(std::countr_zero(view.ready));
    for (uint64_t rest = view.ready & (view.ready - 1); rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(rest));
      if (view.age[slot] < view.age[oldest]) oldest = slot;
    }
    return oldest;
  }
  void issued(unsigned slot) override { last_ = slot; }

 private:
  unsigned last_ = 64;
};

const SchedulerRegistry gto({"gto", "greedy, then oldest: stays on a warp until it stalls, then takes the oldest",
                             [](const Config&) { return std::make_unique<GreedyThenOldest>(); }});

}  // namespace
}  // namespace bankshot::timing

// Greedy, then youngest. Source: Huerta et al., Analyzing Modern NVIDIA GPU Cores (arXiv 2503.20481): what a sub-core
// of Ampere does; among warps of one CTA the one with the highest number is the youngest.
#include <bit>

#include "bankshot/timing/schedulers/scheduler.hpp"

namespace bankshot::timing {
namespace {

class GreedyThenYoungest final : public WarpScheduler {
 public:
  unsigned pick(const WarpView& view) override {
    if (last_ < 64 && (view.ready >> last_ & 1) != 0) return last_;
    unsigned youngest = static_cast<unsigned>(std::countr_zero(view.ready));
    for (uint64_t rest = view.ready & (view.ready - 1); rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(rest));
      if (view.age[slot] > view.age[youngest]) youngest = slot;
    }
    return youngest;
  }
  void issued(unsigned slot) override { last_ = slot; }

 private:
  unsigned last_ = 64;
};

const SchedulerRegistry gty({"gty", "greedy, then youngest: stays on a warp until it stalls, then takes the youngest",
                             [](const Config&) { return std::make_unique<GreedyThenYoungest>(); }});

}  // namespace
}  // namespace bankshot::timing

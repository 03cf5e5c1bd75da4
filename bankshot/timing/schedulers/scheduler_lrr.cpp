// Loose round robin, and the strict barrel of the elastic-pipeline paper (section 6), which is it with one instruction
// of a warp in flight.
#include <bit>

#include "bankshot/timing/schedulers/scheduler.hpp"

namespace bankshot::timing {
namespace {

class LooseRoundRobin : public WarpScheduler {
 public:
  unsigned pick(const WarpView& view) override {
    const uint64_t behind = last_ >= 63 ? 0 : view.ready & (~uint64_t{0} << (last_ + 1));
    return static_cast<unsigned>(std::countr_zero(behind != 0 ? behind : view.ready));
  }
  void issued(unsigned slot) override { last_ = slot; }

 private:
  unsigned last_ = 63;
};

class StrictBarrel final : public LooseRoundRobin {
 public:
  bool one_in_flight() const override { return true; }
};

const SchedulerRegistry lrr({"lrr", "loose round robin: the next ready warp after the last one",
                             [](const Config&) { return std::make_unique<LooseRoundRobin>(); }});
const SchedulerRegistry barrel({"barrel", "strict barrel: round robin, one instruction per warp in flight",
                                [](const Config&) { return std::make_unique<StrictBarrel>(); }});

}  // namespace
}  // namespace bankshot::timing

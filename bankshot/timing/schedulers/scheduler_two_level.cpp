// Two levels: fetch groups of warps; another group's turn comes when all warps of the running one wait for memory.
// Source: Narasiman et al.: Improving GPU Performance via Large Warps and Two-Level Warp Scheduling, MICRO 2011,
// section 4.
#include <algorithm>
#include <bit>

#include "bankshot/timing/schedulers/scheduler.hpp"

namespace bankshot::timing {
namespace {

class TwoLevel final : public WarpScheduler {
 public:
  /// @param stride  schedulers of the SM: their warp slots take turns
  TwoLevel(unsigned size, unsigned stride) : size_(std::max(1u, size)), stride_(std::max(1u, stride)) {}

  unsigned pick(const WarpView& view) override {
    // A group that can still go on without memory keeps its turn; others fill in where it has nothing ready.
    if ((view.resident & group(current_) & ~view.waits_for_memory) == 0) {
      current_ = group_of(next(view.ready, last_of(current_)));
    }
    const uint64_t mine = view.ready & group(current_);
    return next(mine != 0 ? mine : view.ready, last_);
  }
  void issued(unsigned slot) override { last_ = slot; }

 private:
  unsigned group_of(unsigned slot) const { return slot / stride_ / size_; }
  unsigned last_of(unsigned group) const { return std::min(63u, (group + 1) * size_ * stride_ - 1); }
  uint64_t group(unsigned index) const {
    const unsigned begin = index * size_ * stride_, end = begin + size_ * stride_;
    const uint64_t below_end = end >= 64 ? ~uint64_t{0} : (uint64_t{1} << end) - 1;
    return begin >= 64 ? 0 : below_end & (~uint64_t{0} << begin);
  }
  static unsigned next(uint64_t ready, unsigned behind) {
    const uint64_t later = behind >= 63 ? 0 : ready & (~uint64_t{0} << (behind + 1));
    return static_cast<unsigned>(std::countr_zero(later != 0 ? later : ready));
  }

  const unsigned size_, stride_;
  unsigned current_ = 0, last_ = 63;
};

constexpr Parameter kActiveWarps = {
    "issue", "active_warps", "warps", 1, 64, 8, "warps of a fetch group of the two-level scheduler"};

const SchedulerRegistry two_level({"two-level",
                                   "round robin in a group of active_warps until all its warps wait for memory",
                                   [](const Config& config) {
                                     return std::make_unique<TwoLevel>(config.parameters[kActiveWarps],
                                                                       config.issue.schedulers);
                                   },
                                   {&kActiveWarps}});

}  // namespace
}  // namespace bankshot::timing

// Memory instructions have a path of their own: a conflict holds the banks and the accesses that wait for them, nothing
// else. What waits is a queue of `scratchpad.queue` accesses; when it is full, no further access to shared memory issues.
#include <algorithm>
#include <vector>

#include "bankshot/timing/pipeline.hpp"

namespace bankshot::timing {
namespace {

class Split final : public Pipeline {
 public:
  explicit Split(const Config& config) : begins_(std::max(1u, config.scratchpad.queue), 0) {}

  Cycle accepts(Cycle now, Flow flow) const override {
    // The access that issued queue accesses ago must have left the queue.
    return flow == Flow::shared ? std::max(now, begins_[next_]) : now;
  }
  Passage shared(Cycle now, unsigned passes, unsigned latency) override {
    const Cycle begin = std::max(now, free_);
    free_ = begin + passes;
    begins_[next_] = begin;
    next_ = next_ + 1 == begins_.size() ? 0 : next_ + 1;
    return {begin, free_, free_ + latency - (passes == 0 ? 0 : 1)};
  }
  Cycle other(Cycle, Flow) override { return 0; }
  void clear() override {
    free_ = 0;
    std::fill(begins_.begin(), begins_.end(), Cycle{0});
  }

 private:
  Cycle free_ = 0;             ///< the banks
  std::vector<Cycle> begins_;  ///< when the last accesses began to be served, a ring
  size_t next_ = 0;
};

const PipelineRegistry split({"split", "memory instructions have their own path: a conflict holds up only them",
                              [](const Config& config) { return std::make_unique<Split>(config); }});

}  // namespace
}  // namespace bankshot::timing

// Memory instructions have a path of their own, and a queue: a conflict holds the banks and the accesses that wait for
// them, nothing else. What waits is a queue of `scratchpad.queue` accesses; when it is full, no further access to
// shared memory issues.
#include <algorithm>
#include <numeric>
#include <vector>

#include "bankshot/timing/pipelines/pipeline.hpp"

namespace bankshot::timing {
namespace {

class Queued final : public Pipeline {
 public:
  explicit Queued(unsigned queue) : begins_(std::max(1u, queue), 0) {}

  // The access that issued queue accesses ago must have left the queue.
  Cycle accepts(Cycle now) const override { return std::max(now, begins_[next_]); }
  Passage shared(const Issued& issued, std::span<const unsigned> degrees, unsigned latency) override {
    const unsigned passes = std::accumulate(degrees.begin(), degrees.end(), 0u);
    const Cycle begin = std::max(issued.now, free_);
    free_ = begin + passes;
    begins_[next_] = begin;
    next_ = next_ + 1 == begins_.size() ? 0 : next_ + 1;
    services_.assign(1, {begin, free_});
    return {begin, free_, free_ + latency - (passes == 0 ? 0 : 1)};
  }
  Passage again(const Issued& issued, unsigned passes) override { return shared(issued, {&passes, 1}, 1); }
  Cycle other(const Issued& issued, Flow, unsigned latency) override { return issued.now + latency; }
  void clear() override {
    free_ = 0;
    std::fill(begins_.begin(), begins_.end(), Cycle{0});
  }

 private:
  Cycle free_ = 0;             ///< the banks
  std::vector<Cycle> begins_;  ///< when the last accesses began to be served, a ring
  size_t next_ = 0;
};

constexpr Parameter kQueue = {
    "scratchpad", "queue", "accesses", 1, 4096, 1, "accesses that wait for the banks before no further one can issue",
    true};

const PipelineRegistry queued({"queued",
                               "accesses wait in a queue of their own: a conflict holds up only them",
                               [](const Config& config) { return std::make_unique<Queued>(config.parameters[kQueue]); },
                               {&kQueue}});

}  // namespace
}  // namespace bankshot::timing

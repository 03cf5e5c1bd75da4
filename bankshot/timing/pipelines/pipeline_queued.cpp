// Memory instructions have a path of their own, and a queue: a conflict holds the banks and the accesses that wait for
// them, nothing else. What waits is a queue of `scratchpad.queue` accesses; when it is full, no further access to
// shared memory issues. Where schedulers have ways to the banks that are slower than these, each has its share of the
// queue, so that none keeps the others from the banks.
#include <algorithm>
#include <numeric>
#include <vector>

#include "bankshot/timing/pipelines/pipeline.hpp"

namespace bankshot::timing {
namespace {

class Queued final : public Pipeline {
 public:
  Queued(unsigned queue, unsigned wavefront, unsigned sub_core, unsigned schedulers)
      : wavefront_(wavefront),
        sub_core_(std::max(wavefront, sub_core)),
        queues_(sub_core_ > wavefront_ ? schedulers : 1),
        sub_core_free_(schedulers, 0) {
    for (Queue& one : queues_) one.begins.assign(std::max<size_t>(1, queue / queues_.size()), 0);
  }

  // The access that issued as many accesses ago as the queue holds must have left it.
  Cycle accepts(Cycle now, unsigned slot) const override {
    const Queue& queue = queues_[slot % queues_.size()];
    return std::max(now, queue.begins[queue.next]);
  }
  Passage shared(const Issued& issued, std::span<const unsigned> degrees, unsigned latency) override {
    const unsigned passes = std::accumulate(degrees.begin(), degrees.end(), 0u);
    Cycle& sub_core_free = sub_core_free_[issued.slot % sub_core_free_.size()];
    // The banks are booked in turn; a scheduler's way to them may be later, and what comes meanwhile is another one's.
    const Cycle turn = std::max(issued.now, free_), begin = std::max(turn, sub_core_free);
    free_ = turn + Cycle{passes} * wavefront_;
    sub_core_free = begin + Cycle{passes} * sub_core_;
    Queue& queue = queues_[issued.slot % queues_.size()];
    queue.begins[queue.next] = begin;
    queue.next = queue.next + 1 == queue.begins.size() ? 0 : queue.next + 1;
    services_.assign(1, {turn, free_});
    const Cycle last = passes == 0 ? begin : begin + Cycle{passes - 1} * sub_core_;  // the last wavefront begins
    return {turn, free_, std::max(free_, last + latency)};
  }
  Passage again(const Issued& issued, unsigned passes) override { return shared(issued, {&passes, 1}, wavefront_); }
  Cycle other(const Issued& issued, Flow, unsigned latency) override { return issued.now + latency; }
  void clear() override {
    free_ = 0;
    std::fill(sub_core_free_.begin(), sub_core_free_.end(), Cycle{0});
    for (Queue& queue : queues_) std::fill(queue.begins.begin(), queue.begins.end(), Cycle{0});
  }

 private:
  const unsigned wavefront_, sub_core_;  ///< cycles: of the banks, of a scheduler's way to them
  struct Queue {
    std::vector<Cycle> begins;  ///< when the last accesses began to be served, a ring
    size_t next = 0;
  };
  Cycle free_ = 0;                    ///< the banks
  std::vector<Queue> queues_;         ///< one, or each scheduler's
  std::vector<Cycle> sub_core_free_;  ///< by scheduler: its way to the banks
};

constexpr Parameter kQueue = {"scratchpad",
                              "queue",
                              "accesses",
                              1,
                              4096,
                              1,
                              "accesses that can wait for the banks; while the queue is full, no further access issues",
                              true};

constexpr Parameter kWavefront = {
    "scratchpad", "wavefront_cycles", "cycles", 1, 64, 1, "cycles for which a wavefront occupies the SM's banks"};
constexpr Parameter kSubCore = {"scratchpad",
                                "sub_core_wavefront_cycles",
                                "cycles",
                                1,
                                64,
                                1,
                                "cycles between two wavefronts of one scheduler's warps, if greater"};

const PipelineRegistry queued({"queued",
                               "accesses wait in a separate queue: a conflict delays only accesses",
                               [](const Config& config) {
                                 return std::make_unique<Queued>(config.parameters[kQueue],
                                                                 config.parameters[kWavefront],
                                                                 config.parameters[kSubCore], config.issue.schedulers);
                               },
                               {&kQueue, &kWavefront, &kSubCore}});

}  // namespace
}  // namespace bankshot::timing

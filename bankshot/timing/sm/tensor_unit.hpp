// The unit of an SM that works on tensor memory (tcgen05): products, copies and shifts one after the other, the commits
// that wait for them, and the ways between tensor memory and registers. Source: PTX ISA 9.0, section 9.7.16.6.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/base/config.hpp"
#include "bankshot/timing/sm/async_copies.hpp"

namespace bankshot::timing {

class TensorUnit {
 public:
  explicit TensorUnit(const TensorMemoryConfig& config) : config_(config) {}
  void begin_launch() {
    free_ = 0;
    ways_ = {};
    commits_.clear();
  }
  /// A warp starts in the slot.
  void start(unsigned slot) {
    done_[slot] = 0;
    for (Way& way : ways_) way.done[slot] = 0;
  }

  struct Span {
    Cycle begin = 0, end = 0;
  };
  /// A product, a copy or a shift of a warp keeps the unit for so many cycles.
  Span take(unsigned slot, Cycle now, Cycle cycles) {
    const Cycle begin = std::max(now, free_);
    free_ = begin + cycles;
    done_[slot] = free_ + config_.latency;
    return {begin, free_};
  }

  struct Commit {
    unsigned slot = 0;
    uint32_t instr = 0;
    AsyncCopies::Arrival arrival;
  };
  /// Its barriers are told when all that the warp issued before is done.
  void commit(Cycle now, Commit commit) {
    const Cycle at = std::max(now + 1, done_[commit.slot]);
    const auto later =
        std::find_if(commits_.begin(), commits_.end(), [&](const Waiting& waiting) { return waiting.at > at; });
    commits_.insert(later, {at, std::move(commit)});
  }
  /// When the next commit is to be told; kNever: none waits.
  Cycle next_event() const { return commits_.empty() ? kNever : commits_.front().at; }
  /// Takes this commit.
  Commit take_commit() {
    Commit commit = std::move(commits_.front().commit);
    commits_.erase(commits_.begin());
    return commit;
  }
  bool has_commits(unsigned slot) const {
    return std::any_of(commits_.begin(), commits_.end(), [&](const Waiting& w) { return w.commit.slot == slot; });
  }

  enum Direction : uint8_t { load, store };
  /// tcgen05.ld or .st of a warp. Warps of a quarter of the lanes share its way.
  void move(Direction direction, unsigned slot, unsigned quarter, Cycle now, unsigned bytes) {
    const unsigned rate = direction == load ? config_.load_bytes : config_.store_bytes;
    Way& way = ways_[direction];
    Cycle& free = way.free[quarter];
    free = std::max(now, free) + (rate == 0 ? 0 : (bytes + rate - 1) / rate);
    way.done[slot] = free + config_.access_latency;
  }
  /// When all of these that the warp issued are done.
  Cycle moved(Direction direction, unsigned slot) const { return ways_[direction].done[slot]; }

 private:
  static constexpr unsigned kSlots = 64, kQuarters = 4;
  struct Waiting {
    Cycle at = 0;
    Commit commit;
  };
  struct Way {
    std::array<Cycle, kQuarters> free{};
    std::array<Cycle, kSlots> done{};
  };

  const TensorMemoryConfig& config_;
  Cycle free_ = 0;
  std::array<Cycle, kSlots> done_{};  ///< by warp slot
  std::array<Way, 2> ways_{};
  std::vector<Waiting> commits_;  ///< by time
};

}  // namespace bankshot::timing

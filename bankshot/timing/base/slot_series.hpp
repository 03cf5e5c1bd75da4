// Issue slots over the time of a launch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/base/counters.hpp"

namespace bankshot::timing {

/// Issue slots by cause in consecutive spans of equal length. There are at most kMostSpans: a launch that outlasts them
/// makes each as long as two.
class SlotSeries {
 public:
  using Slots = std::array<uint64_t, kCauses>;
  static constexpr size_t kMostSpans = 64;
  static constexpr Cycle kShortest = 16;  ///< cycles of a span of a short launch

  SlotSeries() = default;
  /// @param cycles  of a span
  SlotSeries(Cycle cycles, std::vector<Slots> spans) : cycles_(cycles), spans_(std::move(spans)) {}

  Cycle cycles() const { return cycles_; }  ///< of a span
  std::span<const Slots> spans() const { return spans_; }

  /// Counts `per_cycle` slots in each cycle of [begin, end), from the beginning of the launch; negative numbers, modulo
  /// 2^64, take back.
  void add(Cause cause, Cycle begin, Cycle end, uint64_t per_cycle) {
    if (begin >= end) return;
    reach(end);
    while (begin < end) {
      const Cycle until = std::min(end, end_of(begin));
      spans_[begin / cycles_][static_cast<unsigned>(cause)] += per_cycle * (until - begin);
      begin = until;
    }
  }
  /// Makes room for the cycles before this one.
  void reach(Cycle end) {
    while (end > cycles_ * kMostSpans) fold();
    if (const size_t needed = (end + cycles_ - 1) / cycles_; needed > spans_.size()) spans_.resize(needed);
  }
  /// The first cycle after the span that a cycle is in.
  Cycle end_of(Cycle cycle) const { return (cycle / cycles_ + 1) * cycles_; }
  /// The launch took so many cycles: drops what is behind them.
  void end(Cycle cycles) {
    reach(cycles);
    spans_.resize((cycles + cycles_ - 1) / cycles_);
  }
  /// Adds the slots of another SM in the same launch.
  void merge(SlotSeries other) {
    while (other.cycles_ > cycles_) fold();
    while (other.cycles_ < cycles_) other.fold();
    spans_.resize(std::max(spans_.size(), other.spans_.size()));
    for (size_t k = 0; k < other.spans_.size(); ++k) {
      for (unsigned cause = 0; cause < kCauses; ++cause) spans_[k][cause] += other.spans_[k][cause];
    }
  }
  bool operator==(const SlotSeries&) const = default;

 private:
  void fold() {
    for (size_t k = 0; k < spans_.size(); ++k) {
      if (k % 2 == 0) {
        spans_[k / 2] = spans_[k];
      } else {
        for (unsigned cause = 0; cause < kCauses; ++cause) spans_[k / 2][cause] += spans_[k][cause];
      }
    }
    spans_.resize((spans_.size() + 1) / 2);
    cycles_ *= 2;
  }

  Cycle cycles_ = kShortest;
  std::vector<Slots> spans_;
};

}  // namespace bankshot::timing

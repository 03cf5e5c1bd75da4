// The spans of an SM's picture, of what begins in the first cycles of a launch.
#pragma once

#include <array>
#include <vector>

#include "bankshot/timing/base/timeline.hpp"

namespace bankshot::timing {

class TimelineRecorder {
 public:
  explicit TimelineRecorder(unsigned sm) : sm_(static_cast<uint16_t>(sm)) {}

  /// @param end  spans are kept of what begins before
  void begin_launch(Cycle begin, Cycle end) {
    begin_ = begin;
    end_ = end;
    spans_.clear();
  }
  /// A warp of this CTA starts in a slot.
  void start(unsigned slot, uint64_t cta) { cta_[slot] = static_cast<uint32_t>(cta); }
  bool wants(Cycle cycle) const { return cycle < end_; }
  /// A span of cycles [begin, end) of an instruction of the slot's warp; the rest as in Span.
  void add(unsigned slot, uint32_t instr, Track track, unsigned index, Cycle begin, Cycle end, uint32_t degree) {
    spans_.push_back(
        {begin - begin_, end - begin_, track, static_cast<uint8_t>(index), sm_, instr, cta_[slot], degree});
  }
  std::vector<Span>& spans() { return spans_; }

 private:
  const uint16_t sm_;
  Cycle begin_ = 0, end_ = 0;
  std::array<uint32_t, 64> cta_{};  ///< by warp slot
  std::vector<Span> spans_;
};

}  // namespace bankshot::timing

// The same stages, stepped: every sub-warp is moved from stage to stage in every cycle. Slow and obvious.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "bankshot/timing/pipelines/stages.hpp"

namespace bankshot::timing {

class SteppedStages {
 public:
  explicit SteppedStages(const StageShape& shape);

  /// The next cycle begins. @param fetched  who is to be in the first stage in it; none: a bubble
  /// @return why the front stands still instead, and nobody was fetched
  StageStall step(const std::optional<SubWarp>& fetched);

  // Who is where in this cycle.
  const std::vector<std::optional<SubWarp>>& front() const { return front_; }    ///< the last is EXE
  const std::vector<std::optional<SubWarp>>& memory() const { return memory_; }  ///< the first is MEM0
  const std::vector<std::optional<SubWarp>>& beside() const { return beside_; }  ///< split: NONMEM0, NONMEM1 …
  const std::deque<SubWarp>& premem() const { return premem_; }                  ///< elastic, the oldest first
  const std::deque<SubWarp>& nonmem() const { return nonmem_; }                  ///< elastic, the oldest first
  const std::optional<SubWarp>& write_back() const { return write_back_; }
  bool is_empty() const;

 private:
  void advance_memory();
  void advance_beside();
  void enter_memory(const SubWarp& sub_warp);
  StageStall leave_execution(const SubWarp& sub_warp);

  const StageShape shape_;
  std::vector<std::optional<SubWarp>> front_, memory_, beside_;
  unsigned left_ = 0;  ///< cycles that MEM0 is taken for, this one counted
  std::deque<SubWarp> premem_, nonmem_;
  std::optional<SubWarp> write_back_;
};

inline bool any(const std::vector<std::optional<SubWarp>>& stages) {
  return std::any_of(stages.begin(), stages.end(), [](const auto& stage) { return stage.has_value(); });
}

/// Everybody goes one stage on; the first is empty then. The last must be.
inline void shift(std::vector<std::optional<SubWarp>>& stages) {
  for (size_t k = stages.size() - 1; k > 0; --k) stages[k] = std::exchange(stages[k - 1], std::nullopt);
}

/// Everybody who finds the next stage empty, or left in this cycle, goes there.
inline void close_gaps(std::vector<std::optional<SubWarp>>& stages) {
  for (size_t k = stages.size() - 1; k > 0; --k) {
    if (!stages[k]) stages[k] = std::exchange(stages[k - 1], std::nullopt);
  }
}

inline SteppedStages::SteppedStages(const StageShape& shape)
    : shape_(shape),
      front_(shape.front),
      memory_(shape.memory),
      beside_(shape.organisation == Organisation::split ? shape.memory : 0) {}

inline bool SteppedStages::is_empty() const {
  return !any(front_) && !any(memory_) && !any(beside_) && premem_.empty() && nonmem_.empty() && !write_back_;
}

/// From back to front, so that who comes finds the place free that somebody leaves.
inline StageStall SteppedStages::step(const std::optional<SubWarp>& fetched) {
  write_back_.reset();
  advance_memory();
  advance_beside();
  if (!memory_[0] && !premem_.empty()) {
    enter_memory(premem_.front());
    premem_.pop_front();
  }
  StageStall stall = StageStall::none;
  if (front_.back()) {
    stall = leave_execution(*front_.back());
    if (stall == StageStall::none) front_.back().reset();
  }
  if (shape_.squeeze) {
    close_gaps(front_);
    if (front_[0]) return stall;
  } else {
    if (stall != StageStall::none) return stall;
    shift(front_);
  }
  front_[0] = fetched;
  return StageStall::none;
}

/// What comes out of the memory stages is written back before all else, so nothing stops there.
inline void SteppedStages::advance_memory() {
  const bool served = memory_[0] && --left_ == 0;
  std::optional<SubWarp> first = served ? std::exchange(memory_[0], std::nullopt) : std::nullopt;
  if (shape_.memory == 1) {
    write_back_ = first;
    return;
  }
  write_back_ = std::exchange(memory_.back(), std::nullopt);
  for (size_t k = memory_.size() - 1; k > 1; --k) memory_[k] = std::exchange(memory_[k - 1], std::nullopt);
  memory_[1] = first;
}

inline void SteppedStages::advance_beside() {
  if (shape_.organisation == Organisation::elastic && !write_back_ && !nonmem_.empty()) {
    write_back_ = nonmem_.front();
    nonmem_.pop_front();
  }
  if (beside_.empty()) return;
  if (beside_.back() && write_back_ && !shape_.squeeze) return;
  if (!write_back_) write_back_ = std::exchange(beside_.back(), std::nullopt);
  close_gaps(beside_);
}

inline void SteppedStages::enter_memory(const SubWarp& sub_warp) {
  memory_[0] = sub_warp;
  left_ = sub_warp.memory ? std::max(1u, sub_warp.degree) : 1;
}

/// Finds it a place for the next cycle. Source: figure 6 for the priorities.
inline StageStall SteppedStages::leave_execution(const SubWarp& sub_warp) {
  if (sub_warp.memory || shape_.organisation == Organisation::unified) {
    if (!memory_[0]) {
      enter_memory(sub_warp);
      return StageStall::none;
    }
    const bool waits = shape_.organisation == Organisation::elastic && premem_.size() < shape_.premem;
    if (!waits) return StageStall::bank_conflict;
    premem_.push_back(sub_warp);
    return StageStall::none;
  }
  if (shape_.organisation == Organisation::split) {
    if (beside_[0]) return StageStall::write_back;
    beside_[0] = sub_warp;
    return StageStall::none;
  }
  if (!write_back_) {  // then the queue is empty, too
    write_back_ = sub_warp;
    return StageStall::none;
  }
  if (nonmem_.size() >= shape_.nonmem) return StageStall::write_back;
  nonmem_.push_back(sub_warp);
  return StageStall::none;
}

}  // namespace bankshot::timing

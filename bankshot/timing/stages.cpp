#include "bankshot/timing/stages.hpp"

#include <algorithm>
#include <utility>

namespace bankshot::timing {
namespace {

bool any(const std::vector<std::optional<SubWarp>>& stages) {
  return std::any_of(stages.begin(), stages.end(), [](const auto& stage) { return stage.has_value(); });
}

/// Everybody goes one stage on; the first is empty then. The last must be.
void shift(std::vector<std::optional<SubWarp>>& stages) {
  for (size_t k = stages.size() - 1; k > 0; --k) stages[k] = std::exchange(stages[k - 1], std::nullopt);
}

}  // namespace

Stages::Stages(const StageShape& shape)
    : shape_(shape),
      front_(shape.front),
      memory_(shape.memory),
      beside_(shape.organisation == Organisation::split ? shape.memory : 0) {}

bool Stages::is_empty() const {
  return !any(front_) && !any(memory_) && !any(beside_) && premem_.empty() && nonmem_.empty() && !write_back_;
}

/// From back to front, so that who comes finds the place free that somebody leaves.
StageStall Stages::step(const std::optional<SubWarp>& fetched) {
  write_back_.reset();
  advance_memory();
  advance_beside();
  if (!memory_[0] && !premem_.empty()) {
    enter_memory(premem_.front());
    premem_.pop_front();
  }
  if (front_.back()) {
    if (const StageStall stall = leave_execution(*front_.back()); stall != StageStall::none) return stall;
    front_.back().reset();
  }
  shift(front_);
  front_[0] = fetched;
  return StageStall::none;
}

/// What comes out of the memory stages is written back before all else, so nothing stops there.
void Stages::advance_memory() {
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

void Stages::advance_beside() {
  if (shape_.organisation == Organisation::elastic && !write_back_ && !nonmem_.empty()) {
    write_back_ = nonmem_.front();
    nonmem_.pop_front();
  }
  if (beside_.empty() || (beside_.back() && write_back_)) return;
  if (beside_.back()) write_back_ = std::exchange(beside_.back(), std::nullopt);
  shift(beside_);
}

void Stages::enter_memory(const SubWarp& sub_warp) {
  memory_[0] = sub_warp;
  left_ = sub_warp.memory ? std::max(1u, sub_warp.degree) : 1;
}

/// Finds it a place for the next cycle. Source: figure 6 for the priorities.
StageStall Stages::leave_execution(const SubWarp& sub_warp) {
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

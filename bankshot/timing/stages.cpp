#include "bankshot/timing/stages.hpp"

#include <algorithm>

namespace bankshot::timing {
namespace {

/// Whether an ascending queue holds a cycle; what is asked for is near its end.
bool holds(const Ring<Cycle>& cycles, Cycle cycle) {
  for (size_t k = cycles.size(); k-- > 0 && cycles[k] >= cycle;) {
    if (cycles[k] == cycle) return true;
  }
  return false;
}

void forget(Ring<Cycle>& cycles, Cycle before) {
  while (!cycles.empty() && cycles.front() < before) cycles.pop();
}

}  // namespace

void Stages::clear() { *this = Stages(shape_); }

void Stages::forget_before(Cycle cycle) {
  for (; !standstills_.empty() && standstills_.front().end <= cycle; standstills_.pop()) {
    stood_ += standstills_.front().end - standstills_.front().begin;
  }
  forget(memory_, cycle);
  forget(returns_, cycle);
  while (!beside_.empty() && beside_.front().write_back < cycle) beside_.pop();
  for (; !held_.empty() && held_.front() < cycle && held_.front() <= last_beside_; held_.pop()) ++held_before_;
}

Stages::Standstill Stages::standstill(Cycle cycle) const {
  for (size_t k = 0; k < standstills_.size() && standstills_[k].begin <= cycle; ++k) {
    if (cycle < standstills_[k].end) return standstills_[k];
  }
  return {cycle, cycle};
}

Cycle Stages::moves(Cycle cycle) const {
  for (size_t k = 0; k < standstills_.size() && standstills_[k].begin <= cycle; ++k)
    cycle = std::max(cycle, standstills_[k].end);
  return cycle;
}

void Stages::stand(Cycle begin, Cycle end, StageStall why, uint64_t whose) {
  if (begin >= end) return;
  if (!standstills_.empty()) {
    Standstill& last = standstills_[standstills_.size() - 1];
    if (last.end == begin && last.why == why && last.whose == whose) {
      last.end = end;
      return;
    }
  }
  standstills_.push({begin, end, why, whose});
}

StageTimes Stages::fetch(Cycle cycle, const SubWarp& sub_warp) {
  // The front is rigid: two leave EXE as far apart as they were fetched, standstills apart.
  Cycle stood = stood_;
  for (size_t k = 0; k < standstills_.size() && standstills_[k].begin < cycle; ++k) {
    stood += standstills_[k].end - standstills_[k].begin;
  }
  const Cycle slot = cycle - stood;
  StageTimes times;
  times.fetch = cycle;
  times.arrive = std::max(cycle + shape_.front, left_ + (slot - slot_));
  slot_ = slot;
  if (sub_warp.memory || shape_.organisation == Organisation::unified) {
    enter_memory(times, sub_warp, sub_warp.memory);
  } else if (shape_.organisation == Organisation::split) {
    enter_beside(times, sub_warp);
  } else {
    enter_queue(times, sub_warp);
  }
  left_ = times.leave;
  return times;
}

/// Who has the write-back stage in a cycle, of those who cannot wait.
StageStall Stages::taken(Cycle cycle) const {
  if (holds(memory_, cycle)) return StageStall::write_back;
  return !returns_.empty() && holds(returns_, cycle) ? StageStall::returned : StageStall::none;
}

bool Stages::is_held(Cycle cycle) const { return holds(held_, cycle); }

void Stages::enter_memory(StageTimes& times, const SubWarp& sub_warp, bool memory) {
  const unsigned degree = memory ? std::max(1u, sub_warp.degree) : 1;
  // A queue of N: who entered it N accesses ago must have left it.
  const bool waits = shape_.organisation == Organisation::elastic && !premem_.empty();
  const Cycle room = waits ? premem_[oldest_] : free_;
  times.leave = std::max(times.arrive, room);
  stand(times.arrive, times.leave, StageStall::bank_conflict, last_access_);
  times.begin = std::max(times.leave, free_);
  // What enters MEM0 is not stopped any more: not by data from outside either.
  while (!returns_.empty() && holds(returns_, times.begin + degree + shape_.memory - 1)) ++times.begin;
  if (!waits) {
    stand(times.leave, times.begin, StageStall::returned, sub_warp.id);
    times.leave = times.begin;
  } else {
    premem_[oldest_] = times.begin;
    oldest_ = oldest_ + 1 == premem_.size() ? 0 : oldest_ + 1;
  }
  free_ = times.begin + degree;
  if (memory) last_access_ = sub_warp.id;
  times.write_back = free_ + shape_.memory - 1;
  memory_.push(times.write_back);
  if (shape_.organisation != Organisation::unified) push_back(times.write_back);
}

/// Split: stages of their own, which move as one.
void Stages::enter_beside(StageTimes& times, const SubWarp& sub_warp) {
  const auto first_is_taken = [&](Cycle cycle) {  // the last one has not moved since it came
    if (last_beside_ == 0) return false;
    while (cycle > last_beside_ && is_held(cycle)) --cycle;
    return cycle == last_beside_;
  };
  times.leave = times.arrive;
  while (first_is_taken(times.leave)) {
    stand(times.leave, times.leave + 1, taken(times.leave),
          taken(times.leave) == StageStall::returned ? sub_warp.id : last_access_);
    ++times.leave;
  }
  last_beside_ = times.leave;
  Cycle held = held_before_;
  for (size_t k = 0; k < held_.size() && held_[k] <= times.leave; ++k) ++held;
  beside_.push({0, times.leave - held + shape_.memory, sub_warp.id});
  place_beside(beside_.size() - 1);
  times.write_back = beside_[beside_.size() - 1].write_back;
}

/// Split: when those from `first` on are written back. They shift in every cycle but those in which one of them stands in the
/// last stage and somebody else is written back.
void Stages::place_beside(size_t first) {
  for (size_t k = first; k < beside_.size(); ++k) {
    Beside& one = beside_[k];
    one.write_back = one.due + held_before_ + held_.size();
    for (; taken(one.write_back) != StageStall::none; ++one.write_back) held_.push(one.write_back);
  }
}

/// Elastic: straight to write-back, or a queue for it.
void Stages::enter_queue(StageTimes& times, const SubWarp& sub_warp) {
  const auto waiting = [&](Cycle cycle) {  // in the queue, when this cycle's has left it
    size_t count = 0;
    for (size_t k = beside_.size(); k-- > 0 && beside_[k].write_back > cycle;) ++count;
    return count;
  };
  times.leave = times.arrive;
  for (StageStall by; (by = taken(times.leave)) != StageStall::none && waiting(times.leave) >= shape_.nonmem;
       ++times.leave) {
    stand(times.leave, times.leave + 1, by, by == StageStall::returned ? sub_warp.id : last_access_);
  }
  times.write_back = times.leave;
  if (!beside_.empty()) times.write_back = std::max(times.write_back, beside_[beside_.size() - 1].write_back + 1);
  while (taken(times.write_back) != StageStall::none) ++times.write_back;
  beside_.push({times.write_back, 0, sub_warp.id});
}

/// The memory stages write back in this cycle: who was to do so waits.
void Stages::push_back(Cycle cycle) {
  size_t first = beside_.size();
  while (first > 0 && beside_[first - 1].write_back >= cycle) --first;
  if (first == beside_.size() || beside_[first].write_back != cycle) return;
  const size_t known = late_.size();
  for (size_t k = first; k < beside_.size(); ++k) late_.push_back({beside_[k].id, beside_[k].write_back, 0});
  if (shape_.organisation == Organisation::split) {
    Ring<Cycle> before;  // holds of those in front
    for (size_t k = 0; k < held_.size() && held_[k] < cycle; ++k) before.push(held_[k]);
    held_ = before;
    place_beside(first);
  } else {
    for (size_t k = first; k < beside_.size(); ++k) {
      Cycle& at = beside_[k].write_back;
      if (k > first) at = std::max(at, beside_[k - 1].write_back + 1);
      while (taken(at) != StageStall::none) ++at;
    }
  }
  // Only those that are later.
  size_t kept = known;
  for (size_t k = first; k < beside_.size(); ++k) {
    const Late before = late_[known + k - first];
    const Cycle now = beside_[k].write_back;
    if (now != before.write_back) late_[kept++] = {before.id, now, now - before.write_back};
  }
  late_.resize(kept);
}

Cycle Stages::returned(Cycle cycle) {
  while (taken(cycle) != StageStall::none || claimed(cycle)) ++cycle;
  returns_.push(cycle);
  for (size_t k = returns_.size() - 1; k > 0 && returns_[k - 1] > returns_[k]; --k)
    std::swap(returns_[k - 1], returns_[k]);
  return cycle;
}

/// Somebody beside the memory stages is to be written back then.
bool Stages::claimed(Cycle cycle) const {
  for (size_t k = beside_.size(); k-- > 0 && beside_[k].write_back >= cycle;) {
    if (beside_[k].write_back == cycle) return true;
  }
  return false;
}

}  // namespace bankshot::timing

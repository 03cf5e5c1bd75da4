#include "bankshot/timing/pipelines/stages.hpp"

#include <algorithm>

namespace bankshot::timing {
namespace {

/// Whether an ascending queue holds a cycle; the cycle is usually near its end.
bool holds(const Ring<Cycle>& cycles, Cycle cycle) {
  for (size_t k = cycles.size(); k-- > 0 && cycles[k] >= cycle;) {
    if (cycles[k] == cycle) return true;
  }
  return false;
}

/// The one that a cycle lies in, or an empty one.
Stages::Standstill find(const Ring<Stages::Standstill>& standstills, Cycle cycle) {
  for (size_t k = 0; k < standstills.size() && standstills[k].begin <= cycle; ++k) {
    if (cycle < standstills[k].end) return standstills[k];
  }
  return {cycle, cycle};
}

}  // namespace

void Stages::clear() { *this = Stages(shape_); }

void Stages::forget_before(Cycle cycle) {
  for (; !standstills_.empty() && standstills_.front().end <= cycle; standstills_.pop()) {
    stood_ += standstills_.front().end - standstills_.front().begin;
  }
  while (!in_exe_.empty() && in_exe_.front().end <= cycle) in_exe_.pop();
  taken_.forget_before(cycle);
  returned_.forget_before(cycle);
  claimed_.forget_before(cycle);
  while (!beside_.empty() && beside_.front().write_back < cycle) beside_.pop();
  for (; !held_.empty() && held_.front() < cycle && held_.front() <= last_beside_; held_.pop()) ++held_before_;
}

Stages::Standstill Stages::standstill(Cycle cycle) const { return find(standstills_, cycle); }

Cycle Stages::moves(Cycle cycle) const {
  for (size_t k = 0; k < standstills_.size() && standstills_[k].begin <= cycle; ++k)
    cycle = std::max(cycle, standstills_[k].end);
  return cycle;
}

void Stages::stand(Cycle begin, Cycle end, StageStall why, uint64_t whose) {
  if (begin >= end) return;
  Ring<Standstill>& all = shape_.squeeze ? in_exe_ : standstills_;
  if (!all.empty()) {
    Standstill& last = all[all.size() - 1];
    if (last.end == begin && last.why == why && last.whose == whose) {
      last.end = end;
      return;
    }
  }
  all.push({begin, end, why, whose});
}

/// Squeeze: a sub-warp leaves EXE in this cycle, later than all before.
void Stages::left_front(Cycle leave) {
  leaves_[oldest_leave_] = leave;
  oldest_leave_ = oldest_leave_ + 1 == leaves_.size() ? 0 : oldest_leave_ + 1;
}

/// Squeeze: the front is full as long as none of the last ones, as many as it has stages, has left it. The oldest of
/// them stands in EXE then.
void Stages::fill_front(StageTimes& times) {
  left_front(times.leave);
  times.still_begin = times.fetch + 1;
  times.still_end = std::max(times.still_begin, leaves_[oldest_leave_]);
  for (size_t k = 0; k < in_exe_.size(); ++k) {
    const Standstill& one = in_exe_[k];
    const Cycle begin = std::max(one.begin, times.still_begin), end = std::min(one.end, times.still_end);
    if (begin < end) standstills_.push({begin, end, one.why, one.whose});
  }
}

/// When a sub-warp that is fetched in this cycle could leave EXE.
Cycle Stages::arrival(Cycle cycle) {
  if (shape_.squeeze) return std::max(cycle + shape_.front, left_ + 1);
  // The front is rigid: two leave EXE as far apart as they were fetched, standstills apart.
  Cycle stood = stood_;
  for (size_t k = 0; k < standstills_.size() && standstills_[k].begin < cycle; ++k) {
    stood += standstills_[k].end - standstills_[k].begin;
  }
  const Cycle slot = cycle - stood;
  const Cycle arrive = std::max(cycle + shape_.front, left_ + (slot - slot_));
  slot_ = slot;
  return arrive;
}

StageTimes Stages::fetch(Cycle cycle, const SubWarp& sub_warp) {
  StageTimes times;
  times.fetch = cycle;
  times.arrive = arrival(cycle);
  if (sub_warp.memory || shape_.organisation == Organisation::unified) {
    enter_memory(times, sub_warp, sub_warp.memory);
  } else if (shape_.organisation == Organisation::elastic) {
    enter_queue(times, sub_warp, shape_.nonmem, 0);
  } else if (shape_.squeeze) {
    enter_queue(times, sub_warp, shape_.memory, shape_.memory);
  } else {
    enter_beside(times, sub_warp);
  }
  left_ = times.leave;
  if (times.arrive < times.leave) times.why = find(shape_.squeeze ? in_exe_ : standstills_, times.arrive).why;
  if (shape_.squeeze) {
    fill_front(times);
  } else {
    times.still_begin = times.arrive;
    times.still_end = times.leave;
  }
  return times;
}

Cycle Stages::fetch_freely(Cycle cycle, unsigned count, bool memory, uint64_t id, uint64_t last_id) {
  const Cycle first = cycle + shape_.front;  // leaves EXE
  if (!standstills_.empty() || left_ >= first || count > 64) return 0;
  const bool unified = shape_.organisation == Organisation::unified;
  const Cycle last_beside = beside_.empty() ? 0 : beside_[beside_.size() - 1].write_back;
  Cycle written = first + shape_.memory;
  if (memory || unified) {
    if (free_ > first || last_beside >= written || returned_.has_any(written, count)) return 0;
    put_off_ = 0;
    free_ = first + count;
    taken_.add(written, count);
    last_memory_ = written + count - 1;
    if (memory) last_access_ = last_id;
    if (shape_.organisation == Organisation::elastic && !premem_.empty()) {
      for (unsigned k = 0; k < count; ++k) {
        premem_[oldest_] = first + k;
        oldest_ = oldest_ + 1 == premem_.size() ? 0 : oldest_ + 1;
      }
    }
  } else if (shape_.organisation == Organisation::split) {
    if (!held_.empty() || last_beside >= written || taken_.has_any(written, count)) return 0;
    forget_if_empty(first);
    for (unsigned k = 0; k < count; ++k) {
      beside_.push({written + k, written + k - held_before_, k + 1 == count ? last_id : id});
    }
    claimed_.add(written, count);
    last_beside_ = first + count - 1;
  } else {
    written = first;
    if (last_beside >= first || taken_.has_any(first, count)) return 0;
    forget_if_empty(first);
    claimed_.add(first, count);
  }
  slot_ = cycle + count - 1 - stood_;
  left_ = first + count - 1;
  for (unsigned k = 0; k < count && shape_.squeeze; ++k) left_front(first + k);
  return written + count - 1;
}

/// Who has the write-back stage in a cycle, of those who cannot wait.
StageStall Stages::taken(Cycle cycle) const {
  if (!taken_.has(cycle)) return StageStall::none;
  return returned_.has(cycle) ? StageStall::returned : StageStall::write_back;
}

void Stages::enter_memory(StageTimes& times, const SubWarp& sub_warp, bool memory) {
  const unsigned degree = memory ? std::max(1u, sub_warp.degree) : 1;
  // A queue of N: who entered it N accesses ago must have left it.
  const bool waits = shape_.organisation == Organisation::elastic && !premem_.empty();
  const Cycle room = waits ? premem_[oldest_] : free_;
  times.leave = std::max(times.arrive, room);
  // Part of it may be data from outside that has put off those in front.
  if (times.arrive >= free_) put_off_ = 0;
  const Cycle by_data = std::min(put_off_, times.leave - times.arrive);
  stand(times.arrive, times.leave - by_data, StageStall::bank_conflict, last_access_);
  stand(times.leave - by_data, times.leave, StageStall::returned, sub_warp.id);
  put_off_ -= by_data;
  const Cycle begin = times.begin = std::max(times.leave, free_);
  // What enters MEM0 is not stopped any more: not by data from outside either.
  while (returned_.has(times.begin + degree + shape_.memory - 1)) ++times.begin;
  if (!waits) {
    stand(times.leave, times.begin, StageStall::returned, sub_warp.id);
    times.leave = times.begin;
  } else {
    put_off_ += times.begin - begin;
    premem_[oldest_] = times.begin;
    oldest_ = oldest_ + 1 == premem_.size() ? 0 : oldest_ + 1;
  }
  free_ = times.begin + degree;
  conflict_ |= degree > 1;
  if (memory) last_access_ = sub_warp.id;
  times.write_back = free_ + shape_.memory - 1;
  taken_.add(last_memory_ = times.write_back);
  if (shape_.organisation != Organisation::unified) push_back(times.write_back);
}

/// Beside the memory stages there is no room: why.
void Stages::stand_beside(Cycle cycle, uint64_t id) {
  const bool data = taken(cycle) == StageStall::returned || (return_ && !conflict_);
  stand(cycle, cycle + 1, data ? StageStall::returned : StageStall::write_back, data ? id : last_access_);
}

/// The next sub-warp meets none after EXE: earlier ones have no effect any more.
void Stages::forget_if_empty(Cycle cycle) {
  const bool beside = !beside_.empty() && beside_[beside_.size() - 1].write_back >= cycle;
  if (!beside && last_memory_ < cycle) conflict_ = return_ = false;
}

/// Split: stages of their own, which move as one.
void Stages::enter_beside(StageTimes& times, const SubWarp& sub_warp) {
  const auto first_is_taken = [&](Cycle cycle) {  // the last one has not moved since it came
    if (last_beside_ == 0) return false;
    while (cycle > last_beside_ && holds(held_, cycle)) --cycle;
    return cycle == last_beside_;
  };
  forget_if_empty(times.arrive);
  for (times.leave = times.arrive; first_is_taken(times.leave); ++times.leave) stand_beside(times.leave, sub_warp.id);
  last_beside_ = times.leave;
  Cycle held = held_before_;
  for (size_t k = 0; k < held_.size() && held_[k] <= times.leave; ++k) ++held;
  beside_.push({0, times.leave - held + shape_.memory, sub_warp.id});
  place_beside(beside_.size() - 1);
  times.write_back = beside_[beside_.size() - 1].write_back;
}

/// Split: when those from `first` on are written back. They shift in every cycle but those in which one of them stands
/// in the last stage and another one is written back.
void Stages::place_beside(size_t first) {
  for (size_t k = first; k < beside_.size(); ++k) {
    Beside& one = beside_[k];
    one.write_back = one.due + held_before_ + held_.size();
    for (; taken_.has(one.write_back); ++one.write_back) held_.push(one.write_back);
    claimed_.add(one.write_back);
  }
}

/// Elastic: straight to write-back, or a queue for it. Split that squeezes: stages beside that close their gaps are a
/// queue as well. @param through  cycles that it takes at least
void Stages::enter_queue(StageTimes& times, const SubWarp& sub_warp, unsigned entries, unsigned through) {
  const auto waiting = [&](Cycle cycle) {  // in the queue, when this cycle's has left it
    size_t count = 0;
    for (size_t k = beside_.size(); k-- > 0 && beside_[k].write_back > cycle;) ++count;
    return count;
  };
  forget_if_empty(times.arrive);
  times.leave = times.arrive;
  for (; taken_.has(times.leave) && waiting(times.leave) >= entries; ++times.leave) {
    stand_beside(times.leave, sub_warp.id);
  }
  times.write_back = times.leave + through;
  if (!beside_.empty()) times.write_back = std::max(times.write_back, beside_[beside_.size() - 1].write_back + 1);
  while (taken_.has(times.write_back)) ++times.write_back;
  claimed_.add(times.write_back);
  if (times.write_back > times.leave) beside_.push({times.write_back, 0, sub_warp.id});
}

/// The memory stages write back in this cycle: who was to do so waits.
void Stages::push_back(Cycle cycle) {
  size_t first = beside_.size();
  while (first > 0 && beside_[first - 1].write_back >= cycle) --first;
  if (first == beside_.size() || beside_[first].write_back != cycle) return;
  const size_t known = late_.size();
  for (size_t k = first; k < beside_.size(); ++k) {
    late_.push_back({beside_[k].id, beside_[k].write_back, 0});
    claimed_.remove(beside_[k].write_back);
  }
  if (shape_.organisation == Organisation::split && !shape_.squeeze) {
    Ring<Cycle> before;  // holds of those in front
    for (size_t k = 0; k < held_.size() && held_[k] < cycle; ++k) before.push(held_[k]);
    held_ = before;
    place_beside(first);
  } else {
    for (size_t k = first; k < beside_.size(); ++k) {
      Cycle& at = beside_[k].write_back;
      if (k > first) at = std::max(at, beside_[k - 1].write_back + 1);
      while (taken_.has(at)) ++at;
      claimed_.add(at);
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
  return_ = true;
  while (taken_.has(cycle) || claimed_.has(cycle)) ++cycle;
  taken_.add(cycle);
  returned_.add(cycle);
  return cycle;
}

}  // namespace bankshot::timing

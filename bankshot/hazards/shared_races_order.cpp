// What orders accesses: clocks of threads, at barriers, fences and strong accesses, of copies and in mbarriers.
#include <algorithm>
#include <utility>

#include "bankshot/hazards/lane_bits.hpp"
#include "bankshot/hazards/shared_races.hpp"

namespace bankshot::hazards {

void SharedRaces::Gathering::add(const Clock& clock) {
  if (clock == nullptr || clock == last_) return;
  last_ = clock;
  if (steps_ == nullptr) {
    steps_ = std::make_shared<Steps>(*clock);
    return;
  }
  if (steps_->size() < clock->size()) steps_->resize(clock->size());
  for (size_t k = 0; k < clock->size(); ++k) (*steps_)[k] = std::max((*steps_)[k], (*clock)[k]);
}

void SharedRaces::Gathering::add(Agent agent, uint32_t step) {
  if (steps_ == nullptr) steps_ = std::make_shared<Steps>();
  if (steps_->size() <= agent) steps_->resize(agent + 1);
  (*steps_)[agent] = std::max((*steps_)[agent], step);
}

Clock SharedRaces::Gathering::so_far() const { return steps_ == nullptr ? nullptr : std::make_shared<Steps>(*steps_); }

Clock SharedRaces::Gathering::take() {
  last_ = nullptr;
  return std::move(steps_);
}

void SharedRaces::learn(Agent thread, const Clock& clock) {
  Clock& own = threads_[thread].clock;
  if (own == clock || clock == nullptr) return;
  if (own != learnt_[0] || clock != learnt_[1] || learnt_[2] == nullptr) {
    learnt_[0] = own;
    learnt_[1] = clock;
    learnt_[2] = join(own, clock);
  }
  own = learnt_[2];
}

Clock SharedRaces::with_own(Agent thread, unsigned warp) const {
  const Thread& own = threads_[thread];
  const Clock all = with(own.clock, thread, step_[warp]);
  return own.fenced == 0 ? all : with(all, fenced_ + thread, own.fenced);
}

/// What lanes have done until now is given away; what they do from now on is not.
void SharedRaces::gather(Gathering& into, unsigned warp, uint64_t lanes) {
  for_lanes(lanes, [&](unsigned lane) { into.add(threads_[thread(warp, lane)].clock); });
  for_lanes(lanes, [&](unsigned lane) {
    const Agent agent = thread(warp, lane);
    into.add(agent, step_[warp]);
    if (const uint32_t fenced = threads_[agent].fenced; fenced != 0) into.add(fenced_ + agent, fenced);
  });
  ++step_[warp];
}

void SharedRaces::arrive(unsigned barrier, unsigned warp, uint64_t lanes, bool waits) {
  Barrier& at = barriers_[cta_of(warp) * kBarriers + barrier];
  gather(at.arrived, warp, lanes);
  if (waits) for_lanes(lanes, [&](unsigned lane) { at.waiting.push_back(thread(warp, lane)); });
}

void SharedRaces::exit(unsigned warp, uint64_t lanes) { gather(exited_[cta_of(warp)], warp, lanes); }

void SharedRaces::complete(unsigned barrier, bool whole, unsigned cta) {
  Barrier& at = barriers_[cta * kBarriers + barrier];
  if (whole) at.arrived.add(exited_[cta].so_far());
  const Clock all = at.arrived.take();
  for (const Agent waiting : at.waiting) threads_[waiting].clock = all;  // its own is in there
  at.waiting.clear();
}

void SharedRaces::meet(unsigned warp, uint64_t lanes) {
  Gathering together;
  gather(together, warp, lanes);
  const Clock all = together.take();
  for_lanes(lanes, [&](unsigned lane) { threads_[thread(warp, lane)].clock = all; });
}

void SharedRaces::fence(unsigned warp, uint64_t lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const Agent agent = thread(warp, lane);
    Thread& own = threads_[agent];
    learn(agent, std::exchange(own.seen, nullptr));
    own.released = with_own(agent, warp);
  });
  ++step_[warp];
}

void SharedRaces::fence_proxy(unsigned warp, uint64_t lanes) {
  if (fenced_ == 0) {
    fenced_ = static_cast<Agent>(threads_.size() + copies_.size());
    copies_.resize(copies_.size() + threads_.size());
  }
  for_lanes(lanes, [&](unsigned lane) {
    Thread& own = threads_[thread(warp, lane)];
    own.fenced = step_[warp];
    if (own.clock == nullptr) return;
    if (own.clock != at_fence_[0] || at_fence_[1] == nullptr) {
      const auto after = std::make_shared<Steps>(*own.clock);
      after->resize(std::max(after->size(), fenced_ + threads_.size()));
      for (size_t agent = 0; agent < std::min(own.clock->size(), threads_.size()); ++agent) {
        (*after)[fenced_ + agent] = std::max((*after)[fenced_ + agent], (*after)[agent]);
      }
      at_fence_[0] = own.clock;
      at_fence_[1] = after;
    }
    own.clock = at_fence_[1];
  });
  ++step_[warp];
}

void SharedRaces::synchronise(unsigned warp, unsigned lane, uint64_t place, bool reads, bool writes, bool acquires,
                              bool releases) {
  const Agent agent = thread(warp, lane);
  Thread& own = threads_[agent];
  if (!releases && places_.empty() && own.released == nullptr) return;  // nothing has been published
  const auto there = places_.find(place);
  if (reads && there != places_.end()) {
    if (acquires) {
      learn(agent, there->second);
    } else {
      own.seen = join(own.seen, there->second);
    }
  }
  if (!writes) return;
  Clock told;
  if (releases) {
    told = with_own(agent, warp);
    ++step_[warp];
  } else {
    told = own.released;
  }
  // Who reads and writes at once goes on with what others have released there.
  if (reads && there != places_.end()) told = join(told, there->second);
  if (told != nullptr) {
    places_[place] = told;
  } else if (there != places_.end()) {
    places_.erase(there);
  }
}

// Asynchronous copies.

Agent SharedRaces::new_agent() {
  copies_.push_back(0);
  return static_cast<Agent>(threads_.size() + copies_.size() - 1);
}

Agent SharedRaces::copier_of(Agent thread, Queue queue) {
  Agent& copier = threads_[thread].copies[queue].copier;
  if (copier == 0) copier = new_agent();
  return copier;
}

void SharedRaces::share_copier(unsigned first_warp, unsigned warps, Queue queue) {
  const Agent copier = copier_of(thread(first_warp, 0), queue);
  if (threads_[thread(first_warp + warps, 0) - 1].copies[queue].copier == copier) return;
  for (Agent one = thread(first_warp, 0); one < thread(first_warp + warps, 0); ++one)
    threads_[one].copies[queue].copier = copier;
}

void SharedRaces::copy_async(const WarpAccess& access, Queue queue, std::vector<Hazard>& found) {
  for_lanes(access.lanes, [&](unsigned lane) {
    const Agent by = thread(access.warp, lane), copier = copier_of(by, queue);
    const Entry mine{
        1, ++copies_[copier - threads_.size()], access.site, kCopies + copier, by, 0, access.kind, false, false};
    touch({access.warp, bit(lane), &threads_[by].clock, 0}, mine, access.offsets[lane], access.width, found);
  });
}

void SharedRaces::commit_group(unsigned warp, uint64_t lanes, Queue queue) {
  for_lanes(lanes, [&](unsigned lane) {
    Thread::Copies& own = threads_[thread(warp, lane)].copies[queue];
    own.groups.push_back(own.copier == 0 ? 0 : copies_[own.copier - threads_.size()]);
  });
}

void SharedRaces::wait_groups(unsigned warp, uint64_t lanes, uint64_t groups, Queue queue) {
  for_lanes(lanes, [&](unsigned lane) {
    Thread& waiting = threads_[thread(warp, lane)];
    Thread::Copies& own = waiting.copies[queue];
    const bool all = groups == ~uint64_t{0};
    const size_t ended = own.groups.size() - (all ? 0 : std::min<uint64_t>(groups, own.groups.size()));
    if (own.copier != 0 && (all || ended != 0)) {
      const uint32_t step = all ? copies_[own.copier - threads_.size()] : own.groups[ended - 1];
      waiting.clock = with(waiting.clock, own.copier, step);
    }
    own.groups.erase(own.groups.begin(), own.groups.begin() + static_cast<ptrdiff_t>(ended));
  });
}

void SharedRaces::copy_bulk(const WarpAccess& access, uint64_t barrier, std::vector<Hazard>& found) {
  MBarrier& told = mbarriers_[barrier];
  for_lanes(access.lanes, [&](unsigned lane) {
    const Agent by = thread(access.warp, lane);
    if (told.copier == 0) told.copier = new_agent();
    const Entry mine{1,    told.phase, access.site, kCopies + told.copier,
                     by,   0,          access.kind, access.kind == AccessKind::atomic,
                     false};
    touch({access.warp, bit(lane), &threads_[by].clock, 0}, mine, access.offsets[lane], access.width, found);
  });
}

// mbarriers.

void SharedRaces::initialise_mbarrier(uint64_t barrier) {
  MBarrier& at = mbarriers_[barrier];
  at.open.take();
  at.done = nullptr;
  ++at.phase;
}

void SharedRaces::arrive_mbarrier(uint64_t barrier, unsigned warp, unsigned lane) {
  gather(mbarriers_[barrier].open, warp, bit(lane));
}

void SharedRaces::arrive_mbarrier_async(uint64_t barrier, unsigned warp, unsigned lane, Queue queue) {
  const Agent copier = copier_of(thread(warp, lane), queue);
  mbarriers_[barrier].open.add(copier, copies_[copier - threads_.size()]);
  arrive_mbarrier(barrier, warp, lane);
}

void SharedRaces::end_phase(uint64_t barrier, bool with_ended) {
  MBarrier& at = mbarriers_[barrier];
  for (size_t cta = 0; with_ended && cta < exited_.size(); ++cta) at.open.add(exited_[cta].so_far());
  if (at.copier != 0) at.open.add(at.copier, at.phase);
  ++at.phase;
  at.done = at.open.take();
}

void SharedRaces::pass_mbarrier(uint64_t barrier, unsigned warp, unsigned lane) {
  learn(thread(warp, lane), mbarriers_[barrier].done);
}

}  // namespace bankshot::hazards

#include "bankshot/hazards/shared_races.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace bankshot::hazards {
namespace {

constexpr unsigned kWord = 4;

uint64_t bit(unsigned lane) { return uint64_t{1} << lane; }

/// f(lane) for each of a mask, ascending.
template <class F>
void for_lanes(uint64_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

}  // namespace

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

SharedRaces::SharedRaces(unsigned threads, unsigned lanes, uint64_t bytes, unsigned ctas)
    : lanes_(lanes),
      warps_((threads + lanes - 1) / lanes),
      threads_(size_t{ctas} * warps_ * lanes),
      step_(size_t{ctas} * warps_, 1),
      words_((bytes + kWord - 1) / kWord),
      pages_((words_ + kPageWords - 1) / kPageWords),
      barriers_(size_t{ctas} * kBarriers),
      exited_(ctas) {}

// What orders.

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

void SharedRaces::copy_async(const WarpAccess& access, Queue queue, std::vector<Hazard>& found) {
  for_lanes(access.lanes, [&](unsigned lane) {
    const Agent by = thread(access.warp, lane), copier = copier_of(by, queue);
    const Entry mine{
        1, ++copies_[copier - threads_.size()], access.site, kCopies + copier, by, 0, access.kind, false, false};
    touch({access.warp, bit(lane), &threads_[by].clock}, mine, access.offsets[lane], access.width, found);
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
    touch({access.warp, bit(lane), &threads_[by].clock}, mine, access.offsets[lane], access.width, found);
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

void SharedRaces::arrive_mbarrier_async(uint64_t barrier, unsigned warp, unsigned lane) {
  const Agent copier = copier_of(thread(warp, lane), kLanes);
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

// Accesses.

/// The lanes of an earlier access of which the group does not know; an agent that copies is lane 0.
uint64_t SharedRaces::unknown_lanes(const Entry& entry, const Group& group) const {
  if (entry.owner >= kCopies) return known(*group.clock, entry.owner - kCopies) < entry.step ? 1 : 0;
  uint64_t need = entry.lanes, unknown = 0;
  // A lane knows what it did itself, the others of the group do not.
  if (entry.owner == group.warp && std::has_single_bit(group.lanes)) need &= ~group.lanes;
  for_lanes(need, [&](unsigned lane) {
    if (known(*group.clock, thread(entry.owner, lane)) < entry.step) unknown |= bit(lane);
  });
  return unknown;
}

uint64_t SharedRaces::unfenced_lanes(const Entry& entry, const Group& group) const {
  uint64_t unknown = 0;
  for_lanes(entry.lanes, [&](unsigned lane) {
    const Agent agent = thread(entry.owner, lane);
    const bool is_own = entry.owner == group.warp && group.lanes == bit(lane);
    const uint32_t fenced =
        fenced_ == 0 ? 0 : std::max(known(*group.clock, fenced_ + agent), is_own ? threads_[agent].fenced : 0);
    if (fenced < entry.step) unknown |= bit(lane);
  });
  return unknown;
}

void SharedRaces::compare(const std::vector<Entry>& earlier, const Group& group, const Entry& mine, uint64_t word,
                          std::vector<Hazard>& found) const {
  for (const Entry& entry : earlier) {
    if ((entry.bytes & mine.bytes) == 0) continue;
    const bool same_warp = entry.owner == group.warp;
    if (entry.strong && mine.strong && !(same_warp && entry.is_volatile && mine.is_volatile)) continue;
    uint64_t unknown = unknown_lanes(entry, group);
    const bool crosses =
        unknown == 0 && mine.owner >= kCopies && mine.kind == AccessKind::read && entry.owner < kCopies;
    if (crosses) unknown = unfenced_lanes(entry, group);
    if (unknown == 0) continue;
    const auto first = static_cast<unsigned>(std::countr_zero(unknown));
    Hazard hazard;
    hazard.kind = mine.kind == AccessKind::read    ? Hazard::Kind::read_after_write
                  : entry.kind == AccessKind::read ? Hazard::Kind::write_after_read
                                                   : Hazard::Kind::write_after_write;
    hazard.earlier_site = entry.site;
    hazard.later_site = mine.site;
    const bool copies = entry.owner >= kCopies;
    hazard.earlier = copies ? entry.by : thread(entry.owner, first);
    uint64_t others = group.lanes;
    if (same_warp && !std::has_single_bit(others)) others &= ~bit(first);
    hazard.later = thread(group.warp, static_cast<unsigned>(std::countr_zero(others)));
    hazard.threads = static_cast<unsigned>(std::popcount(others));
    hazard.within_warp = same_warp;
    hazard.asynchronous = copies || mine.owner >= kCopies;
    hazard.unfenced = crosses;
    const auto overlap = static_cast<unsigned>(entry.bytes & mine.bytes);
    hazard.offset = word * kWord + static_cast<unsigned>(std::countr_zero(overlap));
    hazard.bytes = static_cast<unsigned>(std::popcount(overlap));
    found.push_back(hazard);
  }
}

/// Remembers an access, and forgets those that all who will know of it will know of as well.
void SharedRaces::put(std::vector<Entry>& entries, const Group& group, const Entry& mine) const {
  std::erase_if(entries, [&](const Entry& entry) {
    return (entry.bytes & ~mine.bytes) == 0 && (entry.strong || !mine.strong) && unknown_lanes(entry, group) == 0;
  });
  // What the same lanes do later stands for what they did before.
  for (Entry& entry : entries) {
    const bool replaced = entry.owner == mine.owner && entry.kind == mine.kind && entry.strong == mine.strong &&
                          (entry.bytes & ~mine.bytes) == 0 && entry.step != mine.step && entry.owner < kCopies;
    if (replaced) entry.lanes &= ~mine.lanes;
  }
  std::erase_if(entries, [](const Entry& entry) { return entry.lanes == 0; });
  for (Entry& entry : entries) {
    const bool alike = entry.owner == mine.owner && entry.step == mine.step && entry.bytes == mine.bytes &&
                       entry.kind == mine.kind && entry.strong == mine.strong && entry.is_volatile == mine.is_volatile;
    if (!alike) continue;
    entry.lanes |= mine.lanes;
    entry.site = mine.site;
    return;
  }
  entries.push_back(mine);
}

template <class F>
void SharedRaces::for_words(Entry mine, uint64_t offset, uint64_t width, F f) const {
  for (uint64_t at = offset; at < offset + width;) {
    const uint64_t index = at / kWord, end = std::min(offset + width, (index + 1) * kWord);
    if (index >= words_) return;
    mine.bytes = static_cast<uint8_t>(((1u << (end - at)) - 1) << at % kWord);
    f(index, mine);
    at = end;
  }
}

void SharedRaces::look_at(const Group& group, const Entry& mine, uint64_t offset, uint64_t width,
                          std::vector<Hazard>& found) const {
  for_words(mine, offset, width, [&](uint64_t index, const Entry& entry) {
    const Page* const page = pages_[index / kPageWords].get();
    if (page == nullptr) return;
    const Word& word = (*page)[index % kPageWords];
    compare(word.writes, group, entry, index, found);
    if (entry.kind != AccessKind::read) compare(word.reads, group, entry, index, found);
  });
}

SharedRaces::Word& SharedRaces::word_at(size_t index) {
  std::unique_ptr<Page>& page = pages_[index / kPageWords];
  if (page == nullptr) page = std::make_unique<Page>();
  return (*page)[index % kPageWords];
}

void SharedRaces::remember(const Group& group, const Entry& mine, uint64_t offset, uint64_t width) {
  for_words(mine, offset, width, [&](uint64_t index, const Entry& entry) {
    Word& word = word_at(index);
    if (entry.kind == AccessKind::read) return put(word.reads, group, entry);
    // Who races with an access that is forgotten races with this one, or the race was told just now. A strong access
    // may stand beside other strong ones, so weak ones that it knows of stay.
    const auto covered = [&](const Entry& earlier) {
      if ((earlier.bytes & ~entry.bytes) != 0) return false;
      return !entry.strong || (unknown_lanes(earlier, group) != 0) != earlier.strong;
    };
    std::erase_if(word.reads, covered);
    std::erase_if(word.writes, covered);
    put(word.writes, group, entry);
  });
}

void SharedRaces::touch(const Group& group, const Entry& mine, uint64_t offset, uint64_t width,
                        std::vector<Hazard>& found) {
  look_at(group, mine, offset, width, found);
  remember(group, mine, offset, width);
}

namespace {

/// Lanes that go to ascending places: no two to one.
bool ascend(const WarpAccess& access) {
  bool ascends = true;
  uint64_t behind = 0;
  for_lanes(access.lanes, [&](unsigned lane) {
    ascends &= access.offsets[lane] >= behind;
    behind = access.offsets[lane] + 1;
  });
  return ascends;
}

}  // namespace

template <class F>
void SharedRaces::for_groups(const WarpAccess& access, F f) const {
  const bool apart = ascend(access);
  for (uint64_t rest = access.lanes; rest != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    const Clock& clock = threads_[thread(access.warp, first)].clock;
    uint64_t same = apart ? bit(first) : 0;
    for_lanes(apart ? 0 : rest, [&](unsigned lane) {
      if (access.offsets[lane] == access.offsets[first] && threads_[thread(access.warp, lane)].clock == clock)
        same |= bit(lane);
    });
    rest &= ~same;
    const Entry mine{same,
                     step_[access.warp],
                     access.site,
                     access.warp,
                     0,
                     0,
                     access.kind,
                     access.strong || access.kind == AccessKind::atomic,
                     access.is_volatile};
    f(Group{access.warp, same, &clock}, mine, access.offsets[first]);
  }
}

/// Lanes that write one place by this instruction.
void SharedRaces::look_within(const WarpAccess& access, std::vector<Hazard>& found) const {
  if (ascend(access)) return;
  for (uint64_t rest = access.lanes; rest != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    uint64_t same = 0;
    for_lanes(rest, [&](unsigned lane) {
      if (access.offsets[lane] == access.offsets[first]) same |= bit(lane);
    });
    rest &= ~same;
    if (std::has_single_bit(same)) continue;
    Hazard hazard;
    hazard.kind = Hazard::Kind::write_after_write;
    hazard.earlier_site = hazard.later_site = access.site;
    hazard.earlier = thread(access.warp, first);
    hazard.later = thread(access.warp, static_cast<unsigned>(std::countr_zero(same & ~bit(first))));
    hazard.threads = static_cast<unsigned>(std::popcount(same));
    hazard.within_warp = hazard.one_instruction = true;
    hazard.offset = access.offsets[first];
    hazard.bytes = std::min(access.width, kWord);
    found.push_back(hazard);
  }
}

void SharedRaces::look(const WarpAccess& access, std::vector<Hazard>& found) const {
  if (access.kind == AccessKind::write) look_within(access, found);
  for_groups(access, [&](const Group& group, const Entry& mine, uint64_t offset) {
    look_at(group, mine, offset, access.width, found);
  });
}

void SharedRaces::access(const WarpAccess& access, std::vector<Hazard>& found) {
  look(access, found);
  for_groups(access, [&](const Group& group, const Entry& mine, uint64_t offset) {
    remember(group, mine, offset, access.width);
  });
}

}  // namespace bankshot::hazards

#include "bankshot/hazards/shared_races.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/hazards/lane_bits.hpp"

namespace bankshot::hazards {
namespace {

/// std::has_single_bit counts bits, which portable x86-64 has no instruction for.
bool is_single(uint64_t lanes) { return lanes != 0 && (lanes & (lanes - 1)) == 0; }

}  // namespace

inline void SharedRaces::Entries::push(const Entry& entry) {
  if (!many_ && count_ == 0) {
    one_ = entry;
  } else {
    if (!many_) many_ = std::make_unique<Many>(Many{{one_}, bit(one_.owner % 64)});
    many_->entries.push_back(entry);
    many_->owners |= bit(entry.owner % 64);
  }
  ++count_;
}

inline void SharedRaces::Entries::keep(size_t count) {
  count_ = static_cast<uint32_t>(count);
  if (!many_) return;
  many_->entries.resize(count);
  many_->owners = 0;
  for (const Entry& entry : many_->entries) many_->owners |= bit(entry.owner % 64);
}

inline void SharedRaces::Entries::set(const Entry& entry) {
  if (many_) {
    keep(0);
    push(entry);
  } else {
    one_ = entry;
    count_ = 1;
  }
}

bool SharedRaces::Entries::may_have(uint32_t owner) const {
  if (many_) return (many_->owners >> owner % 64 & 1) != 0;
  return count_ != 0 && one_.owner == owner;
}

SharedRaces::SharedRaces(unsigned threads, unsigned lanes, uint64_t bytes, unsigned ctas)
    : lanes_(lanes),
      warps_((threads + lanes - 1) / lanes),
      threads_(size_t{ctas} * warps_ * lanes),
      step_(size_t{ctas} * warps_, 1),
      words_((bytes + kWord - 1) / kWord),
      pages_((words_ + kPageWords - 1) / kPageWords),
      barriers_(size_t{ctas} * kBarriers),
      exited_(ctas),
      behind_(2 * size_t{ctas} * warps_) {}

uint32_t SharedRaces::id_of(const Clock& clock) const {
  if (id_ == 0 || clock != numbered_) {
    numbered_ = clock;
    ++id_;
  }
  return id_;
}

uint64_t SharedRaces::behind(const Clock& clock, unsigned warp, uint32_t step) const {
  Behind& last = behind_[2 * size_t{warp} + step % 2];
  if (last.step == step && last.clock == clock) return last.lanes;
  last.clock = clock;
  last.step = step;
  const size_t first = thread(warp, 0), size = clock == nullptr ? 0 : clock->size();
  last.lanes = bit(lanes_ - 1) | (bit(lanes_ - 1) - 1);
  const auto reached = static_cast<unsigned>(std::min<size_t>(size - std::min(size, first), lanes_));
  for (unsigned lane = 0; lane < reached; ++lane)
    last.lanes ^= static_cast<uint64_t>((*clock)[first + lane] >= step) << lane;
  return last.lanes;
}

/// The lanes of an earlier access of which the group does not know; an agent that copies is lane 0.
inline uint64_t SharedRaces::unknown_lanes(const Entry& entry, const Group& group) const {
  if (entry.owner >= kCopies) return known(*group.clock, entry.owner - kCopies) < entry.step ? 1 : 0;
  uint64_t need = entry.lanes;
  // A lane knows what it did itself, the others of the group do not.
  if (entry.owner == group.warp && is_single(group.lanes)) need &= ~group.lanes;
  if (need == 0) return 0;
  if (!is_single(need)) return need & behind(*group.clock, entry.owner, entry.step);
  const Agent agent = thread(entry.owner, static_cast<unsigned>(std::countr_zero(need)));
  return known(*group.clock, agent) < entry.step ? need : 0;
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

void SharedRaces::compare(const Entries& earlier, const Group& group, const Entry& mine, uint64_t word,
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
    if (same_warp && !is_single(others)) others &= ~bit(first);
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

/// Remembers an access among those of its kind. An earlier one is forgotten if all who will know of this one will know
/// of it as well; or, of a write, as who races with it races with this one, or the race was told just now. A strong
/// access may stand beside other strong ones, so weak ones that it knows of stay.
void SharedRaces::put(Entries& entries, const Group& group, const Entry& mine) const {
  const bool reads = mine.kind == AccessKind::read,
             none_known = group.clock_id != 0 && entries.unknown_to == group.clock_id;
  if (reads && none_known && !entries.may_have(mine.owner)) return entries.push(mine);
  Entry* kept = entries.begin();
  bool is_in = false, all_unknown = true;
  for (Entry& entry : entries) {
    const bool within = (entry.bytes & ~mine.bytes) == 0;
    if (within && !reads && !mine.strong) continue;
    const bool unknown = (none_known && entry.owner != group.warp) || unknown_lanes(entry, group) != 0;
    if (within && (reads ? (entry.strong || !mine.strong) && !unknown : unknown != entry.strong)) continue;
    all_unknown &= unknown;
    const bool same = entry.owner == mine.owner && entry.kind == mine.kind && entry.strong == mine.strong;
    if (same && entry.step != mine.step) {
      // What the same lanes do later stands for what they did before.
      if (within && entry.owner < kCopies && (entry.lanes & mine.lanes) != 0) {
        entry.lanes &= ~mine.lanes;
        all_unknown = false;  // perhaps
      }
      if (entry.lanes == 0) continue;
    } else if (same && entry.bytes == mine.bytes && entry.is_volatile == mine.is_volatile) {
      entry.lanes |= mine.lanes;
      entry.site = mine.site;
      is_in = true;
    }
    if (kept != &entry) *kept = entry;
    ++kept;
  }
  if (kept != entries.end()) entries.keep(static_cast<size_t>(kept - entries.begin()));
  if (!is_in) entries.push(mine);
  entries.unknown_to = all_unknown ? group.clock_id : 0;  // no clock contains the thread's present step
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

void SharedRaces::look_at(const Word& word, uint64_t index, const Group& group, const Entry& mine,
                          std::vector<Hazard>& found) const {
  compare(word.writes, group, mine, index, found);
  if (mine.kind != AccessKind::read) compare(word.reads, group, mine, index, found);
}

void SharedRaces::look_at(const Group& group, const Entry& mine, uint64_t offset, uint64_t width,
                          std::vector<Hazard>& found) const {
  for_words(mine, offset, width, [&](uint64_t index, const Entry& entry) {
    if (const Page* const page = pages_[index / kPageWords].get())
      look_at((*page)[index % kPageWords], index, group, entry, found);
  });
}

inline SharedRaces::Word& SharedRaces::word_at(size_t index) {
  std::unique_ptr<Page>& page = pages_[index / kPageWords];
  if (page == nullptr) page = std::make_unique<Page>();
  return (*page)[index % kPageWords];
}

void SharedRaces::remember(Word& word, const Group& group, const Entry& mine) const {
  if (mine.kind == AccessKind::read) return put(word.reads, group, mine);
  Entry* kept = word.reads.begin();
  for (const Entry& earlier : word.reads) {
    const bool within = (earlier.bytes & ~mine.bytes) == 0;
    const bool forgotten = within && (!mine.strong || (unknown_lanes(earlier, group) != 0) != earlier.strong);
    if (!forgotten) *kept++ = earlier;
  }
  word.reads.keep(static_cast<size_t>(kept - word.reads.begin()));
  put(word.writes, group, mine);
}

void SharedRaces::remember(const Group& group, const Entry& mine, uint64_t offset, uint64_t width) {
  for_words(mine, offset, width, [&](uint64_t index, const Entry& entry) { remember(word_at(index), group, entry); });
}

/// What most accesses are, in short: a weak one of a whole word, of which one write and one read are known at most,
/// which the group knows of. @return false if it is none of these; nothing was done then
inline bool SharedRaces::touch_simple(Word& word, const Group& group, const Entry& mine) const {
  const auto is_known = [&](const Entries& entries) {
    return entries.size() == 0 || (entries.size() == 1 && unknown_lanes(*entries.begin(), group) == 0);
  };
  if (mine.strong || !is_known(word.writes) || !is_known(word.reads)) return false;
  if (mine.kind != AccessKind::read) word.reads.keep(0);
  Entries& own = mine.kind == AccessKind::read ? word.reads : word.writes;
  own.set(mine);
  own.unknown_to = group.clock_id;
  return true;
}

void SharedRaces::touch(const Group& group, const Entry& mine, uint64_t offset, uint64_t width,
                        std::vector<Hazard>& found) {
  look_at(group, mine, offset, width, found);
  remember(group, mine, offset, width);
}

void SharedRaces::parts_of(const WarpAccess& access, Parts& parts) const {
  parts.apart = true;
  uint64_t behind = 0, last_end = 0, unaligned = access.width % kWord;
  bool overlap = false;
  for_lanes(access.lanes, [&](unsigned lane) {
    const uint64_t offset = access.offsets[lane];
    parts.apart &= offset >= behind;
    overlap |= offset < last_end;
    unaligned |= offset % kWord;
    behind = offset + 1;
    last_end = offset + access.width;
  });
  const Thread* const threads = &threads_[thread(access.warp, 0)];
  const auto part_of = [&](unsigned lane) {
    return Part{{access.warp, bit(lane), &threads[lane].clock, id_of(threads[lane].clock)}, access.offsets[lane]};
  };
  if (parts.apart) {
    for_lanes(access.lanes, [&](unsigned lane) { parts.all[parts.count++] = part_of(lane); });
    parts.disjoint = !overlap && unaligned == 0;
    return;
  }
  // Open hashing by offset: the number of a part, counted from 1.
  constexpr unsigned kSlots = 128;
  std::array<uint8_t, kSlots> slots{};
  overlap = access.width > kWord;
  Part* last = nullptr;
  for_lanes(access.lanes, [&](unsigned lane) {
    const Part mine = part_of(lane);
    const auto joins = [&](Part& part) {
      if (part.offset != mine.offset) return false;
      if (*part.group.clock != *mine.group.clock) {
        overlap = true;
        return false;
      }
      part.group.lanes |= bit(lane);
      last = &part;
      return true;
    };
    if (last != nullptr && joins(*last)) return;
    auto slot = static_cast<unsigned>(mine.offset * 0x9e3779b97f4a7c15u >> 57);
    for (; slots[slot] != 0; slot = (slot + 1) % kSlots) {
      if (joins(parts.all[slots[slot] - 1u])) return;
    }
    last = &parts.all[parts.count++];
    *last = mine;
    slots[slot] = static_cast<uint8_t>(parts.count);
  });
  parts.disjoint = !overlap && unaligned == 0;
}

SharedRaces::Entry SharedRaces::entry_of(const WarpAccess& access, const Group& group) const {
  return {group.lanes,
          step_[access.warp],
          access.site,
          access.warp,
          0,
          0,
          access.kind,
          access.strong || access.kind == AccessKind::atomic,
          access.is_volatile};
}

/// Lanes that write one place by this instruction.
void SharedRaces::look_within(const WarpAccess& access, const Parts& parts, std::vector<Hazard>& found) const {
  if (access.kind != AccessKind::write || parts.apart) return;
  for (uint64_t rest = access.lanes; rest != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    uint64_t same = 0;
    for_lanes(rest, [&](unsigned lane) {
      if (access.offsets[lane] == access.offsets[first]) same |= bit(lane);
    });
    rest &= ~same;
    if (is_single(same)) continue;
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

void SharedRaces::look(const WarpAccess& access, const Parts& parts, std::vector<Hazard>& found) const {
  for (const Part& part : parts) look_at(part.group, entry_of(access, part.group), part.offset, access.width, found);
}

void SharedRaces::look(const WarpAccess& access, std::vector<Hazard>& found) const {
  Parts parts;
  parts_of(access, parts);
  look_within(access, parts, found);
  look(access, parts, found);
}

void SharedRaces::access(const WarpAccess& access, std::vector<Hazard>& found) {
  Parts parts;
  parts_of(access, parts);
  look_within(access, parts, found);
  if (parts.disjoint) {
    Entry mine = entry_of(access, {});
    mine.bytes = (1u << kWord) - 1;
    for (const Part& part : parts) {
      mine.lanes = part.group.lanes;
      const uint64_t end = std::min<uint64_t>((part.offset + access.width) / kWord, words_);
      for (uint64_t index = part.offset / kWord; index < end; ++index) {
        Word& word = word_at(index);
        if (touch_simple(word, part.group, mine)) continue;
        look_at(word, index, part.group, mine, found);
        remember(word, part.group, mine);
      }
    }
    return;
  }
  look(access, parts, found);  // all lanes, before one of them is remembered
  for (const Part& part : parts) remember(part.group, entry_of(access, part.group), part.offset, access.width);
}

}  // namespace bankshot::hazards

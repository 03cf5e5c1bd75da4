#include "bankshot/hazards/quick_races.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "bankshot/hazards/lane_bits.hpp"

namespace bankshot::hazards {
namespace {

constexpr uint64_t kSeveral = 0xffffff;  ///< threads
constexpr unsigned kKinds = 24;          ///< the first bit of the kinds
constexpr unsigned kEra = 32;            ///< … of the era
constexpr unsigned kWordBytes = SharedRaces::kWord;

constexpr uint64_t bit_of(AccessKind kind) { return uint64_t{1} << (kKinds + static_cast<unsigned>(kind)); }

/// Kinds of another thread's accesses that an access may race with: all but reads with reads and atomics with atomics.
constexpr uint64_t may_race_with(AccessKind kind) {
  const uint64_t all = bit_of(AccessKind::read) | bit_of(AccessKind::write) | bit_of(AccessKind::atomic);
  return kind == AccessKind::write ? all : all & ~bit_of(kind);
}

}  // namespace

QuickRaces::QuickRaces(unsigned threads, unsigned lanes, uint64_t bytes, unsigned ctas, unsigned alive,
                       bool always_exact)
    : threads_(threads),
      lanes_(lanes),
      ctas_(ctas),
      bytes_(bytes),
      alive_(alive),
      always_exact_(always_exact || ctas != 1),
      waiting_(SharedRaces::kBarriers) {
  begin_anew();
}

void QuickRaces::begin_anew() {
  exact_ = always_exact_ ? std::make_unique<SharedRaces>(threads_, lanes_, bytes_, ctas_) : nullptr;
  events_.clear();
  offsets_.clear();
  told_ = false;
  ++era_;
}

SharedRaces& QuickRaces::exact() {
  if (exact_ == nullptr) {
    exact_ = std::make_unique<SharedRaces>(threads_, lanes_, bytes_, ctas_);
    for (const Event& event : events_) tell(event);
    events_.clear();
    offsets_.clear();
  }
  return *exact_;
}

void QuickRaces::tell(const Event& event) {
  using K = Event::Kind;
  const WarpAccess& a = event.access;
  switch (event.kind) {
    case K::access: {
      std::array<uint64_t, 64> offsets;
      const uint32_t* next = &offsets_[event.first_offset];
      for_lanes(a.lanes, [&](unsigned lane) { offsets[lane] = *next++; });
      WarpAccess access = a;
      access.offsets = offsets.data();
      std::vector<Hazard> none;  // as it was simple
      return exact_->access(access, none);
    }
    case K::exit: return exact_->exit(a.warp, a.lanes);
    case K::arrive: return exact_->arrive(event.barrier, a.warp, a.lanes, event.flags[0]);
    case K::complete: return exact_->complete(event.barrier, event.flags[0], event.number);
    case K::meet: return exact_->meet(a.warp, a.lanes);
    case K::fence: return exact_->fence(a.warp, a.lanes);
    case K::synchronise:
      return exact_->synchronise(a.warp, event.number, event.place, event.flags[0], event.flags[1], event.flags[2],
                                 event.flags[3]);
  }
}

QuickRaces::Event QuickRaces::event_of(Event::Kind kind, unsigned warp, uint64_t lanes) {
  Event event;
  event.kind = kind;
  event.access.warp = warp;
  event.access.lanes = lanes;
  return event;
}

void QuickRaces::note(const Event& event) {
  if (events_.size() == kMostEvents) exact();
  if (exact_ != nullptr) return tell(event);
  events_.push_back(event);
}

/// Whether no word of it is used by another thread in a way that may race. What it uses is written down.
bool QuickRaces::is_simple(const WarpAccess& access) {
  if (words_.empty()) words_.resize((bytes_ + kWordBytes - 1) / kWordBytes);
  const uint64_t kind = bit_of(access.kind), races = may_race_with(access.kind), era = era_ << kEra;
  // What a word has that several threads have read: a further read changes nothing.
  const uint64_t known = access.kind == AccessKind::read ? era | kind | kSeveral : 0;
  if (known != 0 && access.width == kWordBytes && access.lanes == 0xffffffff) {
    uint64_t others = 0;
    for (unsigned lane = 0; lane < 32; ++lane) others |= words_[access.offsets[lane] / kWordBytes] ^ known;
    if (others == 0) return true;
  }
  const auto is_simple_at = [&](uint64_t& word, uint64_t thread) {
    if (word >> kEra != era_) {
      word = era | kind | thread;
    } else if ((word & kSeveral) == thread || word == known) {
      word |= kind;
    } else if ((word & races) != 0) {
      return false;
    } else {
      word |= kind | kSeveral;
    }
    return true;
  };
  const uint64_t first_thread = uint64_t{access.warp} * lanes_ + 1;
  bool simple = true;
  for_lanes(access.lanes, [&](unsigned lane) {
    const uint64_t offset = access.offsets[lane], thread = first_thread + lane;
    if (access.width <= kWordBytes && offset % access.width == 0) {
      simple &= is_simple_at(words_[offset / kWordBytes], thread);
      return;
    }
    const size_t end = std::min<size_t>((offset + access.width + kWordBytes - 1) / kWordBytes, words_.size());
    for (size_t at = offset / kWordBytes; at < end; ++at) simple &= is_simple_at(words_[at], thread);
  });
  return simple;
}

void QuickRaces::access(const WarpAccess& access, std::vector<Hazard>& found) {
  if (access.lanes == 0) return;
  if (exact_ != nullptr || !is_simple(access) || events_.size() == kMostEvents) return exact().access(access, found);
  Event& event = events_.emplace_back();
  event.access = access;
  event.first_offset = offsets_.size();
  offsets_.resize(event.first_offset + static_cast<size_t>(std::popcount(access.lanes)));
  uint32_t* to = &offsets_[event.first_offset];
  for_lanes(access.lanes, [&](unsigned lane) { *to++ = static_cast<uint32_t>(access.offsets[lane]); });
}

void QuickRaces::exit(unsigned warp, uint64_t lanes) {
  alive_ -= static_cast<unsigned>(std::popcount(lanes));
  note(event_of(Event::Kind::exit, warp, lanes));
}

void QuickRaces::arrive(unsigned barrier, unsigned warp, uint64_t lanes, bool waits) {
  if (waits) waiting_[barrier] += static_cast<unsigned>(std::popcount(lanes));
  Event event = event_of(Event::Kind::arrive, warp, lanes);
  event.barrier = static_cast<uint8_t>(barrier);
  event.flags[0] = waits;
  note(event);
}

void QuickRaces::complete(unsigned barrier, bool whole, unsigned cta) {
  const unsigned waiting = std::exchange(waiting_[barrier], 0);
  if (whole && waiting == alive_ && !always_exact_) return begin_anew();
  Event event = event_of(Event::Kind::complete, 0, 0);
  event.barrier = static_cast<uint8_t>(barrier);
  event.flags[0] = whole;
  event.number = cta;
  note(event);
}

void QuickRaces::meet(unsigned warp, uint64_t lanes) { note(event_of(Event::Kind::meet, warp, lanes)); }

void QuickRaces::fence(unsigned warp, uint64_t lanes) {
  told_ = true;
  note(event_of(Event::Kind::fence, warp, lanes));
}

void QuickRaces::synchronise(unsigned warp, unsigned lane, uint64_t place, bool reads, bool writes, bool acquires,
                             bool releases) {
  if (!releases && !is_told()) return;
  told_ |= releases;
  Event event = event_of(Event::Kind::synchronise, warp, 0);
  event.number = lane;
  event.place = place;
  event.flags[0] = reads;
  event.flags[1] = writes;
  event.flags[2] = acquires;
  event.flags[3] = releases;
  note(event);
}

}  // namespace bankshot::hazards

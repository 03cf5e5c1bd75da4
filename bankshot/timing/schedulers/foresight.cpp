#include "bankshot/timing/schedulers/foresight.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <vector>

namespace bankshot::timing {

unsigned safe_distance(std::span<const unsigned> degrees, unsigned ports, bool corrected) {
  const auto rounded = [&](unsigned degree) { return (degree + ports - 1) / ports; };
  if (!corrected) return rounded(std::accumulate(degrees.begin(), degrees.end(), 0u));
  return std::accumulate(degrees.begin(), degrees.end(), 0u,
                         [&](unsigned sum, unsigned degree) { return sum + rounded(degree); });
}

namespace {

/// The cache of section 4.4: 256 sets of 2 entries, 14 bits of PC, least recently used out. Empty, it foresees no
/// conflict.
/// @tparam Entry  what it remembers of an instruction: Entry{} of one that it does not know
template <class Entry>
class HistoryCache {
 public:
  static constexpr unsigned kSetBits = 8, kPcBits = 14, kWays = 2;
  static constexpr unsigned kTagBits = kPcBits - kSetBits;

  /// Null if it is not there.
  Entry* find(uint32_t pc) {
    Line* const set = set_of(pc);
    for (unsigned way = 0; way < kWays; ++way) {
      if (set[way].used && set[way].tag == tag_of(pc)) {
        if (way != 0) std::swap(set[0], set[way]);  // the first is the one used last
        return &set[0].entry;
      }
    }
    return nullptr;
  }
  Entry& find_or_add(uint32_t pc) {
    if (Entry* const found = find(pc)) return *found;
    Line* const set = set_of(pc);
    std::move_backward(set, set + kWays - 1, set + kWays);
    set[0] = {true, tag_of(pc), {}};
    return set[0].entry;
  }
  void clear() { lines_.fill({}); }
  /// Valid bits and order of use not counted, as in the paper.
  static constexpr unsigned bits(unsigned of_entry) { return (kWays << kSetBits) * (kTagBits + of_entry); }

 private:
  struct Line {
    bool used = false;
    uint8_t tag = 0;
    Entry entry;
  };
  Line* set_of(uint32_t pc) { return &lines_[kWays * (pc & ((1u << kSetBits) - 1))]; }
  static uint8_t tag_of(uint32_t pc) { return static_cast<uint8_t>(pc >> kSetBits & ((1u << kTagBits) - 1)); }
  std::array<Line, kWays << kSetBits> lines_;
};

constexpr unsigned kBits = 5;  ///< of a conflict up to kMost

/// The paper's: what it was the last time.
class Last final : public Foresight {
 public:
  unsigned foresee(uint32_t pc, unsigned, unsigned) override {
    const uint8_t* const last = cache_.find(pc);
    return last == nullptr ? 0 : *last;
  }
  void learn(uint32_t pc, unsigned, unsigned conflict) override {
    cache_.find_or_add(pc) = static_cast<uint8_t>(std::min(conflict, kMost));
  }
  void clear() override { cache_.clear(); }
  unsigned bits() const override { return HistoryCache<uint8_t>::bits(kBits); }

 private:
  HistoryCache<uint8_t> cache_;
};

/// Changes its mind slowly: a new value stays until it was wrong twice, one that has come true for up to two times
/// more. Irregular accesses change from one execution to the next, and one odd warp does not tell what the next will
/// do.
class Confident final : public Foresight {
 public:
  unsigned foresee(uint32_t pc, unsigned, unsigned) override {
    const Entry* const found = cache_.find(pc);
    return found == nullptr ? 0 : found->value;
  }
  void learn(uint32_t pc, unsigned, unsigned conflict) override {
    Entry& entry = cache_.find_or_add(pc);
    conflict = std::min(conflict, kMost);
    if (entry.value == conflict) {
      entry.trust = static_cast<uint8_t>(std::min(3, entry.trust + 1));
    } else if (entry.trust > 0) {
      --entry.trust;
    } else {
      entry = {static_cast<uint8_t>(conflict), 1};
    }
  }
  void clear() override { cache_.clear(); }
  unsigned bits() const override { return HistoryCache<Entry>::bits(kBits + 2); }

 private:
  struct Entry {
    uint8_t value = 0, trust = 0;  ///< trust: 2 bits
  };
  HistoryCache<Entry> cache_;
};

/// The mean of the past, in which the latest has a quarter of the weight and all before it the rest, rounded up:
/// irregular accesses scatter around it.
class Mean final : public Foresight {
 public:
  unsigned foresee(uint32_t pc, unsigned, unsigned) override {
    const Entry* const found = cache_.find(pc);
    return found == nullptr ? 0 : (found->eighths + 7u) / 8;
  }
  void learn(uint32_t pc, unsigned, unsigned conflict) override {
    Entry* const found = cache_.find(pc);
    const auto now = static_cast<uint8_t>(8 * std::min(conflict, kMost));
    if (found == nullptr) {
      cache_.find_or_add(pc).eighths = now;
    } else {
      // Away from the mean, so that what is the same every time is reached.
      const int by = int{now} - int{found->eighths};
      found->eighths = static_cast<uint8_t>(found->eighths + (by >= 0 ? (by + 3) / 4 : -((3 - by) / 4)));
    }
  }
  void clear() override { cache_.clear(); }
  unsigned bits() const override { return HistoryCache<Entry>::bits(kBits + 3); }

 private:
  struct Entry {
    uint8_t eighths = 0;
  };
  HistoryCache<Entry> cache_;
};

/// What it was the last time in this warp, else in any: lanes of a warp often keep their pattern, others have another.
class PerWarp final : public Foresight {
 public:
  explicit PerWarp(unsigned warps) : caches_(warps) {}
  unsigned foresee(uint32_t pc, unsigned slot, unsigned) override {
    assert(slot < caches_.size() && "no more warps than the GPU has");
    if (const uint8_t* const own = caches_[slot].find(pc)) return *own;
    return any_.foresee(pc, slot, 0);
  }
  void learn(uint32_t pc, unsigned slot, unsigned conflict) override {
    caches_[slot].find_or_add(pc) = static_cast<uint8_t>(std::min(conflict, kMost));
    any_.learn(pc, slot, conflict);
  }
  void clear() override {
    for (auto& cache : caches_) cache.clear();
    any_.clear();
  }
  unsigned bits() const override {
    return static_cast<unsigned>(caches_.size() + 1) * HistoryCache<uint8_t>::bits(kBits);
  }

 private:
  std::vector<HistoryCache<uint8_t>> caches_;  ///< by warp slot
  Last any_;
};

/// What no hardware can have: the bound of all others.
class Exact final : public Foresight {
 public:
  unsigned foresee(uint32_t, unsigned, unsigned conflict) override { return conflict; }
  void learn(uint32_t, unsigned, unsigned) override {}
  void clear() override {}
  unsigned bits() const override { return 0; }
};

template <class Kind>
std::unique_ptr<Foresight> make(const Config&) {
  return std::make_unique<Kind>();
}

const ForesightRegistry last({"last", "the instruction's last conflict: the history cache of CF'11", make<Last>});
const ForesightRegistry confident(
    {"confident", "an earlier conflict of the instruction, until wrong twice, or more often if it was right before",
     make<Confident>});
const ForesightRegistry mean({"mean", "a mean of the instruction's conflicts, in which the latest counts most",
                              make<Mean>});
const ForesightRegistry warp({"warp", "the instruction's last conflict in the same warp",
                              [](const Config& config) { return std::make_unique<PerWarp>(config.max_warps); }});
const ForesightRegistry exact({"exact", "the conflict that it will have: perfect prediction, which no hardware has",
                               make<Exact>});
const ForesightRegistry none({"none", "no prediction: memory accesses issue into conflicts",
                              [](const Config&) { return std::unique_ptr<Foresight>(); }});

}  // namespace
}  // namespace bankshot::timing

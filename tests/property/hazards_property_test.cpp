// Vector clocks against the definition: two accesses race if no chain of edges leads from one to the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "bankshot/hazards/shared_races.hpp"

namespace bankshot::hazards {
namespace {

constexpr unsigned kWarps = 3, kLanes = 4, kThreads = kWarps * kLanes, kWords = 4, kPlaces = 2;
constexpr size_t kMostNodes = 1024;

/// What happened, as nodes and the nodes before them; by the definition, with all of the past of a node as a set.
class Reference {
 public:
  Reference() { last_.fill(-1); }

  int add(unsigned thread, std::vector<int> before = {}) {
    std::bitset<kMostNodes> past;
    if (last_[thread] >= 0) before.push_back(last_[thread]);
    for (const int node : before)
      past |= past_[static_cast<size_t>(node)] | std::bitset<kMostNodes>().set(static_cast<size_t>(node));
    past_.push_back(past);
    return last_[thread] = static_cast<int>(past_.size()) - 1;
  }
  void access(unsigned thread, unsigned word, AccessKind kind) {
    const int node = add(thread);
    for (const Access& other : accesses_) {
      if (other.word != word || (other.kind == AccessKind::read && kind == AccessKind::read)) continue;
      if (other.kind == AccessKind::atomic && kind == AccessKind::atomic) continue;
      if (!past_[static_cast<size_t>(node)][static_cast<size_t>(other.node)]) racing.insert(word);
    }
    accesses_.push_back({node, word, kind});
  }
  /// A bulk copy reads, and its thread waits for it: a proxy fence has to stand on a chain from each write to it.
  void copy(unsigned thread, unsigned word) {
    const int node = add(thread);
    for (const Access& other : accesses_) {
      if (other.word != word || other.kind == AccessKind::read) continue;
      const auto write = static_cast<size_t>(other.node);
      const auto stands_between = [&](int fence) {
        return past_[static_cast<size_t>(fence)][write] && past_[static_cast<size_t>(node)][static_cast<size_t>(fence)];
      };
      if (!past_[static_cast<size_t>(node)][write]) {
        racing.insert(word);
      } else if (std::none_of(proxy_fences_.begin(), proxy_fences_.end(), stands_between)) {
        unfenced.insert(word);
      }
    }
    accesses_.push_back({node, word, AccessKind::read});
  }
  void fence_proxy(unsigned thread) { proxy_fences_.push_back(add(thread)); }
  int last(unsigned thread) { return last_[thread] >= 0 ? last_[thread] : add(thread); }

  std::set<unsigned> racing, unfenced;

 private:
  struct Access {
    int node;
    unsigned word;
    AccessKind kind;
  };
  std::vector<std::bitset<kMostNodes>> past_;
  std::array<int, kThreads> last_;
  std::vector<Access> accesses_;
  std::vector<int> proxy_fences_;
};

struct Both {
  SharedRaces races{kThreads, kLanes, kWords * 4};
  Reference reference;
  std::vector<Hazard> found;
  std::array<int, kThreads> fence{};            ///< of each thread its last one, -1: none
  std::array<std::vector<int>, kThreads> seen;  ///< fences whose flag it has read since its own last one
  std::array<std::vector<int>, kPlaces> there;  ///< fences that the value at a place tells of

  Both() { fence.fill(-1); }

  void access(unsigned warp, uint64_t lanes, const std::array<uint64_t, 64>& offsets, AccessKind kind) {
    WarpAccess access;
    access.kind = kind;
    access.warp = warp;
    access.lanes = lanes;
    access.offsets = offsets.data();
    races.access(access, found);
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      reference.access(warp * kLanes + lane, static_cast<unsigned>(offsets[lane] / 4), kind);
    }
  }
  void barrier(unsigned warps, unsigned waiting) {
    std::vector<int> arrivals;
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      if ((warps >> warp & 1) == 0) continue;
      races.arrive(0, warp, (1 << kLanes) - 1, (waiting >> warp & 1) != 0);
      for (unsigned lane = 0; lane < kLanes; ++lane) arrivals.push_back(reference.last(warp * kLanes + lane));
    }
    races.complete(0);
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((warps & waiting) >> warp & 1) reference.add(warp * kLanes + lane, arrivals);
      }
    }
  }
  void meet(unsigned warp, uint64_t lanes) {
    std::vector<int> arrivals;
    races.meet(warp, lanes);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1) != 0) arrivals.push_back(reference.last(warp * kLanes + lane));
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1) != 0) reference.add(warp * kLanes + lane, arrivals);
    }
  }
  void make_fence(unsigned warp, unsigned lane) {
    races.fence(warp, uint64_t{1} << lane);
    const unsigned thread = warp * kLanes + lane;
    fence[thread] = reference.add(thread, std::exchange(seen[thread], {}));
  }
  void copy(unsigned warp, unsigned lane, unsigned word) {
    std::array<uint64_t, 64> offsets{};
    offsets[lane] = uint64_t{4} * word;
    WarpAccess access;
    access.warp = warp;
    access.lanes = uint64_t{1} << lane;
    access.offsets = offsets.data();
    races.copy_async(access, SharedRaces::kBulks, found);
    races.commit_group(warp, access.lanes, SharedRaces::kBulks);
    races.wait_groups(warp, access.lanes, 0, SharedRaces::kBulks);
    reference.copy(warp * kLanes + lane, word);
  }
  void fence_proxy(unsigned warp, uint64_t lanes) {
    races.fence_proxy(warp, lanes);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1) != 0) reference.fence_proxy(warp * kLanes + lane);
    }
  }
  void flag(unsigned warp, unsigned lane, unsigned place, bool reads, bool writes) {
    races.synchronise(warp, lane, 1000 + place, reads, writes, false, false);
    const unsigned thread = warp * kLanes + lane;
    std::vector<int>& told = there[place];
    if (reads) seen[thread].insert(seen[thread].end(), told.begin(), told.end());
    if (!writes) return;
    if (!reads) told.clear();
    if (fence[thread] >= 0) told.push_back(fence[thread]);
  }
};

TEST(HazardsProperty, RacesAreThoseOfTheDefinition) {
  constexpr unsigned kPrograms = 3000;
  unsigned racing = 0, clean = 0, unfenced = 0;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    Both both;
    const unsigned steps = 4 + below(24);
    for (unsigned step = 0; step < steps; ++step) {
      const unsigned warp = below(kWarps), lane = below(kLanes);
      const uint64_t lanes = 1 + below((1 << kLanes) - 1);
      switch (below(13)) {
        case 0:
        case 1: both.barrier(1 + below((1 << kWarps) - 1), below(4) == 0 ? below(1 << kWarps) : ~0u); break;
        case 2: both.meet(warp, lanes); break;
        case 3: both.make_fence(warp, lane); break;
        case 4: {
          const unsigned does = 1 + below(3);
          both.flag(warp, lane, below(kPlaces), (does & 1) != 0, (does & 2) != 0);
          break;
        }
        case 5: both.fence_proxy(warp, lanes); break;
        case 6: both.copy(warp, lane, below(kWords)); break;
        default: {
          std::array<uint64_t, 64> offsets{};
          const bool same = below(2) == 0;
          const unsigned word = below(kWords);
          for (unsigned l = 0; l < kLanes; ++l) offsets[l] = 4 * (same ? word : (word + l) % kWords);
          const auto kind = static_cast<AccessKind>(below(3));
          // Lanes that write one word by one instruction race: one of them only.
          both.access(warp, same && kind == AccessKind::write ? lanes & -lanes : lanes, offsets, kind);
        }
      }
    }
    std::set<unsigned> found, of_copies;
    for (const Hazard& hazard : both.found)
      (hazard.unfenced ? of_copies : found).insert(static_cast<unsigned>(hazard.offset / 4));
    ASSERT_EQ(found, both.reference.racing) << "seed " << seed;
    // Where there is a race, accesses before it are not remembered.
    for (const unsigned word : found) {
      of_copies.erase(word);
      both.reference.unfenced.erase(word);
    }
    ASSERT_EQ(of_copies, both.reference.unfenced) << "seed " << seed;
    unfenced += of_copies.empty() ? 0 : 1;
    ++(found.empty() ? clean : racing);
  }
  EXPECT_GT(racing, kPrograms / 5);
  EXPECT_GT(clean, kPrograms / 50);
  EXPECT_GT(unfenced, kPrograms / 50);
}

}  // namespace
}  // namespace bankshot::hazards

// QuickRaces leaves most of the work of SharedRaces out and finds the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "bankshot/hazards/quick_races.hpp"

namespace bankshot::hazards {
namespace {

constexpr unsigned kQuickWarps = 3;

bool are_same(const Hazard& a, const Hazard& b) {
  return a.kind == b.kind && a.earlier_site == b.earlier_site && a.later_site == b.later_site &&
         a.earlier == b.earlier && a.later == b.later && a.within_warp == b.within_warp &&
         a.one_instruction == b.one_instruction && a.threads == b.threads && a.offset == b.offset && a.bytes == b.bytes;
}

/// A program of some rounds with a barrier of all threads between them. In most of them each thread has words of its
/// own; in some it has those of others as well.
class BothWays {
 public:
  /// @param lanes  of a warp
  BothWays(unsigned seed, unsigned lanes) : random_(seed), lanes_(lanes) { alive_.fill(all_of_warp_); }

  void run() {
    const unsigned rounds = 2 + below(5);
    for (unsigned round = 0; round < rounds; ++round) {
      const bool careful = below(4) != 0;
      own_bytes_ = below(2) == 0 ? 4 : 8;
      const unsigned shift = below(bytes_ / 4);
      for (unsigned steps = below(24); steps > 0; --steps) step(careful, shift);
      if (below(5) == 0) exit(below(kQuickWarps), 1 + below(all_of_warp_));
      barrier();
    }
  }

  std::vector<Hazard> quick_found, exact_found;
  unsigned quick_rounds = 0, exact_rounds = 0;

 private:
  unsigned below(uint64_t n) { return static_cast<unsigned>(random_() % n); }

  void access(unsigned warp, uint64_t lanes, AccessKind kind, bool strong, unsigned width,
              const std::array<uint64_t, 64>& offsets) {
    WarpAccess access;
    access.kind = kind;
    access.strong = strong;
    access.is_volatile = strong && kind != AccessKind::atomic;  // there are no such atomics
    access.site = below(9);
    access.warp = warp;
    access.lanes = lanes & alive_[warp];
    access.width = width;
    access.offsets = offsets.data();
    quick_.access(access, quick_found);
    exact_.access(access, exact_found);
  }

  void step(bool careful, unsigned shift) {
    const unsigned warp = below(kQuickWarps), lane = below(lanes_);
    const uint64_t lanes = (below(2) == 0 ? all_of_warp_ : 1 + below(all_of_warp_)) & alive_[warp];
    if (lanes == 0) return;
    switch (below(12)) {
      case 0:
        quick_.meet(warp, lanes);
        exact_.meet(warp, lanes);
        break;
      case 1:
        quick_.fence(warp, lanes);
        exact_.fence(warp, lanes);
        break;
      case 2: {
        const bool reads = below(2) == 0, writes = !reads || below(2) == 0, releases = below(3) == 0;
        quick_.synchronise(warp, lane, 8, reads, writes, reads && releases, writes && releases);
        exact_.synchronise(warp, lane, 8, reads, writes, reads && releases, writes && releases);
        break;
      }
      case 3: {  // a barrier of some
        const unsigned other = (warp + 1) % kQuickWarps;
        for (const unsigned w : {warp, other}) {
          const bool waits = w == warp || below(2) == 0;
          if (alive_[w] == 0) continue;
          quick_.arrive(1, w, alive_[w], waits);
          exact_.arrive(1, w, alive_[w], waits);
        }
        const bool whole = below(2) == 0;
        quick_.complete(1, whole, 0);
        exact_.complete(1, whole);
        break;
      }
      default: {
        std::array<uint64_t, 64> offsets{};
        const unsigned width = std::min(1u << below(4), own_bytes_);
        const auto kind = static_cast<AccessKind>(below(3));
        const bool mixed = below(3) != 0;
        bool together = below(2) == 0;
        for (unsigned l = 0; l < lanes_; ++l) {
          // Each thread has bytes of its own; reads and atomics may go to words that nobody writes.
          const uint64_t own = (warp * lanes_ + l + shift) * own_bytes_ % (bytes_ / 2);
          const uint64_t all = bytes_ / 2 + 16 * static_cast<unsigned>(kind);
          together ^= mixed && below(4) == 0;
          offsets[l] = kind != AccessKind::write && together ? all : own;
          if (!careful && below(6) == 0)
            offsets[l] = below(2) == 0 ? below(bytes_ / 8) * 8 : bytes_ / 2 + 16 * uint64_t{below(3)};
        }
        access(warp, lanes, kind, !careful && below(8) == 0, width, offsets);
      }
    }
  }

  void exit(unsigned warp, uint64_t lanes) {
    lanes &= alive_[warp];
    if (lanes == 0) return;
    alive_[warp] &= ~lanes;
    quick_.exit(warp, lanes);
    exact_.exit(warp, lanes);
  }

  void barrier() {
    ++(quick_.is_exact() ? exact_rounds : quick_rounds);
    const unsigned leaves_out = below(12) == 0 ? below(kQuickWarps) : kQuickWarps;  // arrives and goes on
    for (unsigned warp = 0; warp < kQuickWarps; ++warp) {
      if (alive_[warp] == 0) continue;
      quick_.arrive(0, warp, alive_[warp], warp != leaves_out);
      exact_.arrive(0, warp, alive_[warp], warp != leaves_out);
    }
    quick_.complete(0, true, 0);
    exact_.complete(0);
  }

  std::mt19937 random_;
  const unsigned lanes_;
  const uint64_t bytes_ = 64 * lanes_, all_of_warp_ = (uint64_t{1} << lanes_) - 1;
  unsigned own_bytes_ = 8;  ///< of each thread, in a round
  std::array<uint64_t, kQuickWarps> alive_{};
  QuickRaces quick_{kQuickWarps * lanes_, lanes_, bytes_, 1, kQuickWarps* lanes_, false};
  SharedRaces exact_{kQuickWarps * lanes_, lanes_, bytes_};
};

TEST(HazardsProperty, QuickRacesFindsWhatSharedRacesFinds) {
  unsigned quick = 0, exact = 0, racing = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    BothWays both(seed, seed % 2 == 0 ? 4 : 32);
    both.run();
    ASSERT_EQ(both.quick_found.size(), both.exact_found.size()) << "seed " << seed;
    for (size_t k = 0; k < both.exact_found.size(); ++k)
      ASSERT_TRUE(are_same(both.quick_found[k], both.exact_found[k])) << "seed " << seed << ", hazard " << k;
    quick += both.quick_rounds;
    exact += both.exact_rounds;
    racing += both.exact_found.empty() ? 0 : 1;
  }
  EXPECT_GT(quick, exact / 4);
  EXPECT_GT(exact, quick / 8);
  EXPECT_GT(racing, 1000u);
}

/// One lane after the other does the same many times: more than is written down.
TEST(QuickRaces, WhatIsNotWrittenDownIsKnownAllTheSame) {
  QuickRaces races(64, 32, 1024, 1, 64, false);
  std::vector<Hazard> found;
  std::array<uint64_t, 64> offsets{};
  for (unsigned lane = 0; lane < 32; ++lane) offsets[lane] = 4 * lane;
  WarpAccess access;
  access.lanes = 0xffffffff;
  access.offsets = offsets.data();
  access.site = 3;
  for (unsigned k = 0; k < 40'000; ++k) races.access(access, found);
  EXPECT_TRUE(races.is_exact());
  EXPECT_TRUE(found.empty());
  access.kind = AccessKind::write;
  access.warp = 1;
  access.site = 4;
  races.access(access, found);
  ASSERT_EQ(found.size(), 32u);
  EXPECT_EQ(found[5].kind, Hazard::Kind::write_after_read);
  EXPECT_EQ(found[5].earlier, 5u);
  EXPECT_EQ(found[5].later, 37u);
  EXPECT_EQ(found[5].earlier_site, 3u);
  // The barrier orders all of it.
  found.clear();
  for (const unsigned warp : {0u, 1u}) races.arrive(0, warp, 0xffffffff, true);
  races.complete(0, true, 0);
  EXPECT_FALSE(races.is_exact());
  access.warp = 0;
  races.access(access, found);
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace bankshot::hazards

// Shared memory of a cluster, and copies that go another way to memory.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bankshot/hazards/shared_races.hpp"

namespace bankshot::hazards {
namespace {

using Kind = Hazard::Kind;

/// Two CTAs of 2 warps of 32 lanes with 256 bytes each: warps 0 and 1, 2 and 3; bytes 0 to 255, 256 to 511.
struct Pair {
  SharedRaces races{64, 32, 512, 2};
  std::vector<Hazard> found;
  std::array<uint64_t, 64> offsets{};

  WarpAccess of(AccessKind kind, unsigned warp, uint64_t lanes, uint64_t offset) {
    offsets.fill(offset);
    WarpAccess access;
    access.kind = kind;
    access.warp = warp;
    access.lanes = lanes;
    access.offsets = offsets.data();
    return access;
  }
  void access(AccessKind kind, unsigned warp, uint64_t lanes, uint64_t offset) {
    races.access(of(kind, warp, lanes, offset), found);
  }
  void read(unsigned warp, uint64_t offset) { access(AccessKind::read, warp, 1, offset); }
  void write(unsigned warp, uint64_t offset) { access(AccessKind::write, warp, 1, offset); }
  /// A bulk copy reads on behalf of lane 0 of a warp.
  void copy_from(unsigned warp, uint64_t offset) {
    races.copy_async(of(AccessKind::read, warp, 1, offset), SharedRaces::kBulks, found);
  }
  void barrier(unsigned cta) {
    for (const unsigned warp : {2 * cta, 2 * cta + 1}) races.arrive(0, warp, ~0u, true);
    races.complete(0, true, cta);
  }
};

constexpr uint64_t kCluster = 1;  ///< its barrier, among the mbarriers

TEST(ClusterRaces, ABarrierOfOneCtaOrdersNothingOfAnother) {
  Pair pair;
  pair.write(0, 256);
  pair.barrier(0);
  pair.barrier(1);
  pair.read(3, 256);
  ASSERT_EQ(pair.found.size(), 1u);
  EXPECT_EQ(pair.found[0].kind, Kind::read_after_write);
  EXPECT_EQ(pair.found[0].earlier, 0u);
  EXPECT_EQ(pair.found[0].later, 3u * 32);
  EXPECT_EQ(pair.found[0].offset, 256u);
  EXPECT_FALSE(pair.found[0].within_warp);
}

TEST(ClusterRaces, BarriersOfOneNumberAreOnesOfTheirCtas) {
  Pair pair;
  pair.write(0, 0);
  pair.races.arrive(0, 0, ~0u, true);
  pair.races.arrive(0, 2, ~0u, true);  // the other CTA's
  pair.races.complete(0, true, 1);
  pair.read(2, 0);
  EXPECT_EQ(pair.found.size(), 1u);
}

TEST(ClusterRaces, TheBarrierOfTheClusterOrdersAllCtas) {
  for (const bool has_ended : {false, true}) {
    Pair pair;
    pair.write(0, 256);
    pair.read(1, 260);
    if (has_ended) {
      pair.races.exit(0, ~0u);
      pair.races.exit(1, ~0u);
    } else {
      pair.races.arrive_mbarrier(kCluster, 0, 0);
      pair.races.arrive_mbarrier(kCluster, 1, 0);
    }
    pair.races.arrive_mbarrier(kCluster, 2, 0);
    pair.races.end_phase(kCluster, true);
    pair.races.pass_mbarrier(kCluster, 2, 0);
    pair.read(2, 256);
    pair.write(2, 260);
    EXPECT_TRUE(pair.found.empty()) << has_ended;
  }
}

TEST(ClusterRaces, ThreadsThatEndDoNotArriveAtOtherMbarriers) {
  Pair pair;
  pair.write(0, 256);
  pair.races.exit(0, ~0u);
  pair.races.arrive_mbarrier(64, 2, 0);
  pair.races.end_phase(64);
  pair.races.pass_mbarrier(64, 2, 0);
  pair.read(2, 256);
  EXPECT_EQ(pair.found.size(), 1u);
}

TEST(ClusterRaces, ReductionsByCopiesDoNotRaceWithAtomicsButWithReads) {
  Pair pair;
  pair.races.copy_bulk(pair.of(AccessKind::atomic, 0, 1, 256), 320, pair.found);
  pair.races.copy_bulk(pair.of(AccessKind::atomic, 1, 1, 256), 384, pair.found);
  pair.access(AccessKind::atomic, 2, 1, 256);
  EXPECT_TRUE(pair.found.empty());
  pair.read(2, 256);
  ASSERT_EQ(pair.found.size(), 2u);  // of either copy; it knows of its own atomic
  EXPECT_TRUE(pair.found[0].asynchronous);
}

TEST(ProxyFences, ABulkCopyOfWhatAThreadWroteNeedsAFence) {
  for (const bool fence : {false, true}) {
    Pair pair;
    pair.write(0, 0);
    if (fence) pair.races.fence_proxy(0, 1);
    pair.copy_from(0, 0);
    EXPECT_EQ(pair.found.empty(), fence);
    if (fence) continue;
    EXPECT_TRUE(pair.found[0].unfenced);
    EXPECT_EQ(pair.found[0].kind, Kind::read_after_write);
  }
}

TEST(ProxyFences, TheFenceMayStandOnEitherSideOfABarrier) {
  for (const unsigned where : {0u, 1u, 2u}) {
    Pair pair;
    pair.write(1, 0);
    if (where == 1) pair.races.fence_proxy(1, ~0u);
    pair.barrier(0);
    if (where == 2) pair.races.fence_proxy(0, 1);
    pair.copy_from(0, 0);
    EXPECT_EQ(pair.found.empty(), where != 0) << where;
  }
}

TEST(ProxyFences, AFenceBeforeTheWriteOrOfAThreadThatDoesNotKnowOfItIsNone) {
  Pair before;
  before.races.fence_proxy(1, 1);
  before.write(1, 0);
  before.barrier(0);
  before.copy_from(0, 0);
  ASSERT_EQ(before.found.size(), 1u);
  EXPECT_TRUE(before.found[0].unfenced);
  Pair ignorant;
  ignorant.write(1, 0);
  ignorant.races.fence_proxy(0, 1);  // before it has heard of the write
  ignorant.barrier(0);
  ignorant.copy_from(0, 0);
  ASSERT_EQ(ignorant.found.size(), 1u);
  EXPECT_TRUE(ignorant.found[0].unfenced);
}

TEST(ProxyFences, AFenceIsNoOrderByItself) {
  Pair pair;
  pair.write(1, 0);
  pair.races.fence_proxy(1, 1);
  pair.copy_from(0, 0);
  ASSERT_EQ(pair.found.size(), 1u);
  EXPECT_FALSE(pair.found[0].unfenced);
}

TEST(ProxyFences, FlagsAndMbarriersCarryThemOn) {
  Pair flags;
  flags.write(1, 0);
  flags.races.fence_proxy(1, 1);
  flags.races.fence(1, 1);
  flags.races.synchronise(1, 0, 64, false, true, false, false);
  flags.races.synchronise(0, 0, 64, true, false, true, false);
  flags.copy_from(0, 0);
  EXPECT_TRUE(flags.found.empty());
  Pair releases;
  releases.write(1, 0);
  releases.races.fence_proxy(1, 1);
  releases.races.synchronise(1, 0, 64, false, true, false, true);
  releases.races.synchronise(0, 0, 64, true, false, true, false);
  releases.copy_from(0, 0);
  EXPECT_TRUE(releases.found.empty());
  Pair barriers;
  barriers.write(1, 0);
  barriers.races.fence_proxy(1, 1);
  barriers.races.arrive_mbarrier(64, 1, 0);
  barriers.races.end_phase(64);
  barriers.races.pass_mbarrier(64, 0, 0);
  barriers.copy_from(0, 0);
  EXPECT_TRUE(barriers.found.empty());
}

TEST(ProxyFences, WhatACopyBroughtNeedsNone) {
  Pair pair;
  pair.races.copy_bulk(pair.of(AccessKind::write, 0, 1, 0), 64, pair.found);
  pair.races.end_phase(64);
  pair.races.pass_mbarrier(64, 0, 0);
  pair.copy_from(0, 0);
  EXPECT_TRUE(pair.found.empty());
}

}  // namespace
}  // namespace bankshot::hazards

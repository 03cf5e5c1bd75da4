#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bankshot/hazards/shared_races.hpp"
#include "bankshot/hazards/written_bytes.hpp"

namespace bankshot::hazards {
namespace {

using Kind = Hazard::Kind;

/// A CTA of 4 warps of 32 lanes with 256 bytes; lane l of an access goes to offset + l * stride.
struct Block {
  SharedRaces races{128, 32, 256};
  std::vector<Hazard> found;

  void access(AccessKind kind, unsigned warp, uint64_t lanes, uint64_t offset, unsigned stride = 0, unsigned width = 4,
              bool strong = false, uint32_t site = 0) {
    std::array<uint64_t, 64> offsets{};
    for (unsigned lane = 0; lane < 32; ++lane) offsets[lane] = offset + lane * stride;
    WarpAccess access;
    access.kind = kind;
    access.strong = strong;
    access.site = site;
    access.warp = warp;
    access.lanes = lanes;
    access.width = width;
    access.offsets = offsets.data();
    races.access(access, found);
  }
  void read(unsigned warp, uint64_t lanes, uint64_t offset, unsigned stride = 0) {
    access(AccessKind::read, warp, lanes, offset, stride);
  }
  void write(unsigned warp, uint64_t lanes, uint64_t offset, unsigned stride = 0) {
    access(AccessKind::write, warp, lanes, offset, stride);
  }
  void barrier(std::vector<unsigned> warps, unsigned number = 0) {
    for (const unsigned warp : warps) races.arrive(number, warp, ~0u, true);
    races.complete(number);
  }
};

constexpr uint64_t kAll = 0xffffffff;

TEST(SharedRaces, WhatABarrierSeparatesIsOrdered) {
  Block block;
  block.write(0, kAll, 0, 4);
  block.barrier({0, 1, 2, 3});
  block.read(1, kAll, 0, 4);
  block.barrier({0, 1, 2, 3});
  block.write(2, kAll, 0, 4);
  EXPECT_TRUE(block.found.empty());
}

TEST(SharedRaces, AReadWithoutABarrierAfterTheWriteIsAHazardOfEachLane) {
  Block block;
  block.access(AccessKind::write, 0, kAll, 0, 4, 4, false, 7);
  block.access(AccessKind::read, 1, kAll, 0, 4, 4, false, 9);
  ASSERT_EQ(block.found.size(), 32u);
  const Hazard& hazard = block.found[3];
  EXPECT_EQ(hazard.kind, Kind::read_after_write);
  EXPECT_EQ(hazard.earlier_site, 7u);
  EXPECT_EQ(hazard.later_site, 9u);
  EXPECT_EQ(hazard.earlier, 3u);
  EXPECT_EQ(hazard.later, 35u);
  EXPECT_EQ(hazard.offset, 12u);
  EXPECT_EQ(hazard.bytes, 4u);
  EXPECT_FALSE(hazard.within_warp);
}

TEST(SharedRaces, AWriteAfterReadsRacesWithThoseOfOtherThreadsOnly) {
  Block block;
  block.read(0, kAll, 8);     // all lanes one word
  block.write(0, 1 << 5, 8);  // lane 5, which has read it itself
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_EQ(block.found[0].kind, Kind::write_after_read);
  EXPECT_TRUE(block.found[0].within_warp);
  EXPECT_EQ(block.found[0].later, 5u);
  EXPECT_NE(block.found[0].earlier, 5u);
}

TEST(SharedRaces, EachOfManyReadersRacesWithAWriteUntilItKnowsOfThem) {
  Block block;
  for (unsigned warp = 0; warp < 4; ++warp) block.read(warp, 1, 8);
  for (unsigned warp = 0; warp < 4; ++warp) block.read(warp, 1, 8);
  block.barrier({0, 1, 2}, 3);
  block.write(0, 1, 8);
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_EQ(block.found[0].earlier, 96u);
  EXPECT_EQ(block.found[0].later, 0u);
}

TEST(SharedRaces, LanesInAnyOrderHavePlacesOfTheirOwn) {
  Block block;
  std::array<uint64_t, 64> offsets{};
  for (unsigned lane = 0; lane < 32; ++lane) offsets[lane] = 4 * (31 - lane);
  WarpAccess access;
  access.kind = AccessKind::write;
  access.lanes = kAll;
  access.offsets = offsets.data();
  block.races.access(access, block.found);
  EXPECT_TRUE(block.found.empty());
  block.read(1, kAll, 0, 4);
  ASSERT_EQ(block.found.size(), 32u);
  EXPECT_EQ(block.found[0].earlier, 31u);
  EXPECT_EQ(block.found[0].later, 32u);
  EXPECT_EQ(block.found[31].earlier, 0u);
}

TEST(SharedRaces, ABarrierOfSomeWarpsOrdersThoseOnly) {
  Block block;
  block.write(0, 1, 0);
  block.barrier({0, 1}, 3);
  block.read(1, 1, 0);
  EXPECT_TRUE(block.found.empty());
  block.read(2, 1, 0);
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_EQ(block.found[0].later, 64u);
}

TEST(SharedRaces, WhoOnlyArrivesLearnsNothing) {
  Block block;
  block.write(1, 1, 0);
  block.races.arrive(1, 0, kAll, false);  // bar.arrive of warp 0, bar.sync of warp 1
  block.races.arrive(1, 1, kAll, true);
  block.races.complete(1);
  block.read(0, 1, 0);
  EXPECT_EQ(block.found.size(), 1u);
}

TEST(SharedRaces, ArrivingGivesAwayWhatWasDoneBeforeAndNotAfter) {
  Block block;
  block.write(0, 1, 0);
  block.races.arrive(1, 0, kAll, false);
  block.write(0, 1, 4);
  block.races.arrive(1, 1, kAll, true);
  block.races.complete(1);
  block.read(1, 1, 0);
  EXPECT_TRUE(block.found.empty());
  block.read(1, 1, 4);
  EXPECT_EQ(block.found.size(), 1u);
}

TEST(SharedRaces, LanesThatMeetAreOrderedAndOthersOfTheWarpAreNot) {
  Block block;
  block.write(0, 1 << 0, 0);
  block.races.meet(0, 0x3);
  block.read(0, 1 << 1, 0);
  EXPECT_TRUE(block.found.empty());
  block.read(0, 1 << 2, 0);
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_TRUE(block.found[0].within_warp);
}

TEST(SharedRaces, LanesThatWriteOnePlaceTogetherRace) {
  Block block;
  block.write(0, 0x7, 16);
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_TRUE(block.found[0].one_instruction);
  EXPECT_EQ(block.found[0].kind, Kind::write_after_write);
}

TEST(SharedRaces, BytesOfAWordAreApart) {
  Block block;
  block.access(AccessKind::write, 0, 1, 0, 0, 1);
  block.access(AccessKind::write, 1, 1, 1, 0, 1);
  block.access(AccessKind::write, 2, 1, 2, 0, 2);
  EXPECT_TRUE(block.found.empty());
  block.access(AccessKind::read, 3, 1, 1, 0, 1);
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_EQ(block.found[0].earlier, 32u);
  EXPECT_EQ(block.found[0].offset, 1u);
}

TEST(SharedRaces, AWideAccessTouchesAllItsWords) {
  Block block;
  block.write(1, 1, 12);
  block.access(AccessKind::read, 0, 1, 0, 0, 16);
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_EQ(block.found[0].offset, 12u);
}

TEST(SharedRaces, AtomicsDoNotRaceWithEachOtherButWithTheRest) {
  Block block;
  for (unsigned warp = 0; warp < 3; ++warp) block.access(AccessKind::atomic, warp, kAll, 0);
  EXPECT_TRUE(block.found.empty());
  block.read(3, 1, 0);
  EXPECT_EQ(block.found.size(), 3u) << "with the atomics of each warp";
}

TEST(SharedRaces, StrongAccessesOfDifferentWarpsDoNotRace) {
  Block block;
  block.access(AccessKind::write, 0, 1, 0, 0, 4, true);
  block.access(AccessKind::read, 1, 1, 0, 0, 4, true);
  EXPECT_TRUE(block.found.empty());
  block.access(AccessKind::read, 0, 2, 0, 0, 4, true);
  EXPECT_TRUE(block.found.empty());
}

TEST(SharedRaces, VolatileAccessesOfOneWarpAreTold) {
  Block block;
  std::array<uint64_t, 64> offsets{};
  WarpAccess access;
  access.strong = access.is_volatile = true;
  access.offsets = offsets.data();
  access.kind = AccessKind::write;
  access.lanes = 1;
  block.races.access(access, block.found);
  access.kind = AccessKind::read;
  access.lanes = 6;  // lanes 1 and 2 read what lane 0 wrote: hardware keeps them together, or not
  block.races.access(access, block.found);
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_TRUE(block.found[0].within_warp);
  EXPECT_EQ(block.found[0].threads, 2u);
}

/// data = 1; fence; flag = 1 (strong)  ||  while (!flag); fence; read data. Source: PTX ISA 9.0, section 8.10 (message
/// passing).
TEST(SharedRaces, AFlagBetweenFencesOrders) {
  Block block;
  block.write(0, 1, 0);
  block.races.fence(0, 1);
  block.races.synchronise(0, 0, 64, false, true, false, false);
  block.races.synchronise(1, 0, 64, true, false, false, false);
  block.races.fence(1, 1);
  block.read(1, 1, 0);
  EXPECT_TRUE(block.found.empty());
}

TEST(SharedRaces, AFlagWithoutOneOfTheFencesOrdersNothing) {
  for (const bool first : {false, true}) {
    Block block;
    block.write(0, 1, 0);
    if (first) block.races.fence(0, 1);
    block.races.synchronise(0, 0, 64, false, true, false, false);
    block.races.synchronise(1, 0, 64, true, false, false, false);
    if (!first) block.races.fence(1, 1);
    block.read(1, 1, 0);
    EXPECT_EQ(block.found.size(), 1u) << first;
  }
}

TEST(SharedRaces, ReleaseAndAcquireOrderByThemselves) {
  Block block;
  block.write(0, 1, 0);
  block.races.synchronise(0, 0, 64, true, true, false, true);   // atom.release
  block.races.synchronise(2, 0, 64, true, true, false, false);  // a relaxed one in between goes on with it
  block.races.synchronise(1, 0, 64, true, false, true, false);  // ld.acquire
  block.read(1, 1, 0);
  EXPECT_TRUE(block.found.empty());
  block.read(2, 1, 0);
  EXPECT_EQ(block.found.size(), 1u) << "it has not acquired";
}

void copy(Block& block, unsigned warp, uint64_t offset) {
  std::array<uint64_t, 64> offsets{};
  offsets[0] = offset;
  WarpAccess access;
  access.kind = AccessKind::write;
  access.warp = warp;
  access.lanes = 1;
  access.offsets = offsets.data();
  block.races.copy_async(access, SharedRaces::kLanes, block.found);
}

TEST(SharedRaces, WhoCopiesAsynchronouslyHasToWaitForItself) {
  Block block;
  copy(block, 0, 0);
  block.races.commit_group(0, 1, SharedRaces::kLanes);
  copy(block, 0, 4);
  block.races.commit_group(0, 1, SharedRaces::kLanes);
  block.races.wait_groups(0, 1, 1, SharedRaces::kLanes);  // all but the last
  block.read(0, 1, 0);
  EXPECT_TRUE(block.found.empty());
  block.read(0, 1, 4);
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_TRUE(block.found[0].asynchronous);
  EXPECT_EQ(block.found[0].earlier, 0u);
}

TEST(SharedRaces, ABarrierPassesOnWhatWasWaitedForAndNothingElse) {
  Block block;
  copy(block, 0, 0);
  block.barrier({0, 1});
  block.read(1, 1, 0);
  EXPECT_EQ(block.found.size(), 1u);
  copy(block, 0, 8);
  block.races.wait_groups(0, 1, ~uint64_t{0}, SharedRaces::kLanes);
  block.barrier({0, 1});
  block.read(1, 1, 8);
  EXPECT_EQ(block.found.size(), 1u);
}

void bulk(Block& block, uint64_t offset, uint64_t barrier) {
  std::array<uint64_t, 64> offsets{};
  offsets[0] = offset;
  WarpAccess access;
  access.kind = AccessKind::write;
  access.lanes = 1;
  access.width = 16;
  access.offsets = offsets.data();
  block.races.copy_bulk(access, barrier, block.found);
}

TEST(SharedRaces, ABulkCopyIsThereWhenItsBarrierSaysSo) {
  Block block;
  block.races.initialise_mbarrier(128);
  bulk(block, 0, 128);
  block.races.end_phase(128);
  block.read(1, 1, 0);
  EXPECT_EQ(block.found.size(), 1u) << "warp 1 has not asked";
  block.races.pass_mbarrier(128, 2, 0);
  block.read(2, 1, 4);
  EXPECT_EQ(block.found.size(), 1u);
}

TEST(SharedRaces, ARingWithoutABarrierForEmptySlotsRaces) {
  Block block;
  block.races.initialise_mbarrier(128);
  bulk(block, 0, 128);
  block.races.end_phase(128);
  block.races.pass_mbarrier(128, 1, 0);
  block.read(1, 1, 0);
  block.races.pass_mbarrier(128, 0, 0);
  bulk(block, 0, 128);  // warp 0 knows that the first copy was there, but not that warp 1 has read it
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_EQ(block.found[0].kind, Kind::write_after_read);
  EXPECT_EQ(block.found[0].earlier, 32u);
}

TEST(SharedRaces, ArrivalsAtAnMbarrierOrderWhoPassesIt) {
  Block block;
  block.races.initialise_mbarrier(128);
  block.write(0, 1, 0);
  block.races.arrive_mbarrier(128, 0, 0);
  block.write(0, 1, 4);  // too late for this phase
  block.races.end_phase(128);
  block.races.pass_mbarrier(128, 1, 0);
  block.read(1, 1, 0);
  EXPECT_TRUE(block.found.empty());
  block.read(1, 1, 4);
  EXPECT_EQ(block.found.size(), 1u);
}

TEST(SharedRaces, APhaseTellsOfItsOwnCopiesOnly) {
  Block block;
  block.races.initialise_mbarrier(128);
  bulk(block, 0, 128);
  block.races.end_phase(128);
  block.races.pass_mbarrier(128, 1, 0);
  bulk(block, 16, 128);  // of the next phase
  block.found.clear();
  block.read(1, 1, 0);
  EXPECT_TRUE(block.found.empty());
  block.read(1, 1, 16);
  EXPECT_EQ(block.found.size(), 1u);
}

TEST(SharedRaces, ABarrierThatIsSetUpAgainHasForgotten) {
  Block block;
  block.races.initialise_mbarrier(128);
  block.write(0, 1, 0);
  block.races.arrive_mbarrier(128, 0, 0);
  block.races.end_phase(128);
  block.races.initialise_mbarrier(128);
  block.races.pass_mbarrier(128, 1, 0);
  block.read(1, 1, 0);
  EXPECT_EQ(block.found.size(), 1u);
}

TEST(SharedRaces, ArrivingWithCopiesTellsOfThem) {
  for (const bool with_copies : {false, true}) {
    Block block;
    block.races.initialise_mbarrier(128);
    copy(block, 0, 0);
    if (with_copies) block.races.arrive_mbarrier_async(128, 0, 0, SharedRaces::kLanes);
    if (!with_copies) block.races.arrive_mbarrier(128, 0, 0);
    block.races.end_phase(128);
    block.races.pass_mbarrier(128, 1, 0);
    block.read(1, 1, 0);
    EXPECT_EQ(block.found.empty(), with_copies);
  }
}

TEST(SharedRaces, AFlagThatIsOverwrittenTellsNothingOfTheFirst) {
  Block block;
  block.write(0, 1, 0);
  block.races.fence(0, 1);
  block.races.synchronise(0, 0, 64, false, true, false, false);
  block.races.synchronise(2, 0, 64, false, true, false, false);  // another thread's value, which has no fence
  block.races.synchronise(1, 0, 64, true, false, false, false);
  block.races.fence(1, 1);
  block.read(1, 1, 0);
  EXPECT_EQ(block.found.size(), 1u);
}

TEST(SharedRaces, ACopyIsOfWhoAskedForIt) {
  Block block;
  std::array<uint64_t, 64> offsets{};
  WarpAccess access;
  access.kind = AccessKind::write;
  access.width = 16;
  access.offsets = offsets.data();
  for (const unsigned lane : {3u, 5u}) {
    offsets[lane] = lane * 16;
    access.lanes = uint64_t{1} << lane;
    block.races.copy_bulk(access, 0, block.found);
  }
  block.read(1, 1, 48);
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_EQ(block.found[0].earlier, 3u);
}

TEST(SharedRaces, WhatEndedThreadsDidIsKnownBehindABarrier) {
  Block block;
  block.write(1, 1, 0);
  block.races.exit(1, kAll);
  block.barrier({0});
  block.read(0, 1, 0);
  EXPECT_TRUE(block.found.empty());
}

TEST(SharedRaces, ABarrierOfSomeThreadsKnowsNothingOfEndedOnes) {
  Block block;
  block.write(1, 1, 0);
  block.races.exit(1, kAll);
  block.races.arrive(2, 0, kAll, true);
  block.races.complete(2, false);
  block.read(0, 1, 0);
  EXPECT_EQ(block.found.size(), 1u);
}

TEST(SharedRaces, LanesThatKnowDifferentThingsWriteOnePlaceTogether) {
  Block block;
  copy(block, 0, 64);
  block.races.wait_groups(0, 1, ~uint64_t{0}, SharedRaces::kLanes);  // lane 0 knows more than the others
  block.write(0, 0x7, 0);
  ASSERT_EQ(block.found.size(), 1u);
  EXPECT_TRUE(block.found[0].one_instruction);
}

TEST(WrittenRanges, KnowBytes) {
  WrittenRanges ranges;
  ranges.add(1000, 200'000);
  EXPECT_EQ(ranges.first_unwritten(1000, 4), 1000u);
  ranges.write(1000, 70'000);
  EXPECT_EQ(ranges.first_unwritten(1000, 70'000), 71'000u);
  EXPECT_EQ(ranges.first_unwritten(1000, 70'001), 71'000u);
  EXPECT_EQ(ranges.first_unwritten(200'998, 100), 200'998u);
  EXPECT_EQ(ranges.first_unwritten(201'000, 100), 201'100u) << "behind the range";
  EXPECT_EQ(ranges.first_unwritten(0, 1000), 1000u) << "before it";
  ranges.remove(1000);
  EXPECT_EQ(ranges.first_unwritten(1000, 200'000), 201'000u);
}

TEST(WrittenBytes, KnowBytes) {
  WrittenBytes bytes(200);
  bytes.write(60, 70);
  EXPECT_TRUE(bytes.is_written(60, 70));
  EXPECT_FALSE(bytes.is_written(59, 2));
  EXPECT_FALSE(bytes.is_written(129, 2));
}

}  // namespace
}  // namespace bankshot::hazards

// Counters of one instruction that accesses global memory.
#include "bankshot/scratchpad/counting/l1_site.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bankshot::scratchpad {
namespace {

const L1Rules kCache{l1_bank_rules({}, 32), 128, 32, 4};
using Addresses = std::array<uint64_t, kMaxLanes>;

Addresses every(uint64_t bytes, uint64_t base) {
  Addresses address{};
  for (uint64_t lane = 0; lane < kMaxLanes; ++lane) address[lane] = base + lane * bytes;
  return address;
}

struct Counted {
  L1Counter counter;
  void load(const Addresses& address, uint64_t cta = 0, uint64_t lanes = 0xffffffff, uint64_t offset = 0) {
    counter.record(kCache, true, 4, address.data(), offset, lanes, cta);
  }
  L1Totals totals() const { return counter.totals(kCache, 4); }
};

// 3 rows of words at 1 cycle, 2 of stride 33 at 8, of which 1 would be needed.
TEST(L1Site, adds_up_what_accesses_cost) {
  Counted site;
  for (const uint64_t line : {0, 7, 100}) site.load(every(4, line * 128));
  for (const uint64_t line : {5, 1}) site.load(every(132, line * 128), 9);
  const L1Totals totals = site.totals();
  EXPECT_EQ(totals.accesses, 5u);
  EXPECT_EQ(totals.lanes, 5u * 32);
  EXPECT_EQ(totals.sums.cycles, 3u + 2 * 8);
  EXPECT_EQ(totals.sums.ideal_cycles, 5u);
  EXPECT_EQ(totals.sums.tags, 3u + 2 * 32);
  EXPECT_EQ(totals.sums.sectors, 3u * 4 + 2 * 32);
  EXPECT_EQ(totals.sums.wavefronts, 5u);
  EXPECT_EQ(totals.worst.cost.cycles, 8u);
  EXPECT_EQ(totals.worst.cta, 9u);
  EXPECT_EQ(totals.worst.lanes, 32u);
  EXPECT_EQ(totals.worst.shape, (Shape{PatternClass::stride, 132}));
}

// The same distances from another place in the line: a row that begins in its middle touches two.
TEST(L1Site, tells_places_in_the_line_apart) {
  Counted site;
  site.load(every(4, 0));
  site.load(every(4, 64));
  site.load(every(4, 0), 0, 0xffffffff, 64);  // the offset of the instruction counts
  EXPECT_EQ(site.totals().sums.tags, 1u + 2 + 2);
}

// Lanes go down from the first one, and lie more than 4 GB apart.
TEST(L1Site, lanes_may_be_anywhere) {
  Counted site;
  Addresses address = every(uint64_t{0} - 4, 4096 + 124);  // 4096 to 4223: one line
  site.load(address);
  EXPECT_EQ(site.totals().sums.tags, 1u);
  EXPECT_EQ(site.totals().sums.wavefronts, 1u);
  address = every(uint64_t{1} << 33, 4096);  // one bank
  site.load(address);
  EXPECT_EQ(site.totals().sums.tags, 1u + 32);
}

TEST(L1Site, lanes_that_are_off_do_not_count) {
  Counted site;
  Addresses address = every(4, 0);
  address[3] = 999999;
  site.load(address, 0, 0xfffffff7);
  address[3] = 5;
  site.load(address, 0, 0xfffffff7);
  EXPECT_EQ(site.totals().lanes, 62u);
  EXPECT_EQ(site.totals().sums.tags, 2u);
}

// Of several workers, in whatever order they are merged.
TEST(L1Site, counts_the_same_however_it_is_spread) {
  std::mt19937_64 random(7);
  std::vector<Counted> parts(3);
  L1Totals expected;
  Counted all;
  for (unsigned n = 0; n < 600; ++n) {
    Addresses address{};
    const uint64_t range = uint64_t{1} << (random() % 14 + 4);
    for (uint64_t& lane : address) lane = 4096 + random() % range / 4 * 4;
    const uint64_t lanes = n % 3 == 0 ? 0xffffffff : n % 3 == 1 ? random() | 1 : (random() | 1) & 0xffffffff;
    const uint64_t cta = random() % 8;
    all.load(address, cta, lanes);
    parts[cta % 3].load(address, cta, lanes);
    const L1Cost cost = l1_cost(kCache, true, 4, address.data(), lanes);
    for (size_t k = 0; k < kL1SumNames<uint32_t>.size(); ++k) {
      expected.sums.*kL1SumNames<uint64_t>[k].value += cost.*kL1SumNames<uint32_t>[k].value;
    }
  }
  EXPECT_EQ(all.totals().sums, expected.sums);
  L1Totals up, down;
  for (const unsigned k : {0, 1, 2}) up.merge(parts[k].totals());
  for (const unsigned k : {2, 1, 0}) down.merge(parts[k].totals());
  for (const L1Totals& merged : {up, down}) {
    EXPECT_EQ(merged.accesses, 600u);
    EXPECT_EQ(merged.sums, expected.sums);
    EXPECT_EQ(merged.worst, all.totals().worst);
  }
}

}  // namespace
}  // namespace bankshot::scratchpad

// What one access costs in a first-level cache, worked by hand: lines of 128 bytes in sectors of 32, four lookups a
// cycle, 32 banks of 4 bytes.
#include "bankshot/scratchpad/access/l1_access.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace bankshot::scratchpad {
namespace {

const L1Rules kH100{l1_bank_rules({}, 32), 128, 32, 4};
constexpr uint64_t kBase = uint64_t{3} << 40;  // a line begins here

std::array<uint64_t, kMaxLanes> apart(uint64_t bytes, uint64_t base = kBase) {
  std::array<uint64_t, kMaxLanes> address{};
  for (uint64_t lane = 0; lane < kMaxLanes; ++lane) address[lane] = base + lane * bytes;
  return address;
}

L1Cost load(unsigned width, const std::array<uint64_t, kMaxLanes>& address, uint64_t lanes = 0xffffffff) {
  return l1_cost(kH100, true, width, address.data(), lanes);
}

/// Each needed, then ideal.
L1Cost costs(unsigned sectors, unsigned ideal_sectors, unsigned tags, unsigned ideal_tags, unsigned wavefronts,
             unsigned ideal_wavefronts, unsigned cycles, unsigned ideal_cycles) {
  return {sectors, ideal_sectors, tags, ideal_tags, wavefronts, ideal_wavefronts, cycles, ideal_cycles};
}

}  // namespace

void PrintTo(const L1Cost& cost, std::ostream* out) {
  for (const auto& sum : kL1SumNames<uint32_t>) *out << sum.name << ' ' << cost.*sum.value << ' ';
}

namespace {

TEST(L1Access, a_row_of_words_is_one_line_and_one_cycle) {
  EXPECT_EQ(load(4, apart(4)), costs(4, 4, 1, 1, 1, 1, 1, 1));
}

// 256 bytes; lanes k and k + 16 are on one bank.
TEST(L1Access, stride_2_takes_two_wavefronts) { EXPECT_EQ(load(4, apart(8)), costs(8, 4, 2, 1, 2, 1, 2, 1)); }

// 4 GiB apart is another word of the same bank.
TEST(L1Access, words_that_differ_in_the_upper_half_of_the_address) {
  std::array<uint64_t, kMaxLanes> address{};
  address.fill(kBase);
  EXPECT_EQ(load(4, address).wavefronts, 1u);
  address[7] += uint64_t{1} << 32;
  EXPECT_EQ(load(4, address).wavefronts, 2u);
}

// A sector a lane, four lanes a line; words 0, 8, 16 and 24 modulo 32: 8 lanes on each of 4 banks. Its 8 lines are
// looked up in 2 cycles.
TEST(L1Access, stride_8_costs_8_cycles_for_the_banks) { EXPECT_EQ(load(4, apart(32)), costs(32, 4, 8, 1, 8, 1, 8, 1)); }

// Lane k has bank k, in line k: 32 lines, four a cycle.
TEST(L1Access, stride_33_costs_8_cycles_for_the_tags) {
  EXPECT_EQ(load(4, apart(132)), costs(32, 4, 32, 1, 1, 1, 8, 1));
  L1Rules one_tag = kH100;
  one_tag.tags = 1;
  EXPECT_EQ(l1_cost(one_tag, true, 4, apart(132).data(), 0xffffffff), costs(32, 4, 32, 1, 1, 1, 32, 1));
}

// Column of a matrix of 32 words a row: all lanes on one bank.
TEST(L1Access, stride_32_costs_32_cycles) { EXPECT_EQ(load(4, apart(128)), costs(32, 4, 32, 1, 32, 1, 32, 1)); }

TEST(L1Access, one_word_of_all_lanes_is_one_sector) { EXPECT_EQ(load(4, apart(0)), costs(1, 1, 1, 1, 1, 1, 1, 1)); }

// Half-warps of 64-bit, quarter-warps of 128-bit, eighths of 256-bit accesses are served one after the other.
TEST(L1Access, wide_rows_have_a_line_for_each_wavefront) {
  EXPECT_EQ(load(8, apart(8)), costs(8, 8, 2, 2, 2, 2, 2, 2));
  EXPECT_EQ(load(16, apart(16)), costs(16, 16, 4, 4, 4, 4, 4, 4));
  EXPECT_EQ(load(32, apart(32)), costs(32, 32, 8, 8, 8, 8, 8, 8));
}

// Lane k of a half-warp has banks 4k and 4k + 1: lanes k and k + 8 are on the same ones. 512 bytes.
TEST(L1Access, stride_2_of_64_bits_takes_two_wavefronts_a_half_warp) {
  EXPECT_EQ(load(8, apart(16)), costs(16, 8, 4, 2, 4, 2, 4, 2));
}

// Lane k of a quarter-warp has banks 8k to 8k + 3: lanes k and k + 4 are on the same ones. 1024 bytes.
TEST(L1Access, stride_2_of_128_bits_takes_two_wavefronts_a_quarter_warp) {
  EXPECT_EQ(load(16, apart(32)), costs(32, 16, 8, 4, 8, 4, 8, 4));
}

// Lanes 0 to 7: 32 bytes of 8 sectors in 2 lines; 2 lanes on each of 4 banks.
TEST(L1Access, a_partial_warp_has_its_own_ideal) {
  EXPECT_EQ(load(4, apart(32), 0xff), costs(8, 1, 2, 1, 2, 1, 2, 1));
  EXPECT_EQ(load(4, apart(4), 1u << 31), costs(1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(load(8, apart(8), 0xffff), costs(4, 4, 1, 1, 1, 1, 1, 1));
}

// Bytes 64 to 191: two lines, looked up in one cycle. Bytes 4 to 131: a fifth sector.
TEST(L1Access, a_row_across_two_lines_costs_no_cycle_more) {
  EXPECT_EQ(load(4, apart(4, kBase + 64)), costs(4, 4, 2, 1, 1, 1, 1, 1));
  EXPECT_EQ(load(4, apart(4, kBase + 4)), costs(5, 4, 2, 1, 1, 1, 1, 1));
}

// Who does not look for data in the cache looks up tags all the same.
TEST(L1Access, only_loads_have_the_banks) {
  EXPECT_EQ(l1_cost(kH100, false, 4, apart(132).data(), 0xffffffff), costs(32, 4, 32, 1, 0, 0, 8, 1));
  EXPECT_EQ(l1_cost(kH100, false, 4, apart(4).data(), 0xffffffff), costs(4, 4, 1, 1, 0, 0, 1, 1));
}

// 64 lanes in two halves, as shared memory serves them.
TEST(L1Access, a_wide_warp_is_served_in_halves) {
  EXPECT_EQ(load(4, apart(4), ~uint64_t{0}), costs(8, 8, 2, 2, 2, 2, 2, 2));
}

TEST(L1Access, its_banks_are_not_hashed) {
  Rules shared;
  ASSERT_FALSE(set_bank_hash(shared, "xor"));
  const Rules banks = l1_bank_rules(shared, 64);
  EXPECT_FALSE(banks.hash);
  EXPECT_EQ(banks.banks, 64u);
  EXPECT_EQ(banks.bank_bytes, 4u);
}

}  // namespace
}  // namespace bankshot::scratchpad

// The cost of an access on banks with a hash, with several ports, and with few banks.
#include <gtest/gtest.h>

#include <array>

#include "bankshot/scratchpad/access/passes.hpp"
#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/counting/site.hpp"
#include "warp_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

Rules hashed(std::string_view spec, unsigned banks = 32) {
  Rules rules;
  rules.banks = banks;
  EXPECT_FALSE(set_bank_hash(rules, spec));
  return rules;
}

Rules with_ports(unsigned ports) {
  Rules rules;
  rules.ports = ports;
  return rules;
}

Cost load(const Rules& rules, const Warp& warp, unsigned width = 4, uint64_t mask = kFull) {
  return cost(rules, AccessKind::load, width, warp.data(), mask);
}
Cost atomic(const Rules& rules, const Warp& warp, uint64_t mask = kFull) {
  return cost(rules, AccessKind::atomic, 4, warp.data(), mask);
}

TEST(HashedCost, xor_spreads_a_column_and_gathers_a_diagonal) {
  EXPECT_EQ(load(hashed("none"), strided(32)), (Cost{32, 1, 0}));
  EXPECT_EQ(load(hashed("xor"), strided(32)), (Cost{1, 1, 0}));  // bank = 0 ^ row
  EXPECT_EQ(load(hashed("xor"), strided(1)), (Cost{1, 1, 0}));
  EXPECT_EQ(load(hashed("none"), strided(33)), (Cost{1, 1, 0}));
  EXPECT_EQ(load(hashed("xor"), strided(33)), (Cost{32, 1, 0}));  // row ^ row = 0
}

TEST(HashedCost, add_spreads_the_diagonal_over_the_even_banks) {
  EXPECT_EQ(load(hashed("add"), strided(32)), (Cost{1, 1, 0}));
  EXPECT_EQ(load(hashed("add"), strided(33)), (Cost{2, 1, 0}));  // row + row: 16 even banks, two rows each
  EXPECT_EQ(load(hashed("add"), strided(31)),
            (Cost{31, 1, 0}));  // lane l > 0: row l - 1 and column 32 - l, 31 together
}

TEST(HashedCost, a_hash_that_drops_bits_keeps_different_words_apart) {
  // All rows are address bit 5: words 0 … 31 are on bank 0, words 32 … 63 on bank 31.
  EXPECT_EQ(load(hashed("bits:5,5,5,5,5"), strided(1)), (Cost{32, 1, 0}));
  EXPECT_EQ(load(hashed("bits:5,5,5,5,5"), strided(1, 16)), (Cost{16, 1, 0}));
  EXPECT_EQ(load(hashed("bits:5,5,5,5,5"), strided(0)), (Cost{1, 1, 0}));  // one word is still a broadcast
}

TEST(HashedCost, wide_accesses_hash_each_word_of_a_lane) {
  // 16 bytes a lane: a quarter-warp wants words 0 … 31, then 32 … 63 and so on; perm:2 puts four words on a bank.
  EXPECT_EQ(load(hashed("perm:2"), strided(4), 16), (Cost{16, 4, 0}));
  EXPECT_EQ(load(hashed("xor"), strided(4), 16), (Cost{4, 4, 0}));
}

TEST(HashedCost, an_atomic_counts_lanes) {
  // Lanes l and l + 16 want word 32 * l: bank 0 without a hash, bank l with it.
  Warp warp{};
  for (uint32_t lane = 0; lane < 32; ++lane) warp[lane] = 128 * (lane % 16);
  EXPECT_EQ(atomic(hashed("none"), warp), (Cost{32, 1, 16}));
  EXPECT_EQ(atomic(hashed("xor"), warp), (Cost{2, 1, 1}));
}

TEST(Ports, divide_the_requests_of_the_fullest_bank) {
  EXPECT_EQ(load(with_ports(2), strided(1)), (Cost{1, 1, 0}));
  EXPECT_EQ(load(with_ports(2), strided(2)), (Cost{1, 1, 0}));  // two words a bank
  EXPECT_EQ(load(with_ports(2), strided(32)), (Cost{16, 1, 0}));
  EXPECT_EQ(load(with_ports(4), strided(32), 4, 0x1ff), (Cost{3, 1, 0}));  // 9 words: 4, 4 and 1
  EXPECT_EQ(load(with_ports(4), strided(32), 4, 0xff), (Cost{2, 1, 0}));   // 8 words
}

TEST(Ports, serve_lanes_of_an_atomic) {
  EXPECT_EQ(atomic(with_ports(1), strided(0)), (Cost{32, 1, 31}));
  EXPECT_EQ(atomic(with_ports(2), strided(0)), (Cost{16, 1, 15}));
  EXPECT_EQ(atomic(with_ports(4), strided(0), 0x1f), (Cost{2, 1, 1}));  // 5 lanes
  EXPECT_EQ(atomic(with_ports(4), strided(32), 0x1f), (Cost{2, 1, 0}));
}

TEST(Ports, are_rows_of_a_pass) {
  const auto all = passes(with_ports(2), AccessKind::load, 4, strided(32).data(), 0x7);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].bank[0], 0);
  EXPECT_EQ(all[0].bank[32], 1);
  EXPECT_EQ(all[1].bank[0], 2);
  EXPECT_EQ(all[1].bank[32], Pass::kIdle);
}

TEST(FewBanks, eight_take_eight_lanes_at_a_time) {
  Rules rules = hashed("none", 8);
  rules.lanes_b32 = 8;
  rules.lanes_b64 = 4;
  rules.lanes_b128 = 2;
  EXPECT_EQ(load(rules, strided(1)), (Cost{4, 4, 0}));
  EXPECT_EQ(load(rules, strided(8)), (Cost{32, 4, 0}));
  EXPECT_EQ(load(rules, strided(4), 16), (Cost{16, 16, 0}));
  ASSERT_FALSE(set_bank_hash(rules, "xor"));
  EXPECT_EQ(load(rules, strided(8)), (Cost{4, 4, 0}));
}

TEST(HashedSite, the_memo_tells_translations_apart) {
  // Words 0 and 33: banks 0 and 0 under xor. Words 31 and 64 are the same shape: banks 31 and 2.
  const Rules rules = hashed("xor");
  SiteCounter counter;
  counter.record(rules, AccessKind::load, 4, strided(33).data(), 0x3, 0);
  EXPECT_EQ(counter.wavefronts, 2u);
  counter.record(rules, AccessKind::load, 4, strided(33, 31).data(), 0x3, 0);
  EXPECT_EQ(counter.wavefronts, 3u);
  counter.record(rules, AccessKind::load, 4, strided(33).data(), 0x3, 0);
  EXPECT_EQ(counter.wavefronts, 5u);
  counter.record(rules, AccessKind::load, 4, strided(33, 128).data(), 0x3, 0);  // a translation by XOR: the same cost
  EXPECT_EQ(counter.wavefronts, 7u);
}

TEST(BankHash, none_is_no_hash) {
  EXPECT_EQ(hashed("none"), Rules{});
  EXPECT_EQ(hashed("perm:0"), Rules{});
}

TEST(BankHash, rejects_a_spec_for_other_banks) {
  Rules rules;
  rules.banks = 16;
  const auto error = set_bank_hash(rules, "bits:0,1,2,3,4");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "hash 'bits:0,1,2,3,4': 5 rows, but 4 bank bits");
  EXPECT_EQ(rules.banks, 16u);
  EXPECT_FALSE(rules.hash);
}

}  // namespace
}  // namespace bankshot::scratchpad

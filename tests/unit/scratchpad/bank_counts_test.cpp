// Every number of banks, from 2 to 128: costs by hand, and against a count without rules.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <map>
#include <random>
#include <set>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/access/passes.hpp"
#include "bankshot/scratchpad/atomics/atomics_model.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "warp_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

/// As many banks of 4 bytes, which serve as many lanes as they have words for.
Rules with_banks(unsigned banks) {
  Rules rules;
  rules.banks = banks;
  rules.lanes_b32 = std::min(banks, 64u);
  rules.lanes_b64 = std::max(banks / 2, 1u);
  rules.lanes_b128 = std::clamp(banks / 4, 1u, 16u);
  rules.lanes_b64 = std::min(rules.lanes_b64, 32u);
  return rules;
}

Cost cost_of_stride(const Rules& rules, uint32_t stride, unsigned lanes, unsigned width = 4) {
  Warp warp = strided(stride);
  return cost(rules, AccessKind::load, width, warp.data(), LaneMask::first(lanes).bits());
}

TEST(BankCounts, two_banks_serve_two_lanes_at_a_time) {
  const Rules rules = with_banks(2);
  EXPECT_EQ(cost_of_stride(rules, 1, 2), (Cost{1, 1, 0}));     // words 0 and 1
  EXPECT_EQ(cost_of_stride(rules, 1, 32), (Cost{16, 16, 0}));  // 16 pairs
  EXPECT_EQ(cost_of_stride(rules, 2, 2), (Cost{2, 1, 0}));     // words 0 and 2: bank 0 twice
  EXPECT_EQ(cost_of_stride(rules, 3, 2), (Cost{1, 1, 0}));     // words 0 and 3
}

TEST(BankCounts, two_banks_deliver_a_vector_of_four_words_in_two_passes) {
  const Rules rules = with_banks(2);
  EXPECT_EQ(cost_of_stride(rules, 2, 4, 8), (Cost{4, 4, 0})) << "two words fit";
  EXPECT_EQ(cost_of_stride(rules, 4, 4, 16), (Cost{8, 8, 0})) << "no hash and no layout spares the second pass";
}

TEST(BankCounts, four_banks_under_strides_and_hashes) {
  Rules rules = with_banks(4);
  EXPECT_EQ(cost_of_stride(rules, 1, 4), (Cost{1, 1, 0}));
  EXPECT_EQ(cost_of_stride(rules, 2, 4), (Cost{2, 1, 0}));  // words 0, 2, 4, 6: banks 0, 2, 0, 2
  EXPECT_EQ(cost_of_stride(rules, 4, 4), (Cost{4, 1, 0}));
  EXPECT_EQ(cost_of_stride(rules, 5, 4), (Cost{1, 1, 0}));  // words 0, 5, 10, 15: banks 0, 1, 2, 3
  EXPECT_EQ(cost_of_stride(rules, 4, 4, 16), (Cost{4, 4, 0}));
  rules.hash = fixed_xor_hash({4, 2});
  EXPECT_EQ(cost_of_stride(rules, 4, 4), (Cost{1, 1, 0}));  // 0 ^ 0, 0 ^ 1, 0 ^ 2, 0 ^ 3
  EXPECT_EQ(cost_of_stride(rules, 5, 4), (Cost{4, 1, 0}));  // 0 ^ 0, 1 ^ 1, 2 ^ 2, 3 ^ 3
  rules.hash = add_hash({4, 2});
  EXPECT_EQ(cost_of_stride(rules, 4, 4), (Cost{1, 1, 0}));
  EXPECT_EQ(cost_of_stride(rules, 5, 4), (Cost{2, 1, 0}));  // 0, 2, 4 mod 4, 6 mod 4
}

TEST(BankCounts, of_128_banks_a_warp_of_64_lanes_uses_half) {
  Rules rules = with_banks(128);
  EXPECT_EQ(cost_of_stride(rules, 1, 64), (Cost{1, 1, 0}));
  EXPECT_EQ(cost_of_stride(rules, 2, 64), (Cost{1, 1, 0}));  // words 0 to 126: each in a bank of its own
  EXPECT_EQ(cost_of_stride(rules, 4, 64), (Cost{2, 1, 0}));  // words 0 and 128, …
  EXPECT_EQ(cost_of_stride(rules, 128, 64), (Cost{64, 1, 0}));
  rules.hash = fixed_xor_hash({14, 7});
  EXPECT_EQ(cost_of_stride(rules, 128, 64), (Cost{1, 1, 0}));   // 0 ^ lane
  EXPECT_EQ(cost_of_stride(rules, 129, 64), (Cost{64, 1, 0}));  // lane ^ lane
}

/// The most different words of a bank, of lanes that are served together.
unsigned fullest_bank(const Rules& rules, const Warp& warp, unsigned lanes) {
  std::map<unsigned, std::set<uint32_t>> banks;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const uint32_t word = warp[lane] / 4;
    banks[rules.hash ? rules.hash->bank(word) : word % rules.banks].insert(word);
  }
  size_t most = 0;
  for (const auto& [bank, words] : banks) most = std::max(most, words.size());
  return static_cast<unsigned>(most);
}

TEST(BankCounts, every_number_of_banks_agrees_with_a_count) {
  std::mt19937 random(7);
  for (unsigned banks = kMinBanks; banks <= kMaxBanks; banks *= 2) {
    const HashSize size{kMaxAddressBits, static_cast<unsigned>(std::countr_zero(banks))};
    for (const char* spec : {"none", "xor", "add", "perm:3", "bvxor:1,5,1"}) {
      Rules rules = with_banks(banks);
      ASSERT_FALSE(set_bank_hash(rules, spec).has_value()) << spec;
      for (int k = 0; k < 200; ++k) {
        const unsigned lanes = 1 + random() % rules.lanes_b32;
        const uint32_t range = 1u << (1 + random() % 14), stride = 1u << random() % 3;
        Warp warp{};
        for (uint32_t& address : warp) address = random() % range * stride % (1u << 16) * 4;
        const uint64_t mask = LaneMask::first(lanes).bits();
        const unsigned expected = fullest_bank(rules, warp, lanes);
        ASSERT_EQ(cost(rules, AccessKind::load, 4, warp.data(), mask), (Cost{expected, 1, 0}))
            << banks << " banks, " << spec;
        ASSERT_EQ(passes(rules, AccessKind::load, 4, warp.data(), mask).size(), expected);
      }
      if (const BankHash hash = *parse_hash(spec, size); is_full_rank(hash)) {
        std::map<unsigned, unsigned> words;
        for (uint32_t word = 0; word < 1u << size.address_bits; ++word) ++words[hash.bank(word)];
        ASSERT_EQ(words.size(), banks) << spec;
        for (const auto& [bank, count] : words) ASSERT_EQ(count, (1u << size.address_bits) / banks);
      }
    }
  }
}

/// A walk of the loop round by round, with nothing looked up.
LockWalk naive_walk(std::vector<uint32_t> pending, unsigned banks) {
  const auto degree = [&](const std::vector<uint32_t>& words) {
    std::map<uint32_t, std::set<uint32_t>> of;
    for (const uint32_t word : words) of[word % banks].insert(word);
    size_t most = 0;
    for (const auto& [bank, set] : of) most = std::max(most, set.size());
    return static_cast<unsigned>(most);
  };
  LockWalk walk;
  walk.bank_degree = degree(pending);
  for (; !pending.empty(); ++walk.rounds) {
    walk.reads += degree(pending);
    std::set<uint32_t> taken;
    std::vector<uint32_t> winners, losers;
    for (const uint32_t word : pending) (taken.insert(word % 1024).second ? winners : losers).push_back(word);
    walk.writes += degree(winners);
    pending = losers;
  }
  return walk;
}

TEST(BankCounts, the_loop_of_atomics_runs_on_every_number_of_banks) {
  std::mt19937 random(11);
  for (unsigned banks = kMinBanks; banks <= kMaxBanks; banks *= 2) {
    LockGeometry geometry;
    geometry.banks = banks;
    geometry.locks = *parse_lock_hash("none", {14, 10, static_cast<unsigned>(std::countr_zero(banks))});
    LockWalker walker(geometry);
    for (int k = 0; k < 300; ++k) {
      std::vector<uint32_t> words(1 + random() % 64);
      const uint32_t range = 1u << (1 + random() % 13), stride = 1u << random() % 3;
      for (uint32_t& word : words) word = random() % range * stride % (1u << 14);
      ASSERT_EQ(walker.walk(words.data(), static_cast<unsigned>(words.size())), naive_walk(words, banks)) << banks;
    }
  }
}

TEST(BankCounts, code_for_128_banks_checks_both_halves_of_a_row) {
  const std::string text = cpp_source(fixed_xor_hash({14, 7}), "");
  EXPECT_NE(text.find("seen[(place(a) - row) / 64] |= 1ull << ((place(a) - row) % 64);"), std::string::npos) << text;
  EXPECT_NE(text.find("if (seen[0] != ~0ull || seen[1] != ~0ull) return false;"), std::string::npos) << text;
  const std::string small = cpp_source(fixed_xor_hash({14, 2}), "");
  EXPECT_NE(small.find("if (seen != 15ull) return false;"), std::string::npos) << small;
}

}  // namespace
}  // namespace bankshot::scratchpad

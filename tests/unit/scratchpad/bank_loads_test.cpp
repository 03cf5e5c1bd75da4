// The two ways to count a phase agree with each other and with counting by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "bankshot/scratchpad/access/bank_loads.hpp"

namespace bankshot::scratchpad {
namespace {

Loads by_definition(const std::vector<uint32_t>& words, unsigned count, unsigned banks) {
  std::map<uint32_t, std::vector<uint32_t>> on_bank;
  for (unsigned i = 0; i < count; ++i) on_bank[words[i] % banks].push_back(words[i]);
  Loads most;
  for (const auto& [bank, list] : on_bank) {
    most.lanes = std::max(most.lanes, static_cast<uint32_t>(list.size()));
    most.words = std::max(most.words, static_cast<uint32_t>(std::set<uint32_t>(list.begin(), list.end()).size()));
  }
  return most;
}

TEST(BankLoads, both_ways_agree_with_the_definition) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    const unsigned count = 1 + random() % 32, banks = 2u << random() % kMaxBankBits;
    const uint32_t span = round % 7 == 0 ? ~0u : 1u << random() % 17;
    std::vector<uint32_t> words(32);
    for (uint32_t& word : words) word = random() % span * (round % 3 == 0 ? 32 : 1);
    const Loads expected = by_definition(words, count, banks);
    if (has_loads_avx512()) {
      ASSERT_EQ(loads_avx512(words.data(), count, banks), expected) << "round " << round;
    }
    ASSERT_EQ(loads_portable(words.data(), count, banks), expected) << "round " << round;
  }
}

TEST(BankLoads, words_of_one_bank) {
  std::vector<uint32_t> words(32);
  for (uint32_t i = 0; i < 32; ++i) words[i] = 32 * (i / 2);  // 16 words of bank 0, two lanes on each
  EXPECT_EQ(loads_portable(words.data(), 32, 32), (Loads{32, 16}));
  if (has_loads_avx512()) {
    EXPECT_EQ(loads_avx512(words.data(), 32, 32), (Loads{32, 16}));
  }
}

}  // namespace
}  // namespace bankshot::scratchpad

// Which banks a hash is searched for.
#include "bankshot/fix/hash_search.hpp"

#include <gtest/gtest.h>

#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::fix {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

TEST(HashSearch, rejects_lanes_that_need_all_banks_several_times) {
  scratchpad::PatternSet set;
  set.address_bits = 6;
  scratchpad::Pattern& pattern = set.patterns.emplace_back();
  pattern.width = 16;
  pattern.mask = 1;
  set.rules.banks = 2;
  set.rules.lanes_b128 = 1;
  const Result<search::Found> refused = search_hash(set.rules, set, 4, 100ms);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "a lane reads more bytes than all banks of this GPU deliver at once, which a search does not weigh; name "
            "another GPU with --gpu");
  set.rules.banks = 4;  // 16 bytes: just what they deliver
  EXPECT_TRUE(search_hash(set.rules, set, 4, 100ms));
}

/// 32 lanes, `stride` words apart.
scratchpad::PatternSet lanes_apart(unsigned stride, unsigned width) {
  scratchpad::PatternSet set;
  set.address_bits = 10;
  scratchpad::Pattern& pattern = set.patterns.emplace_back();
  pattern.width = width;
  for (unsigned lane = 0; lane < 32; ++lane) {
    pattern.mask |= uint64_t{1} << lane;
    pattern.words[lane] = lane * stride;
  }
  return set;
}

TEST(HashSearch, a_hash_of_a_class_stays_of_it) {
  // Stride 8: words 0 to 248, bits 3 to 7 of the address. Banks tell bits 3 and 4 apart, so 8 lanes meet; bits 5 to 7
  // must move 0 to 2: a ^ ((a >> 5) & 7) is the first that does.
  const scratchpad::PatternSet set = lanes_apart(8, 4);
  const Result<search::Found> found = search_hash(set.rules, set, 4, 10s, "bitvector-xor");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(scratchpad::spec(found->hash), "bvxor:0,5,7");
  EXPECT_EQ(found->excess, 0u);
  EXPECT_EQ(found->status, search::Status::exhaustive);
  EXPECT_EQ(status_text(*found), "the best of its class (all tried)");
}

TEST(HashSearch, a_hash_of_a_class_keeps_the_words_of_a_lane_side_by_side) {
  // Pairs of words, 16 apart: half-warps of bits 4 to 7, of which the banks tell one apart. Bit 0 of the address must
  // stay: no bit moves to it, and it moves none.
  const scratchpad::PatternSet set = lanes_apart(16, 8);
  const Result<search::Found> found = search_hash(set.rules, set, 8, 10s, "bitvector-xor");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->excess, 0u);
  EXPECT_EQ(found->hash.row[0], 1u);
  for (unsigned i = 1; i < 5; ++i) EXPECT_EQ(found->hash.row[i] & 1, 0u) << i;
}

TEST(HashSearch, rejects_a_class_that_is_not_there) {
  const scratchpad::PatternSet set = lanes_apart(8, 4);
  const Result<search::Found> refused = search_hash(set.rules, set, 4, 10s, "frob");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("no hash class is called 'frob'; there are "))
      << refused.error().message;
}

TEST(HashSearch, a_hash_of_a_class_is_kept_though_it_moves_bits_within_a_row) {
  // Two stages of a radix-4 transform: lanes have the address bits 0, 1, 4, 5, 6, then 2 to 6. Under
  // a ^ ((a >> 2) & 31) the bank bits are 0^2, 1^3, 2^4, 3^5, 4^6: of the first stage 0, 1, 4, 5, 4^6 and of the second
  // 2, 3, 2^4, 3^5, 4^6, both independent. These are the parameters of FWT in Table 5 of the XOR-hash paper.
  scratchpad::PatternSet set = lanes_apart(4, 4);
  set.patterns.push_back(set.patterns[0]);
  for (unsigned lane = 0; lane < 32; ++lane) set.patterns[1].words[lane] = lane % 4 + lane / 4 * 16;
  const Result<search::Found> found = search_hash(set.rules, set, 4, 10s, "bitvector-xor");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(scratchpad::spec(found->hash), "bvxor:0,2,31");
  EXPECT_EQ(found->excess, 0u);
}

}  // namespace
}  // namespace bankshot::fix

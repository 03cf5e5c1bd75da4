// Parts of shared memory with hashes of their own: words, blocks, and that no two words come to one place.
#include "bankshot/scratchpad/patterns/region.hpp"

#include <gtest/gtest.h>

#include <map>

#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::scratchpad {
namespace {

TEST(Region, ranges_that_touch_become_one) {
  WordRanges words;
  add(words, WordRange{32, 64});
  add(words, WordRange{96, 128});
  EXPECT_EQ(words, (WordRanges{{32, 64}, {96, 128}}));
  add(words, WordRange{0, 10});
  EXPECT_EQ(words, (WordRanges{{0, 10}, {32, 64}, {96, 128}}));
  add(words, WordRange{64, 96});
  EXPECT_EQ(words, (WordRanges{{0, 10}, {32, 128}}));
  add(words, WordRange{5, 5});
  EXPECT_EQ(words, (WordRanges{{0, 10}, {32, 128}}));
  EXPECT_TRUE(contains(words, 9) && contains(words, 127));
  EXPECT_FALSE(contains(words, 10) || contains(words, 31) || contains(words, 128));
}

TEST(Region, blocks_are_aligned) {
  const WordRanges a = {{0, 40}}, b = {{64, 70}};
  EXPECT_FALSE(share_block(a, b, 32));  // rows 0, 1 and row 2
  EXPECT_FALSE(share_block(a, b, 64));
  EXPECT_TRUE(share_block(a, b, 128));
  EXPECT_TRUE(share_block(a, {{41, 42}}, 32));  // of row 1 both
}

TEST(Region, a_hash_moves_words_within_a_row_or_within_the_bits_that_it_looks_at) {
  const Rules rules;
  const HashSize size{kMaxAddressBits, 5};
  EXPECT_EQ(block_of(rules, modulo_hash(size)), 32u);
  EXPECT_EQ(block_of(rules, *parse_hash("xor", size)), 32u);
  EXPECT_EQ(block_of(rules, *parse_hash("add", size)), 32u);
  EXPECT_EQ(block_of(rules, *parse_hash("bvxor:0,9,31", size)), 32u);
  EXPECT_EQ(block_of(rules, *parse_hash("perm:3", size)), 256u);  // bits 3 to 7
  EXPECT_EQ(block_of(rules, *parse_hash("bits:0,1,2,3,9", size)), 1024u);
  Rules wide;
  wide.bank_bytes = 8;
  EXPECT_EQ(row_words(wide), 64u);
  EXPECT_EQ(block_of(wide, *parse_hash("perm:1", size)), 128u);  // 64 words of 8 bytes
}

// Why words of other blocks may have another hash: of each block every bank holds equally many words, as many as of
// word modulo banks, so that there is a place for each of them in the rows of the block.
TEST(Region, each_bank_holds_equally_many_words_of_a_block) {
  const Rules rules;
  const HashSize size{kMaxAddressBits, 5};
  for (const char* spec : {"none", "xor", "add", "bvxor:0,7,21", "perm:2", "bvxor:1,6,3", "bits:0,3,4,5,6",
                           "bitxor:0,0^4,1^5,2^6,3^7", "rows:33,66,132,8,16"}) {
    const BankHash hash = *parse_hash(spec, size);
    if (!is_full_rank(hash)) continue;
    const uint32_t block = block_of(rules, hash);
    for (uint32_t begin = 0; begin < 1u << 12; begin += block) {
      std::map<unsigned, uint32_t> words;
      for (uint32_t word = begin; word < begin + block; ++word) ++words[hash.bank(word)];
      EXPECT_EQ(words.size(), 32u) << spec;
      for (const auto& [bank, count] : words) EXPECT_EQ(count, block / 32) << spec << ", bank " << bank;
    }
  }
}

}  // namespace
}  // namespace bankshot::scratchpad

// What transactions take of an SM: section 4.3 of GPU-LocalTM in numbers.
#include <gtest/gtest.h>

#include "bankshot/scratchpad/transactions/tx_resources.hpp"

namespace bankshot::scratchpad {
namespace {

constexpr uint64_t kLds = 65'536;

TEST(TxResources, the_papers_cta_has_29127_bytes_of_which_each_is_kept_twice_and_each_word_owned) {
  const Rules rules;
  EXPECT_EQ(most_shared(rules, kLds, 256), 29'127u);
  const TxNeeds full = needs(rules, {}, {256, 29'127, 0});
  EXPECT_EQ(full.data, 29'127u);
  EXPECT_EQ(full.backups, 29'127u);
  EXPECT_EQ(full.owners, 7'282u);  // 29,127 / 4 = 7,281.75
  EXPECT_EQ(full.bytes(), kLds);
  // One byte more is in the same word: 2 * 29,128 + 7,282 = 65,538.
  EXPECT_EQ(needs(rules, {}, {256, 29'128, 0}).bytes(), 65'538u);
}

TEST(TxResources, filters_of_256_threads_take_8192_registers) {
  const Rules rules;
  EXPECT_EQ(needs(rules, {}, {256, 1024, 0}).filters, 8'192u);  // 256 * 32 banks
  TxConfig separate;
  separate.separate = true;
  EXPECT_EQ(needs(rules, separate, {256, 1024, 0}).filters, 16'384u);
  TxConfig exact;
  exact.exact = true;
  EXPECT_EQ(needs(rules, exact, {256, 1024, 0}).filters, 0u);
  exact.separate = true;
  EXPECT_EQ(needs(rules, exact, {256, 1024, 0}).filters, 0u);
  TxConfig wide;
  wide.filter_bits = 32;  // a register holds one either way
  EXPECT_EQ(needs(rules, wide, {256, 1024, 0}).filters, 8'192u);
}

TEST(TxResources, each_register_has_a_shadow) {
  const TxNeeds of = needs(Rules{}, {}, {192, 0, 20});
  EXPECT_EQ(of.registers, 3'840u);  // 192 * 20
  EXPECT_EQ(of.shadow_registers, 3'840u);
  EXPECT_EQ(of.filters, 6'144u);  // 192 * 32
  EXPECT_EQ(of.all_registers(), 13'824u);
  EXPECT_EQ(of.bytes(), 0u);
}

TEST(TxResources, more_threads_than_a_byte_tells_apart_take_two_for_an_owner) {
  EXPECT_EQ(owner_bytes(1), 1u);
  EXPECT_EQ(owner_bytes(256), 1u);
  EXPECT_EQ(owner_bytes(257), 2u);
  EXPECT_EQ(needs(Rules{}, {}, {512, 4'000, 0}).owners, 2'000u);  // 1,000 words
  // 65,536 / (4 + 4 + 2) = 6,553 words and 6 bytes: 26,212; two bytes more take 2 twice and 2 for their owner.
  EXPECT_EQ(most_shared(Rules{}, kLds, 512), 26'214u);
  EXPECT_EQ(needs(Rules{}, {}, {512, 26'214, 0}).bytes(), kLds);
}

TEST(TxResources, banks_of_8_bytes_have_half_as_many_owners) {
  Rules rules;
  rules.bank_bytes = 8;
  EXPECT_EQ(needs(rules, {}, {256, 1'000, 0}).owners, 125u);
  EXPECT_EQ(needs(rules, {}, {256, 1'001, 0}).owners, 126u);
  // 65,536 / 17 = 3,855 words and 1 byte, which holds no part of another: 30,840.
  EXPECT_EQ(most_shared(rules, kLds, 256), 30'840u);
}

TEST(TxResources, what_can_be_used_fits_and_a_byte_more_does_not) {
  for (const unsigned bank_bytes : {4u, 8u}) {
    Rules rules;
    rules.bank_bytes = bank_bytes;
    for (const uint32_t threads : {1u, 256u, 257u, 1024u}) {
      for (uint64_t capacity = 0; capacity < 300; ++capacity) {
        const uint64_t most = most_shared(rules, capacity, threads);
        EXPECT_LE(needs(rules, {}, {threads, most, 0}).bytes(), capacity);
        EXPECT_GT(needs(rules, {}, {threads, most + 1, 0}).bytes(), capacity);
      }
    }
  }
}

TEST(TxResources, an_organisation_says_what_it_is) {
  TxConfig config;
  EXPECT_EQ(text(config), "bloom, 8 bits, modulo, one set");
  config.filter_bits = 16;
  config.hash = find_signature_hash("xor");
  config.separate = true;
  EXPECT_EQ(text(config), "bloom, 16 bits, xor, separate sets");
  config.exact = config.perfect = true;
  EXPECT_EQ(text(config), "exact, separate sets, nothing charged");
  config.exclusive = true;
  EXPECT_EQ(text(config), "exact, separate sets, one warp at a time, nothing charged");
  EXPECT_EQ(find_signature_hash("none"), nullptr);
}

}  // namespace
}  // namespace bankshot::scratchpad

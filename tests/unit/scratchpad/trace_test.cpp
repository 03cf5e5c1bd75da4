// Traces: what is kept, how it is merged, and what becomes of it as patterns.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "bankshot/scratchpad/counting/trace.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"

namespace bankshot::scratchpad {
namespace {

using Kept = std::map<std::vector<uint32_t>, uint64_t>;

Kept kept(const AccessTrace& trace) {
  Kept all;
  for (const AccessTrace::Access& access : trace.kept()) {
    const auto words = trace.words(access);
    all[{words.begin(), words.end()}] += access.count;
  }
  return all;
}

std::vector<uint32_t> gather(std::mt19937& random) {
  std::vector<uint32_t> words(4);
  for (uint32_t& word : words) word = random() % 8;
  return words;
}

TEST(AccessTrace, counts_equal_accesses_once) {
  AccessTrace trace(10);
  const uint32_t near[4] = {0, 4, 8, 12}, far[4] = {0, 128, 256, 384};
  trace.record(near, 0xf);
  trace.record(far, 0xf);
  trace.record(near, 0xf);
  trace.record(near, 0x7);  // other lanes
  EXPECT_EQ(trace.recorded(), 4u);
  EXPECT_FALSE(trace.is_sample());
  EXPECT_EQ(kept(trace), (Kept{{{0, 1, 2, 3}, 2}, {{0, 32, 64, 96}, 1}, {{0, 1, 2}, 1}}));
}

TEST(AccessTrace, without_capacity_records_nothing) {
  AccessTrace trace;
  const uint32_t addresses[1] = {0};
  trace.record(addresses, 1);
  EXPECT_EQ(trace.recorded(), 0u);
  EXPECT_TRUE(trace.kept().empty());
}

TEST(AccessTrace, a_sample_is_the_same_however_the_accesses_were_spread) {
  constexpr size_t kCapacity = 50;
  std::mt19937 random(7);
  Kept truth;
  AccessTrace whole(kCapacity), reversed(kCapacity);
  std::vector<AccessTrace> workers(3, AccessTrace(kCapacity));
  std::vector<std::vector<uint32_t>> accesses(20000);
  for (auto& words : accesses) words = gather(random);
  for (const auto& words : accesses) {
    ++truth[words];
    whole.record_words(words, 0xf, 1);
    workers[random() % 3].record_words(words, 0xf, 1);
  }
  std::reverse(accesses.begin(), accesses.end());
  for (const auto& words : accesses) reversed.record_words(words, 0xf, 1);
  AccessTrace merged;
  for (const AccessTrace& worker : workers) merged.merge(worker);
  EXPECT_EQ(kept(whole).size(), kCapacity);
  EXPECT_TRUE(whole.is_sample());
  EXPECT_EQ(merged.recorded(), 20000u);
  EXPECT_EQ(kept(whole), kept(reversed));
  EXPECT_EQ(kept(whole), kept(merged));
  for (const auto& [words, count] : kept(whole)) EXPECT_EQ(count, truth[words]);
}

TEST(AccessTrace, what_was_lost_elsewhere_is_not_taken_up_again) {
  AccessTrace here(2), there(2);
  std::mt19937 random(1);
  for (int k = 0; k < 100; ++k) here.record_words(gather(random), 0xf, 1);
  // As a report is read: what was kept, and how many were not.
  uint64_t count = 0;
  for (const AccessTrace::Access& access : here.kept()) {
    there.record_words(here.words(access), access.mask, access.count);
    count += access.count;
  }
  there.record_lost(here.recorded() - count);
  for (int k = 0; k < 100; ++k) {
    const auto words = gather(random);
    here.record_words(words, 0xf, 1);
    there.record_words(words, 0xf, 1);
  }
  EXPECT_EQ(kept(here), kept(there));
  EXPECT_EQ(there.recorded(), 200u);
}

TEST(TracePatterns, weights_of_a_sample_add_up_to_all_accesses) {
  AccessTrace trace(8);
  std::mt19937 random(3);
  for (int k = 0; k < 10000; ++k) trace.record_words(gather(random), 0xf, 1);
  uint64_t weight = 0;
  for (const Pattern& p : patterns(trace, AccessKind::load, 4)) weight += p.weight;
  EXPECT_NEAR(static_cast<double>(weight), 10000, 8);
}

Pattern pattern_of(AccessKind kind, unsigned width, std::initializer_list<uint32_t> words) {
  Pattern p;
  p.kind = kind;
  p.width = width;
  for (uint32_t word : words) {
    p.words[static_cast<size_t>(std::popcount(p.mask))] = word;
    p.mask = 2 * p.mask + 1;
  }
  return p;
}

TEST(CanonicalPattern, forgets_translation_order_and_broadcasts) {
  const Rules rules;
  // 3 5 7 translated by 3 is 0 4 6, by 5 it is 0 2 6, by 7 it is 0 2 4. With 3 twice: 0 0 4 6, 0 2 6 6, 0 2 4 4.
  const Pattern form = canonical(rules, pattern_of(AccessKind::load, 4, {7, 3, 3, 5}));
  EXPECT_EQ(form.mask, 7u);
  EXPECT_EQ(std::vector<uint32_t>(form.words.begin(), form.words.begin() + 4), (std::vector<uint32_t>{0, 2, 4, 0}));
  const Pattern atomic = canonical(rules, pattern_of(AccessKind::atomic, 4, {7, 3, 3, 5}));
  EXPECT_EQ(atomic.mask, 15u);  // lanes on one word serialise
  EXPECT_EQ(std::vector<uint32_t>(atomic.words.begin(), atomic.words.begin() + 4), (std::vector<uint32_t>{0, 0, 4, 6}));
}

TEST(CanonicalPattern, costs_the_same_under_every_linear_hash) {
  std::mt19937 random(11);
  for (int k = 0; k < 300; ++k) {
    Rules rules;
    rules.bank_bytes = k % 3 == 0 ? 8 : 4;
    rules.merge_pairs = k % 2 == 0;
    Pattern p;
    rules.combines_increments = k % 5 < 2;
    rules.cas_passes = 1 + k % 2;
    p.kind = static_cast<AccessKind>(random() % kAccessKindNames.size());
    p.width = is_atomic(p.kind) ? 4 : 4u << random() % 3;
    p.mask = random();
    for (uint32_t& word : p.words) word = random() % 1024 / (p.width / 4) * (p.width / 4);
    BankHash hash = modulo_hash({10, 5});
    for (uint32_t& row : hash.row) row = random() % 1024;
    EXPECT_EQ(cost(rules, p, hash), cost(rules, canonical(rules, p), hash)) << k;
    EXPECT_EQ(canonical(rules, canonical(rules, p)).words, canonical(rules, p).words) << k;
  }
}

TEST(CountFrom, words_count_from_the_start_of_an_array_and_stay_inside) {
  Pattern p = pattern_of(AccessKind::load, 8, {10, 14});
  EXPECT_TRUE(count_from(p, WordAddress(10), ByteOffset(24)));  // words 0 and 4: the last byte is number 23
  EXPECT_EQ(p.words[1], 4u);
  EXPECT_FALSE(count_from(p, WordAddress(0), ByteOffset(23)));
  EXPECT_FALSE(count_from(p, WordAddress(1)));
}

TEST(FitAddressBits, the_last_word_of_the_widest_access_counts) {
  PatternSet set;
  set.patterns = {pattern_of(AccessKind::load, 16, {0, 1020})};
  EXPECT_TRUE(fit_address_bits(set, 6));
  EXPECT_EQ(set.address_bits, 10u);  // words 1020 to 1023
  set.patterns = {pattern_of(AccessKind::load, 4, {1024})};
  EXPECT_TRUE(fit_address_bits(set, 6));
  EXPECT_EQ(set.address_bits, 11u);
  EXPECT_TRUE(fit_address_bits(set, 14));
  EXPECT_EQ(set.address_bits, 14u);
  set.patterns = {pattern_of(AccessKind::load, 4, {65536})};
  EXPECT_FALSE(fit_address_bits(set, 6));
}

TEST(MergeEqual, adds_weights_and_puts_the_heaviest_first) {
  std::vector<Pattern> all = {pattern_of(AccessKind::load, 4, {0, 1}), pattern_of(AccessKind::load, 4, {0, 2}),
                              pattern_of(AccessKind::load, 4, {0, 1}), pattern_of(AccessKind::store, 4, {0, 1})};
  all[2].weight = 5;
  merge_equal(all);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].weight, 6u);
  EXPECT_EQ(all[1].words[1], 2u);
  EXPECT_EQ(all[2].kind, AccessKind::store);
}

}  // namespace
}  // namespace bankshot::scratchpad

// Searches for bank hashes: the worked examples of the XOR-hash paper, and brute force.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/optimal.hpp"
#include "search_helpers.hpp"

namespace bankshot::search {
namespace {

using scratchpad::Pattern;
using scratchpad::PatternSet;

Pattern pattern(const std::function<uint32_t(uint32_t)>& word, unsigned lanes = 32) {
  Pattern p;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    p.words[lane] = word(lane);
    p.mask |= uint64_t{1} << lane;
  }
  return p;
}
Pattern stride(uint32_t s) {
  return pattern([=](uint32_t lane) { return lane * s; });
}
PatternSet set_of(std::vector<Pattern> patterns, unsigned address_bits = 14, unsigned banks = 32) {
  PatternSet set;
  set.rules.banks = banks;
  set.address_bits = address_bits;
  set.patterns = std::move(patterns);
  return set;
}
Problem problem_of(const PatternSet& set) { return problem(set.rules, set); }
uint64_t modulo_excess(const PatternSet& set) {
  return scratchpad::excess(set.rules, set, scratchpad::modulo_hash(scratchpad::size_of(set)));
}
std::vector<uint32_t> single_bits(std::initializer_list<unsigned> bits) {
  std::vector<uint32_t> rows;
  for (unsigned bit : bits) rows.push_back(1u << bit);
  return rows;
}

TEST(Search, reduced_exhaustive_search_tries_188_for_strides_4_and_6) {
  const Problem p = problem_of(set_of({stride(4), stride(6)}));  // section 5.1
  const Found reduced = exhaustive_bitvector(p, false, true), full = exhaustive_bitvector(p, false, false);
  EXPECT_EQ(reduced.evaluated, 188u);
  EXPECT_EQ(full.evaluated, 4480u);
  EXPECT_EQ(reduced.excess, full.excess);
}

TEST(Search, reduced_search_finds_what_the_full_one_finds_for_strides) {
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    std::vector<Pattern> patterns;
    for (unsigned k = 0; k < 1 + round % 3u; ++k) patterns.push_back(stride((2 * (random() % 8) + 1) << random() % 6));
    const Problem p = problem_of(set_of(std::move(patterns)));
    EXPECT_EQ(exhaustive_bitvector(p, false, true).excess, exhaustive_bitvector(p, false, false).excess) << round;
  }
}

TEST(Search, a_tile_read_by_rows_and_columns_has_no_conflicts_left) {
  const PatternSet set = set_of({stride(1), stride(32)});
  EXPECT_EQ(modulo_excess(set), 31u);
  const Found found = exhaustive_bitvector(problem_of(set), false, false);
  EXPECT_EQ(found.excess, 0u);
  EXPECT_EQ(scratchpad::spec(found.hash), "bvxor:0,5,31");
}

TEST(Search, givargis_selects_the_bits_of_the_papers_examples) {
  EXPECT_EQ(givargis(problem_of(set_of({stride(8), stride(45)})), false).bits, single_bits({3, 4, 5, 6, 7}));
  EXPECT_EQ(givargis(problem_of(set_of({stride(8), stride(13)})), false).bits, single_bits({3, 4, 6, 5, 7}));
}

TEST(Search, minimum_imbalance_selects_the_bits_of_figure_6) {
  const std::vector<uint32_t> words = {27, 12, 6, 19, 11, 4, 28, 3};
  Problem p;
  p.size = {5, 3};
  std::vector<uint32_t> sorted = words;
  std::sort(sorted.begin(), sorted.end());
  p.groups = {{1, scratchpad::canonical(sorted)}};
  const Found found = minimum_imbalance(p, false);
  EXPECT_EQ(found.bits, single_bits({0, 3, 4}));
  // Bits 0, 2 and 3 halve the words; of what is left then, one bit is best each time.
  EXPECT_EQ(found.ties, (std::vector<std::vector<uint32_t>>{single_bits({2, 3}), {}, {}}));
}

TEST(Search, ties_of_heuristics_are_told) {
  // 4 words 0, 4, 8, 12 and 2 bank bits: address bits 2 and 3 are equally good, then nothing is left to tie with 3.
  Problem p;
  p.size = {5, 2};
  p.groups = {{1, {0, 4, 8, 12}}};
  for (const Found& found : {givargis(p, false), minimum_imbalance(p, false)}) {
    EXPECT_EQ(found.bits, single_bits({2, 3}));
    ASSERT_EQ(found.ties.size(), 2u);
    EXPECT_EQ(found.ties[0], single_bits({3}));
    EXPECT_TRUE(found.ties[1].empty());
  }
}

TEST(Search, what_is_found_does_not_depend_on_the_number_of_threads) {
  std::mt19937 random(12);
  std::vector<Pattern> patterns;
  for (int k = 0; k < 10; ++k)
    patterns.push_back(pattern([&](uint32_t) { return static_cast<uint32_t>(random() % 256); }));
  const Problem p = problem_of(set_of(std::move(patterns), 8));
  SearchOptions options;
  options.proof = true;
  const Found one = optimal(p, options);
  options.threads = 3;
  const Found three = optimal(p, options);
  EXPECT_EQ(one.status, Status::optimal);
  EXPECT_EQ(one.hash, three.hash);
  EXPECT_EQ(one.excess, three.excess);
  EXPECT_EQ(one.evaluated, three.evaluated);
  EXPECT_EQ(one.proof->tree, three.proof->tree);
}

TEST(Search, optimum_of_all_strides_up_to_8_is_proved_by_loads_where_sums_do_not_tell) {
  std::vector<Pattern> patterns;
  for (uint32_t s = 1; s <= 8; ++s) patterns.push_back(stride(s));
  const Found found = optimal(problem_of(set_of(std::move(patterns), 8)), {});
  EXPECT_EQ(found.status, Status::optimal);
  EXPECT_EQ(found.lower_bound, found.excess);
}

TEST(Search, evaluation_agrees_with_the_cost_of_the_patterns) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<Pattern> patterns;
    for (int k = 0; k < 20; ++k) {
      Pattern p = pattern([&](uint32_t) { return random() % 16384; }, 1 + random() % 32);
      p.weight = 1 + random() % 9;
      p.kind = static_cast<scratchpad::AccessKind>(random() % 3);
      p.width = 4u << random() % 3;
      for (uint32_t& word : p.words) word = word / 4 * 4 % (round % 2 == 0 ? 64 : 16384);
      patterns.push_back(p);
    }
    const PatternSet set = set_of(std::move(patterns));
    std::vector<uint32_t> rows(5);
    for (uint32_t& row : rows) row = random() % 16384;
    const scratchpad::BankHash hash = *scratchpad::rows_hash({14, 5}, rows);
    const Problem p = problem_of(set);
    EXPECT_EQ(p.unavoidable + Evaluator(p.groups).excess(rows), scratchpad::excess({}, set, hash)) << round;
  }
}

/// Up to five groups of 2, 4 or 8 words.
Problem random_problem(std::mt19937& random, scratchpad::HashSize size) {
  Problem p;
  p.size = size;
  for (unsigned k = 0; k < 1 + random() % 5; ++k) {
    std::set<uint32_t> words;
    while (words.size() < (2u << random() % 3)) words.insert(random() % (1u << size.address_bits));
    p.groups.push_back({1 + random() % 4, scratchpad::canonical({words.begin(), words.end()})});
  }
  return p;
}

TEST(Search, optimal_agrees_with_brute_force) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const Problem p = random_problem(random, {6, 2 + round % 2u});
    const Found optimum = optimal(p, {});
    EXPECT_EQ(optimum.status, Status::optimal);
    EXPECT_EQ(optimum.excess, brute_force(p)) << round;
    EXPECT_EQ(Evaluator(p.groups).excess(optimum.hash.rows()), optimum.excess);
  }
}

TEST(Search, optimal_within_a_restriction_agrees_with_brute_force) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const Problem p = random_problem(random, {6, 2 + round % 2u});
    SearchOptions options;
    options.in_place = round / 2 % 2 != 0;
    options.plain_low_bits = random() % (p.size.bank_bits + 1);
    const Found optimum = optimal(p, options);
    EXPECT_EQ(optimum.status, Status::optimal);
    EXPECT_EQ(optimum.excess, brute_force(p, options)) << round;
    EXPECT_EQ(Evaluator(p.groups).excess(optimum.hash.rows()), optimum.excess);
    for (unsigned bit = 0; bit < options.plain_low_bits; ++bit) EXPECT_EQ(optimum.hash.row[bit], 1u << bit);
  }
}

TEST(Search, every_method_keeps_to_a_restriction) {
  std::mt19937 random(8);
  SearchOptions options;
  options.in_place = true;
  for (int round = 0; round < 20; ++round) {
    const Problem p = random_problem(random, {7, 3});
    options.plain_low_bits = static_cast<unsigned>(round) % 3;
    const uint64_t least = optimal(p, options).excess;
    for (const char* c : {"bitvector-perm", "bitvector-xor", "bitwise-perm", "bitwise-xor", "swizzle"}) {
      for (Method m : {Method::exhaustive, Method::givargis, Method::mih}) {
        const Result<Found> found = find(p, c, m, options);
        if (!found) continue;  // the class has no such method
        EXPECT_TRUE(options.allows(found->hash)) << c << " " << name(m) << " " << scratchpad::spec(found->hash);
        EXPECT_GE(found->excess, least);
      }
    }
    EXPECT_TRUE(options.allows(exhaustive_bitvector(p, false, true, options).hash));
  }
  options.plain_low_bits = 4;
  EXPECT_FALSE(find(random_problem(random, {7, 3}), "gf2", Method::optimal, options));
}

TEST(Search, columns_of_float4_are_free_of_conflicts_with_two_plain_bits) {
  // 8 lanes read 4 words each, a row of 32 words apart: the chunks of 4 words must move, and stay whole.
  const Problem p = problem_of(set_of({pattern([](uint32_t word) { return word / 4 * 32 + word % 4; })}));
  SearchOptions options;
  options.in_place = true;
  options.plain_low_bits = 2;
  const Found found = optimal(p, options);
  EXPECT_EQ(found.excess, 0u);
  for (uint32_t word = 0; word < 1024; word += 4) {
    for (uint32_t k = 0; k < 4; ++k) EXPECT_EQ(found.hash.bank(word + k), found.hash.bank(word) + k);
  }
}

TEST(Search, optimal_is_no_worse_than_any_class_and_may_be_held_in_place) {
  std::mt19937 random(9);
  for (int round = 0; round < 6; ++round) {
    std::vector<Pattern> patterns;
    for (int k = 0; k < 8; ++k) {
      std::vector<uint32_t> basis(5);
      for (uint32_t& b : basis) b = random() % 512;
      patterns.push_back(pattern([&](uint32_t lane) {
        uint32_t word = 0;
        for (int j = 0; j < 5; ++j) word ^= (lane >> j & 1) * basis[static_cast<size_t>(j)];
        return word;
      }));
    }
    const PatternSet set = set_of(std::move(patterns), 9);
    const Problem p = problem_of(set);
    SearchOptions options;
    const Found free = optimal(p, options);
    options.in_place = true;
    const Found held = optimal(p, options);
    EXPECT_EQ(free.status, Status::optimal);
    EXPECT_EQ(held.status, Status::optimal);
    EXPECT_TRUE(scratchpad::is_in_place(held.hash));
    EXPECT_LE(free.excess, held.excess);
    for (const Found& other : {exhaustive_bitvector(p, false, false), exhaustive_bitwise(p, true, {}),
                               givargis(p, true), minimum_imbalance(p, true)}) {
      EXPECT_LE(free.excess, other.excess);
    }
    EXPECT_LE(held.excess, exhaustive_bitvector(p, false, false, options).excess);
    EXPECT_EQ(scratchpad::excess({}, set, held.hash), held.excess);
  }
}

TEST(Search, bitwise_search_is_exhaustive) {
  std::mt19937 random(2);
  for (int round = 0; round < 10; ++round) {
    std::vector<Pattern> patterns;
    for (int k = 0; k < 4; ++k) patterns.push_back(pattern([&](uint32_t) { return random() % 256; }));
    const Problem p = problem_of(set_of(std::move(patterns), 8, 16));
    const Found found = exhaustive_bitwise(p, false, {});
    uint64_t best = ~uint64_t{0};
    const Evaluator evaluator(p.groups);
    for (uint32_t chosen = 0; chosen < 256; ++chosen) {
      if (std::popcount(chosen) != 4) continue;
      std::vector<uint32_t> rows;
      for (uint32_t rest = chosen; rest != 0; rest &= rest - 1) rows.push_back(rest & (0 - rest));
      best = std::min(best, evaluator.excess(rows));
    }
    EXPECT_EQ(found.excess, best + p.unavoidable);
  }
}

PatternSet random_patterns(size_t count) {
  std::mt19937 random(7);
  std::vector<Pattern> patterns;
  for (size_t k = 0; k < count; ++k) patterns.push_back(pattern([&](uint32_t) { return random() % 16384; }));
  return set_of(std::move(patterns));
}

TEST(Search, without_time_a_valid_hash_comes_after_little_work) {
  const PatternSet set = random_patterns(500);
  const Problem p = problem_of(set);
  SearchOptions options;
  options.time_limit = std::chrono::milliseconds(-1);  // over before it begins, on any machine
  for (const auto& [c, method] : {std::pair("gf2", Method::optimal), std::pair("bitwise-xor", Method::exhaustive)}) {
    const Found found = *find(p, c, method, options);
    EXPECT_EQ(found.status, Status::best_found);
    EXPECT_LE(found.evaluated, 200u) << c;  // not the 1,024 rows of one step of a descent, nor 64 nodes
    EXPECT_EQ(found.excess, scratchpad::excess(set.rules, set, found.hash));
    EXPECT_LE(found.lower_bound, found.excess);
    EXPECT_EQ(scratchpad::rank(found.hash.rows()), 5u);
  }
}

TEST(Search, a_bound_without_time_is_below_the_optimum) {
  PatternSet set = random_patterns(10);
  set.address_bits = 6;
  for (Pattern& one : set.patterns) {
    for (uint32_t& word : one.words) word %= 64;
  }
  const Problem p = problem_of(set);
  SearchOptions options;
  options.time_limit = std::chrono::hours(1);  // however slow the build: the time must not decide
  const Found best = optimal(p, options);
  ASSERT_EQ(best.status, Status::optimal);
  options.time_limit = std::chrono::milliseconds(-1);
  EXPECT_LE(optimal(p, options).lower_bound, best.excess);
}

TEST(Search, bitwise_search_that_runs_out_of_time_begins_at_a_heuristic) {
  const Problem p = problem_of(random_patterns(500));
  SearchOptions options;
  options.time_limit = std::chrono::milliseconds(-1);
  const Found found = exhaustive_bitwise(p, true, options);
  EXPECT_LE(found.excess, minimum_imbalance(p, true).excess);
  EXPECT_LE(found.excess, minimum_imbalance(p, false).excess);
  EXPECT_LE(found.lower_bound, found.excess);
}

TEST(Search, canonical_form_is_the_least_of_all_translations) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint32_t> words(2 + random() % 12), least;
    for (uint32_t& word : words) word = random() % 32;  // some of them equal, like lanes of an atomic
    std::sort(words.begin(), words.end());
    for (uint32_t origin : words) {
      std::vector<uint32_t> form = words;
      for (uint32_t& word : form) word ^= origin;
      std::sort(form.begin(), form.end());
      if (least.empty() || form < least) least = form;
    }
    EXPECT_EQ(scratchpad::canonical(words), least);
  }
}

TEST(Search, canonical_forms_do_not_depend_on_translation_or_order) {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    std::set<uint32_t> words;
    while (words.size() < 12) words.insert(random() % 1024);
    const uint32_t by = random() % 1024;
    std::set<uint32_t> moved;
    for (uint32_t word : words) moved.insert(word ^ by);
    EXPECT_EQ(scratchpad::canonical({words.begin(), words.end()}), scratchpad::canonical({moved.begin(), moved.end()}));
  }
}

TEST(Search, atomics_on_one_word_are_unavoidable) {
  Pattern p = pattern([](uint32_t) { return 7u; });
  p.kind = scratchpad::AccessKind::atomic;
  p.weight = 3;
  const Problem problem = problem_of(set_of({p}));
  EXPECT_EQ(problem.unavoidable, 93u);
  EXPECT_EQ(optimal(problem, {}).excess, 93u);
}

}  // namespace
}  // namespace bankshot::search

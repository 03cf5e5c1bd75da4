// Atomics where locks guard words: the rules, the closed model and the voting layouts, with the numbers of the papers.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <random>

#include "bankshot/scratchpad/atomics/atomics_model.hpp"
#include "bankshot/scratchpad/atomics/lock_unit.hpp"
#include "bankshot/scratchpad/atomics/voting.hpp"

namespace bankshot::scratchpad {
namespace {

using Words = std::vector<uint32_t>;

constexpr AtomicsTimes kTpds = {108, 120, 32, 32};  // TPDS'13, section 2.1
constexpr AtomicsTimes kFsm = {118, 118, 32, 36};   // ICCD'13, section III: 32 + 18 + 36 + 32

LockHash locks(std::string_view spec) { return *parse_lock_hash(spec, {}); }

LockGeometry geometry(std::string_view bank_hash = "none", std::string_view lock_hash = "none") {
  LockGeometry g;
  if (bank_hash == "xor") g.bank_hash = fixed_xor_hash({});
  if (bank_hash == "add") g.bank_hash = add_hash({});
  g.locks = locks(lock_hash);
  return g;
}

/// A pattern of a whole warp: `first`, then the lane numbers.
Words whole_warp(Words first) {
  for (auto lane = static_cast<uint32_t>(first.size()); lane < 32; ++lane) first.push_back(lane);
  return first;
}

/// Equation 1 of ICCD'13.
Words conflicting(uint32_t stride, uint32_t conflicts) {
  Words words(32);
  for (uint32_t id = 0; id < 32; ++id) words[id] = id < conflicts ? id * stride : id;
  return words;
}

LockWalk walk(const Words& words, const LockGeometry& g = geometry()) {
  return LockWalker(g).walk(words.data(), static_cast<unsigned>(words.size()));
}
uint64_t cycles(const Words& words, const AtomicsTimes& times, const LockGeometry& g = geometry()) {
  return latency(walk(words, g), times).total();
}

TEST(Atomics, locks_are_the_bits_from_11_to_2) {
  const LockHash hash = locks("none");
  EXPECT_EQ(hash.locks(), 1024u);
  for (const auto& [word, lock] :
       {std::pair{0u, 0u}, {31u, 31u}, {33u, 33u}, {1023u, 1023u}, {1024u, 0u}, {1056u, 32u}, {2048u, 0u}}) {
    EXPECT_EQ(hash.lock(word), lock) << word;  // ICCD'13, figure 2
  }
}

TEST(Atomics, hashed_locks_take_in_higher_fields) {
  // word = f0 + 32 f1 + 1024 f2 with f0 = 5, f1 = 12, f2 = 9
  const uint32_t word = 5 + 32 * 12 + 1024 * 9;
  EXPECT_EQ(locks("xor").lock(word), (5u ^ 12u) + 32 * (12u ^ 9u));
  EXPECT_EQ(locks("add").lock(word), (5u + 12u) + 32 * (12u + 9u));
  const uint32_t wraps = 30 + 32 * 29 + 1024 * 8;
  EXPECT_EQ(locks("add").lock(wraps), (30u + 29u) % 32 + 32 * ((29u + 8u) % 32));
  EXPECT_EQ(locks("rows:1,2,4,8,16,32,64,128,256,512"), locks("none"));
}

TEST(Atomics, lock_hashes_are_told_as_they_are_read) {
  for (const std::string text : {"none", "xor", "add", "rows:33,66,132,264,528,1,2,4,8,16"}) {
    EXPECT_EQ(spec(locks(text), {}), text);
  }
  EXPECT_EQ(spec(locks("rows:1,2,4,8,16,32,64,128,256,512"), {}), "none") << "the same rows";
}

TEST(Atomics, lock_hashes_that_make_no_sense_are_refused) {
  for (const auto& [spec, why] : {std::pair{"", "no such hash"},
                                  {"xor:1", "no such hash"},
                                  {"rows:1,2", "2 rows, but 10 lock bits"},
                                  {"rows:1,2,4,8,16,32,64,128,256,x", "'x' is not a number"},
                                  {"rows:", "'' is not a number"},
                                  {"rows:1,2,4,8,16,32,64,128,256,99999", "row 9 names more than 14 address bits"}}) {
    const Result<LockHash> hash = parse_lock_hash(spec, {});
    ASSERT_FALSE(hash) << spec;
    EXPECT_NE(hash.error().message.find(why), std::string::npos) << hash.error().message;
  }
  EXPECT_FALSE(parse_lock_hash("add", {14, 12, 5}));
}

TEST(Atomics, the_lowest_lane_of_a_lock_wins) {
  const uint32_t bytes[] = {4 * 1024, 0, 4 * 2048, 4 * 7, 4 * 7};
  const LockTable table(locks("none"));
  Locks held;
  EXPECT_EQ(acquire(table, bytes, 0b11111, held), 0b01001u);
  EXPECT_EQ(held.count(), 2u);
  EXPECT_EQ(acquire(table, bytes, 0b10110, held), 0u) << "they are held";
  release(table, bytes, 0b01000, held);
  EXPECT_EQ(acquire(table, bytes, 0b10110, held), 0b10000u);
}

TEST(Atomics, position_conflicts_add_a_round_each) {
  for (uint32_t n = 1; n <= 32; ++n) {
    EXPECT_EQ(cycles(conflicting(0, n), kTpds), 108 + 120 * (n - 1)) << n;  // TPDS'13, figure 2
    EXPECT_EQ(cycles(conflicting(0, n), kFsm), 118 * n) << n;               // ICCD'13, figure 5a
  }
}

TEST(Atomics, bank_conflicts_cost_a_read_and_a_write_level) {
  for (uint32_t m = 1; m <= 32; ++m) {
    EXPECT_EQ(cycles(conflicting(32, m), kTpds), 108 + 64 * (m - 1)) << m;  // TPDS'13, figure 3, top
    EXPECT_EQ(cycles(conflicting(32, m), kFsm), 50 + 68 * m) << m;          // ICCD'13, figure 5b
  }
}

TEST(Atomics, aliased_addresses_make_the_steps_of_stride_256) {
  Words tpds, fsm;
  for (uint32_t n = 1; n <= 9; ++n) {
    tpds.push_back(static_cast<uint32_t>(cycles(conflicting(256, n), kTpds)));
    fsm.push_back(static_cast<uint32_t>(cycles(conflicting(256, n), kFsm)));
  }
  // TPDS'13, figure 3, bottom: gaps 64, 64, 64, arrow 1: 152, then 96, 96, 96, arrow 2: 184.
  EXPECT_EQ(tpds, (Words{108, 172, 236, 300, 452, 548, 644, 740, 924}));
  EXPECT_EQ(fsm, (Words{118, 186, 254, 322, 472, 572, 672, 772, 954}));
  EXPECT_EQ(cycles(conflicting(256, 32), kFsm), 6160u);
}

TEST(Atomics, worked_examples_of_the_model) {
  // TPDS'13, section 2.1.2: penalties over the base.
  const auto penalty = [](Words first) { return cycles(whole_warp(std::move(first)), kTpds) - 108; };
  EXPECT_EQ(penalty({0, 1024}), 152u);
  EXPECT_EQ(penalty({0, 32}), 64u);
  EXPECT_EQ(penalty({0, 1024, 2048}), 2 * 152u + 32);
  EXPECT_EQ(penalty({0, 1024, 2048, 32}), 2 * 152u + 32 + 64);
  EXPECT_EQ(penalty({0, 1024, 2048, 32, 1056}), 2 * 152u + 32 + 2 * 64 + 32);
}

TEST(Atomics, a_penalty_has_parts) {
  // 0, 1024, 2048: three rounds that read at levels 3, 2, 1 and write at level 1.
  const LockWalk w = walk(whole_warp({0, 1024, 2048}));
  EXPECT_EQ(w, (LockWalk{3, 3, 6, 3}));
  const AtomicsLatency l = latency(w, kTpds);
  EXPECT_EQ(l.rounds, 108u + 240);
  EXPECT_EQ(l.reads, 96u);
  EXPECT_EQ(l.writes, 0u);
  EXPECT_EQ(latency(walk({}), kTpds).total(), 0u);
}

TEST(Atomics, lanes_count_for_locks_and_words_for_banks) {
  // ICCD'13, figure 2: lanes 0, 4, 5, 7 share lock 0 (two of them word 0), lanes 1 and 6 lock 32.
  const LockWalk w = walk({0, 32, 1, 33, 0, 1024, 1056, 2048, 8, 9});
  EXPECT_EQ(w.rounds, 4u);
  EXPECT_EQ(w.bank_degree, 5u);  // 0, 32, 1024, 1056, 2048
}

TEST(Atomics, hashes_remove_bank_and_lock_conflicts_but_not_position_conflicts) {
  for (const char* hash : {"xor", "add"}) {
    const LockGeometry g = geometry(hash, hash);
    for (uint32_t n = 1; n <= 32; ++n) {
      EXPECT_EQ(cycles(conflicting(0, n), kFsm, g), 118 * n);
      EXPECT_EQ(cycles(conflicting(32, n), kFsm, g), 118u);
      EXPECT_EQ(walk(conflicting(256, n), g).rounds, 1u) << "all lock conflicts are removed";
    }
    Words stepped;
    for (uint32_t n = 1; n <= 6; ++n) stepped.push_back(static_cast<uint32_t>(cycles(conflicting(256, n), kFsm, g)));
    EXPECT_EQ(stepped, (Words{118, 186, 186, 186, 186, 254}));
    EXPECT_EQ(cycles(conflicting(256, 32), kFsm, g), 594u);
  }
}

/// The loop as it is written down, round by round.
LockWalk by_rounds(const Words& words, const LockGeometry& g) {
  Rules rules;
  rules.hash = g.bank_hash;
  std::array<uint32_t, kMaxLanes> bytes{};
  for (size_t k = 0; k < words.size(); ++k) bytes[k] = words[k] * 4;
  uint64_t pending = (uint64_t{1} << words.size()) - 1;
  const LockTable table(g.locks);
  LockWalk result;
  for (; pending != 0; ++result.rounds) {
    const uint32_t level = read_level(rules, 4, bytes.data(), pending);
    if (result.rounds == 0) result.bank_degree = level;
    Locks held;
    const uint64_t winners = acquire(table, bytes.data(), pending, held);
    result.reads += level;
    result.writes += write_level(rules, 4, bytes.data(), winners);
    pending &= ~winners;
  }
  return result;
}

TEST(Atomics, the_walk_is_the_loop) {
  std::mt19937 random(5);
  for (const char* bank_hash : {"none", "xor", "add"}) {
    for (const char* lock_hash : {"none", "xor", "add", "rows:1,2,4,8,16,1056,2112,4224,8448,512"}) {
      const LockGeometry g = geometry(bank_hash, lock_hash);
      LockWalker walker(g);
      for (int k = 0; k < 300; ++k) {
        Words words(1 + random() % 32);
        const uint32_t range = 1u << (1 + random() % 14), stride = 1u << random() % 3;
        for (uint32_t& word : words) word = random() % range * stride % 12288;
        EXPECT_EQ(walker.walk(words.data(), static_cast<unsigned>(words.size())), by_rounds(words, g));
      }
    }
  }
}

TEST(Voting, lanes_find_their_copies) {
  // TPDS'13, equations 1 and 2; ICCD'13, section V.
  const Layout cyclic{64, 4, 1, Mapping::cyclic}, block{64, 4, 1, Mapping::block},
      stretched{64, 4, 1, Mapping::stretched};
  EXPECT_EQ(cyclic.word(10, 6, 32), 10u + 65 * 2);
  EXPECT_EQ(block.word(10, 6, 32), 10u + 65 * 0);
  EXPECT_EQ(block.word(10, 9, 32), 10u + 65 * 1);
  EXPECT_EQ(stretched.word(10, 6, 32), 10u * 5 + 2);
  EXPECT_EQ((Layout{64, 64, 0, Mapping::block}.word(0, 9, 32)), 64u * 9);  // more copies than threads
  EXPECT_EQ(cyclic.size(), 4u * 65 - 1);
  EXPECT_EQ(stretched.size(), 64u * 5 - 1);
}

TEST(Voting, lanes_of_a_layout_stay_in_its_size) {
  for (const Layout& layout : layouts(48, 32, 12288)) {
    uint32_t most = 0;
    for (uint32_t t = 0; t < 32; ++t) most = std::max(most, layout.word(47, t, 32));
    EXPECT_LT(most, layout.size()) << name(layout.mapping) << layout.copies;
  }
  EXPECT_TRUE(layouts(2048, 32, 2047).empty());
  EXPECT_EQ(layouts(2048, 32, 2048).size(), 1u);
  const std::vector<Layout> odd = layouts(4000, 32, 12288);
  EXPECT_EQ(odd.back().copies, 3u) << "the most that fit, too";
}

TEST(Voting, replication_helps_as_long_as_the_copies_have_locks_of_their_own) {
  // TPDS'13, figure 7: with random votes the best is the largest R with R V <= 1024.
  const AtomicsModel model = lock_model(geometry(), kTpds);
  for (const auto& [words, best] : {std::pair{64u, 16u}, {128u, 8u}, {256u, 4u}, {512u, 2u}, {1024u, 1u}}) {
    const Votes votes = random_votes(1, 4000, 32, words);
    double least = 1e9;
    unsigned found = 0;
    for (unsigned copies = 1; copies <= 32 && copies * words <= 12288; copies *= 2) {
      const double latency = voting_cost(model, {words, copies, 0, Mapping::cyclic}, votes).latency;
      if (latency < least * 0.995) {
        least = latency;
        found = copies;
      }
    }
    EXPECT_EQ(found, best) << words;
  }
}

TEST(Voting, means_of_random_votes) {
  // TPDS'13, figure 5, by our own count of a million patterns: 413 (3.54, 1.00), 361 (1.94, 3.15), 312 (1.40, 3.44).
  const AtomicsModel model = lock_model(geometry(), kTpds);
  struct Case {
    unsigned words;
    double latency, locks, banks;
  };
  for (const Case& c : {Case{32, 413, 3.54, 1.00}, {256, 361, 1.94, 3.15}, {1024, 312, 1.40, 3.44}}) {
    const VotingCost cost = voting_cost(model, {c.words, 1, 0, Mapping::cyclic}, random_votes(3, 20000, 32, c.words));
    EXPECT_NEAR(cost.latency, c.latency, 3) << c.words;
    EXPECT_NEAR(cost.lock_degree, c.locks, 0.03);
    EXPECT_NEAR(cost.bank_degree, c.banks, 0.03);
    EXPECT_NEAR(cost.latency, cost.rounds + cost.reads + cost.writes, 1e-9);
  }
}

TEST(Atomics, at_the_banks_lanes_take_turns) {
  const AtomicsModel turns = native_model({}, 24, 1, false), counted = native_model({}, 24, 2, true);
  const Words words = whole_warp({0, 0, 0, 32, 64});  // five lanes and three words in bank 0
  EXPECT_EQ(turns(words.data(), 32).cycles.total(), 24u + 4);
  EXPECT_EQ(counted(words.data(), 32).cycles.total(), 24u + 2 * 2);
  EXPECT_EQ(turns(words.data(), 32).lock_degree, 3u);
  EXPECT_EQ(turns(words.data(), 32).bank_degree, 3u);
  EXPECT_EQ(turns(words.data(), 32).rounds, 1u);
  EXPECT_EQ(turns(words.data(), 0).cycles.total(), 0u);
}

TEST(Voting, a_pattern_counts_by_its_weight) {
  const AtomicsModel model = native_model({}, 24, 1, false);
  Votes votes{32, std::vector<uint32_t>(64, 0), {3, 1}};  // all lanes on word 0: 24 + 31; each on its own: 24
  std::iota(votes.of.begin() + 32, votes.of.end(), 0u);
  EXPECT_EQ(voting_cost(model, {32, 1, 0, Mapping::cyclic}, votes).latency, (3 * 55 + 24) / 4.0);
  EXPECT_EQ(voting_cost(model, {32, 1, 0, Mapping::cyclic}, votes).lock_degree, (3 * 32 + 1) / 4.0);
  votes.weights = {uint64_t{1} << 40, 0};
  EXPECT_EQ(voting_cost(model, {32, 1, 0, Mapping::cyclic}, votes).latency, 55);
  votes.weights = {0, 0};
  EXPECT_EQ(voting_cost(model, {32, 1, 0, Mapping::cyclic}, votes).latency, 0);
}

TEST(Voting, votes_are_below_the_words_and_sorted_on_demand) {
  Votes votes = random_votes(9, 100, 32, 37);
  EXPECT_EQ(votes.warps(), 100u);
  for (uint32_t vote : votes.of) EXPECT_LT(vote, 37u);
  const uint32_t sum = std::accumulate(votes.of.begin(), votes.of.end(), 0u);
  sort_warps(votes);
  EXPECT_EQ(std::accumulate(votes.of.begin(), votes.of.end(), 0u), sum);
  for (size_t k = 1; k < votes.of.size(); ++k) {
    if (k % 32 != 0) {
      EXPECT_LE(votes.of[k - 1], votes.of[k]);
    }
  }
}

}  // namespace
}  // namespace bankshot::scratchpad

// Conflict detection and version management, access by access: GPU-LocalTM, sections 3.2, 3.3 and 4.2 worked by hand.
// Word w is in bank w % 32, position w / 32; a filter of 8 bits tells positions apart modulo 8, so words modulo 256.
#include "tx_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

constexpr uint32_t word(uint32_t number) { return number * 4; }

TxConfig separate_sets() {
  TxConfig config;
  config.separate = true;
  return config;
}
TxConfig exactly() {
  TxConfig config;
  config.exact = true;
  return config;
}

// Section 3.3: "the work-item 3 intends to access the memory location 35 … bank 35 % 32 = 3 … position 35 / 32 = 1 …
// bit 1".
TEST(SharedTransactions, work_item_3_at_address_35_sets_bit_1_in_bank_3) {
  TxMemory memory;
  EXPECT_EQ(memory.load({{3, word(35)}}).conflicts, 0u);
  for (uint32_t other = 0; other < 1024; ++other) {
    const bool bit_1_of_bank_3 = other % 32 == 3 && other / 32 % 8 == 1;
    const SharedTransactions::Outcome outcome = memory.load({{5, word(other)}});
    EXPECT_EQ(outcome.conflicts != 0, bit_1_of_bank_3) << other;
    memory.abort(1 << 5);
  }
  EXPECT_EQ(memory.totals.conflicts, 4u);  // 35, 291, 547, 803
  EXPECT_EQ(memory.totals.false_conflicts, 3u);
  EXPECT_EQ(memory.totals.read_conflicts, 1u);
}

TEST(SharedTransactions, a_new_word_takes_a_query_and_two_writes_and_the_same_again_a_query_and_a_check) {
  TxMemory memory;
  const auto fresh = memory.store({{0, word(35)}});  // case ii
  EXPECT_EQ(fresh.passes, 1u);
  EXPECT_EQ(fresh.cycles, 1u + 2);
  const auto again = memory.load({{0, word(35)}});  // case iii, its own
  EXPECT_EQ(again.passes, 1u);
  EXPECT_EQ(again.cycles, 1u + 1);
  EXPECT_EQ(memory.load({{0, word(35 + 256)}}).cycles,
            1u + 2);  // case iii: only its filter is hit, but the word is new
  EXPECT_EQ(memory.load({{0, word(35 + 256)}}).cycles, 1u + 1);
  EXPECT_EQ(memory.totals.accesses, 4u);
  EXPECT_EQ(memory.totals.conflicts, 0u);
}

// Case i: the entries of its own in its slowest bank are cleared, and then, in the broadcast, as many again.
TEST(SharedTransactions, a_conflict_takes_a_query_and_the_entries_of_the_slowest_bank_twice) {
  TxMemory memory;
  EXPECT_EQ(memory.load({{1, word(7)}}).cycles, 3u);
  EXPECT_EQ(memory.load({{0, word(7)}}).cycles, 1u) << "nothing to clear";
  for (const uint32_t mine : {0u, 32u, 64u, 1u}) memory.store({{0, word(mine)}});  // three in bank 0, one in bank 1
  const auto outcome = memory.load({{0, word(7)}});
  EXPECT_EQ(outcome.conflicts, 1u);
  EXPECT_EQ(outcome.cycles, 1u + 3 + 3);
  EXPECT_TRUE(memory.all_untouched());
  EXPECT_TRUE(memory.transactions().owns_nothing(0));
  EXPECT_FALSE(memory.transactions().owns_nothing(1));
}

TEST(SharedTransactions, banks_serve_one_lane_after_the_other_and_work_at_the_same_time) {
  TxMemory memory;
  std::vector<LaneAt> own, together;
  for (unsigned lane = 0; lane < 32; ++lane) own.push_back({lane, word(lane)});
  const auto all_banks = memory.load(own);
  EXPECT_EQ(all_banks.passes, 1u);
  EXPECT_EQ(all_banks.cycles, 3u);  // each bank: 1 + 2
  memory.commit(~uint64_t{0});
  for (unsigned lane = 0; lane < 8; ++lane) together.push_back({lane, word(32 * lane)});
  const auto one_bank = memory.load(together);
  EXPECT_EQ(one_bank.conflicts, 0u);
  EXPECT_EQ(one_bank.passes, 8u);
  EXPECT_EQ(one_bank.cycles, 8u * 3);
  // The slowest bank of each pass: lane 0 checks (1 + 1), lane 8 has a new word (1 + 2); then lane 1 checks.
  const auto mixed = memory.load({{0, word(0)}, {1, word(32)}, {8, word(5)}});
  EXPECT_EQ(mixed.passes, 2u);
  EXPECT_EQ(mixed.cycles, 3u + 2);
}

// Section 2: "allowing up to 32 coalesced (i.e., without bank conflicts) accesses simultaneously", of the wavefront and
// not of its halves.
TEST(SharedTransactions, lanes_of_both_halves_of_a_wavefront_are_served_at_once_in_different_banks) {
  TxMemory memory;
  EXPECT_EQ(memory.load({{0, word(0)}, {40, word(1)}}).passes, 1u);
  EXPECT_EQ(memory.load({{1, word(2)}, {2, word(34)}, {41, word(3)}}).passes, 2u);
  EXPECT_EQ(memory.load({{3, word(4)}, {42, word(36)}}).passes, 2u) << "one bank";
  std::vector<LaneAt> all;
  memory.abort(~uint64_t{0});
  for (unsigned lane = 0; lane < 64; ++lane) all.push_back({lane, word(lane)});
  EXPECT_EQ(memory.load(all).passes, 2u);
}

// Lane 3 has word 0, lane 1 word 1. Then lane 1 wants word 0, and lane 32 word 1. Banks 0 and 1 serve them in the same
// pass, in which word 1 is still lane 1's: both abort. If the second half of a wavefront came behind the first, lane 1
// would have given word 1 back, and lane 32 would get it. The pass: a query; in case i lane 1 clears its entry; as much
// again for the broadcast.
TEST(SharedTransactions, a_lane_of_the_second_half_meets_the_words_that_a_lane_of_the_first_loses_in_the_same_pass) {
  TxMemory memory;
  ASSERT_EQ(memory.store({{1, word(1)}, {3, word(0)}}).conflicts, 0u);
  const auto outcome = memory.store({{1, word(0)}, {32, word(1)}});
  EXPECT_EQ(outcome.conflicts, uint64_t{1} << 32 | 0b10u);
  EXPECT_EQ(outcome.passes, 1u);
  EXPECT_EQ(outcome.cycles, 1u + 1 + 1);
  EXPECT_TRUE(memory.untouched(word(1), 4));
  EXPECT_TRUE(memory.transactions().owns_nothing(1) && memory.transactions().owns_nothing(32));
  // A pass later word 1 is free: lane 32 comes to bank 1 behind lane 0.
  memory.store({{1, word(1)}});
  const auto later = memory.store({{0, word(33)}, {1, word(0)}, {32, word(1)}});
  EXPECT_EQ(later.conflicts, 0b10u);
  EXPECT_EQ(later.passes, 2u);
  EXPECT_EQ(later.cycles, (1u + 2 + 1) + (1 + 2));
}

// Three accesses of a warp meet conflicts: of two lanes, of one, of three.
TEST(SharedTransactions, an_access_with_conflicts_counts_once_however_many_lanes_meet_one) {
  TxMemory memory;
  memory.store({{0, word(0)}});
  memory.load({{1, word(0)}, {2, word(0)}, {3, word(5)}});
  memory.load({{4, word(0)}});
  memory.load({{6, word(6)}});
  memory.store({{5, word(0)}, {7, word(6)}, {8, word(256)}});
  EXPECT_EQ(memory.totals.conflicts, 6u);
  EXPECT_EQ(memory.totals.conflicting_accesses, 3u);
  EXPECT_EQ(memory.totals.false_conflicts, 1u);
}

TEST(SharedTransactions, an_access_has_the_passes_of_an_atomic_even_where_loads_of_128_bits_are_merged) {
  Rules rules;
  rules.merge_pairs = true;
  TxMemory memory({}, 4096, rules);
  std::array<uint32_t, kMaxLanes> addresses{};
  std::vector<LaneAt> lanes;
  for (unsigned lane = 0; lane < 32; ++lane) lanes.push_back({lane, addresses[lane] = lane / 2 * 16});
  ASSERT_EQ(cost(rules, AccessKind::load, 16, addresses.data(), 0xffffffff).wavefronts, 2u);  // 16 lanes, 8 addresses
  ASSERT_EQ(cost(rules, AccessKind::atomic, 16, addresses.data(), 0xffffffff).wavefronts, 8u);
  // 8 lanes at a time, two on each word: a pass in which the first gets it, and one in which the second conflicts.
  const auto outcome = memory.load(lanes, 16);
  EXPECT_EQ(outcome.conflicts, 0xaaaaaaaau);
  EXPECT_EQ(outcome.passes, 8u);
  EXPECT_EQ(outcome.cycles, 4u * (3 + 1));
}

TEST(SharedTransactions, a_bank_with_two_ports_serves_two_lanes_in_a_pass) {
  Rules rules;
  rules.ports = 2;
  TxMemory memory({}, 4096, rules);
  const auto outcome = memory.load({{0, word(0)}, {1, word(32)}, {2, word(64)}});
  EXPECT_EQ(outcome.passes, 2u);
  EXPECT_EQ(outcome.cycles, 6u);
}

TEST(SharedTransactions, commits_and_aborts_take_a_cycle_for_each_entry_of_the_slowest_bank) {
  TxMemory memory;
  EXPECT_EQ(memory.commit(1), 0u);
  for (const uint32_t mine : {0u, 32u, 5u}) memory.store({{0, word(mine)}});
  for (const uint32_t others : {64u, 96u, 37u}) memory.store({{1, word(others)}});
  memory.load({{0, word(0)}});         // no other entry
  EXPECT_EQ(memory.commit(0b11), 4u);  // bank 0: 0, 32, 64, 96; bank 5: 5 and 37
  EXPECT_EQ(memory.byte(word(96)), 0xee);
  EXPECT_TRUE(memory.transactions().owns_nothing(0) && memory.transactions().owns_nothing(1));
  memory.store({{2, word(3)}});
  memory.store({{2, word(35)}});
  EXPECT_EQ(memory.abort(0b100), 2u);
  EXPECT_TRUE(memory.untouched(word(3), 4) && memory.untouched(word(35), 4));
}

// Table 1 has WI2 and WI3 conflict with each other: the banks find out at the same time.
TEST(SharedTransactions, who_wants_each_others_words_in_two_banks_both_abort) {
  TxMemory memory;
  memory.store({{2, word(0)}, {3, word(1)}});
  const auto outcome = memory.store({{2, word(1)}, {3, word(0)}});
  EXPECT_EQ(outcome.conflicts, 0b1100u);
  EXPECT_EQ(outcome.passes, 1u);
  EXPECT_EQ(outcome.cycles, 1u + 1 + 1);
  EXPECT_TRUE(memory.all_untouched());
}

TEST(SharedTransactions, who_wants_each_others_words_in_one_bank_comes_second_and_finds_them_free) {
  TxMemory memory;
  memory.store({{2, word(0)}, {3, word(32)}});
  const auto outcome = memory.store({{2, word(32)}, {3, word(0)}});
  EXPECT_EQ(outcome.conflicts, 0b0100u);
  EXPECT_EQ(outcome.passes, 2u);
  EXPECT_EQ(outcome.cycles, (1u + 1 + 1) + (1 + 2));  // lane 2 clears an entry, twice; word 0 is new to lane 3
  EXPECT_EQ(memory.byte(word(0)), 0xee);
  EXPECT_EQ(memory.byte(word(32)), 0xee);
  memory.abort(0b1000);
  EXPECT_TRUE(memory.all_untouched());
}

TEST(SharedTransactions, words_a_multiple_of_256_apart_conflict_falsely_and_exact_detection_tells_them_apart) {
  for (const uint32_t distance : {256u, 512u, 768u}) {
    TxMemory bloom, exact(exactly());
    bloom.load({{0, word(9)}});
    EXPECT_EQ(bloom.load({{1, word(9 + distance)}}).conflicts, 2u);
    EXPECT_EQ(bloom.totals.false_conflicts, 1u);
    exact.load({{0, word(9)}});
    EXPECT_EQ(exact.load({{1, word(9 + distance)}}).conflicts, 0u);
    EXPECT_EQ(exact.load({{1, word(9)}}).conflicts, 2u);
    EXPECT_EQ(exact.totals.false_conflicts, 0u);
  }
}

TEST(SharedTransactions, exact_detection_knows_the_owner_from_the_query) {
  TxMemory exact(exactly());
  EXPECT_EQ(exact.load({{0, word(9)}}).cycles, 3u);
  EXPECT_EQ(exact.load({{0, word(9)}}).cycles, 1u);
}

TEST(SharedTransactions, wider_filters_tell_more_positions_apart) {
  for (const unsigned bits : {4u, 8u, 16u, 32u}) {
    TxConfig config;
    config.filter_bits = bits;
    TxMemory memory(config, 16'384);
    memory.load({{0, word(0)}});
    for (uint32_t position = 1; position < 128; ++position) {
      EXPECT_EQ(memory.load({{1, word(32 * position)}}).conflicts != 0, position % bits == 0)
          << bits << ' ' << position;
      memory.abort(0b10);
    }
  }
}

TEST(SharedTransactions, other_hashes_put_words_elsewhere) {
  const auto hash = [](const char* name) { return find_signature_hash(name)->hash; };
  EXPECT_EQ(hash("modulo")(0b110'101'011, 3), 0b011u);
  EXPECT_EQ(hash("xor")(0b110'101'011, 3), 0b000u);  // 6 ^ 5 ^ 3
  EXPECT_EQ(hash("xor")(0b1'000'011, 3), 0b010u);
  EXPECT_EQ(hash("multiply")(1, 3), 4u);  // 0x9e3779b1: 100 1…
  EXPECT_EQ(hash("multiply")(2, 3), 1u);  // 0x3c6ef362: 001 1…
  EXPECT_EQ(hash("multiply")(2, 5), 7u);  // 00111 1…
  TxConfig config;
  config.hash = find_signature_hash("xor");
  TxMemory memory(config);
  memory.load({{0, word(32 * 9)}});                            // 001 001: bit 0
  EXPECT_EQ(memory.load({{1, word(32 * 1)}}).conflicts, 0u);   // modulo would have both at bit 1
  EXPECT_EQ(memory.load({{2, word(32 * 18)}}).conflicts, 4u);  // 010 010: bit 0
}

TEST(SharedTransactions, threads_of_one_set_conflict_over_a_word_that_both_read) {
  TxMemory memory;
  memory.load({{0, word(4)}});
  EXPECT_EQ(memory.load({{1, word(4)}}).conflicts, 2u);
  EXPECT_EQ(memory.totals.read_conflicts, 1u);
  EXPECT_EQ(memory.store({{1, word(4)}}).conflicts, 2u);
  memory.store({{0, word(4)}});
  EXPECT_EQ(memory.load({{1, word(4)}}).conflicts, 2u);
  EXPECT_EQ(memory.totals.read_conflicts, 1u) << "it was written";
  EXPECT_EQ(memory.totals.conflicts, 3u);
}

TEST(SharedTransactions, with_separate_sets_readers_do_not_conflict_but_with_writers_all_do) {
  TxMemory memory(separate_sets());
  EXPECT_EQ(memory.load({{0, word(4)}, {1, word(4)}, {2, word(4)}}).conflicts, 0u);
  EXPECT_EQ(memory.store({{3, word(4)}}).conflicts, 0b1000u);
  EXPECT_EQ(memory.access(AccessKind::atomic, {{3, word(4)}}).conflicts, 0b1000u);
  EXPECT_EQ(memory.load({{3, word(4)}}).conflicts, 0u);
  memory.commit(0b1111);
  EXPECT_EQ(memory.store({{0, word(4)}}).conflicts, 0u);
  EXPECT_EQ(memory.store({{1, word(4)}}).conflicts, 0b10u);
  EXPECT_EQ(memory.load({{1, word(4)}}).conflicts, 0b10u);
  EXPECT_EQ(memory.load({{0, word(4)}}).conflicts, 0u);
  EXPECT_EQ(memory.totals.false_conflicts, 0u);
  EXPECT_EQ(memory.totals.read_conflicts, 0u);
}

TEST(SharedTransactions, who_has_read_a_word_alone_may_write_it) {
  TxMemory memory(separate_sets());
  memory.load({{0, word(4)}});
  EXPECT_EQ(memory.store({{0, word(4)}}).conflicts, 0u);
  EXPECT_EQ(memory.load({{1, word(4)}}).conflicts, 0b10u);
  memory.abort(1);
  EXPECT_TRUE(memory.all_untouched());
  memory.load({{0, word(4)}, {1, word(4)}});
  EXPECT_EQ(memory.store({{0, word(4)}}).conflicts, 1u) << "the other reads it, too";
  EXPECT_EQ(memory.store({{1, word(4)}}).conflicts, 0u) << "and is alone now";
}

TEST(SharedTransactions, who_reads_into_a_set_of_its_own_takes_a_query_and_needs_no_backup) {
  TxMemory memory(separate_sets());
  EXPECT_EQ(memory.load({{0, word(4)}}).cycles, 1u);
  EXPECT_EQ(memory.load({{0, word(4)}}).cycles, 1u);
  EXPECT_FALSE(memory.transactions().owns_nothing(0));
  EXPECT_EQ(memory.store({{0, word(4)}}).cycles, 3u);
  EXPECT_EQ(memory.load({{0, word(36)}}).cycles, 1u);
  EXPECT_EQ(memory.commit(1), 1u) << "one word was written";
  memory.load({{0, word(4)}});
  EXPECT_EQ(memory.abort(1), 0u);
  EXPECT_TRUE(memory.transactions().owns_nothing(0));
}

TEST(SharedTransactions, the_perfect_unit_does_the_same_for_nothing) {
  TxConfig config;
  config.perfect = true;
  TxMemory memory(config);
  memory.store({{0, word(0)}, {1, word(1)}});
  const auto outcome = memory.store({{0, word(1)}, {1, word(33)}});
  EXPECT_EQ(outcome.conflicts, 1u);
  EXPECT_EQ(outcome.passes, 2u) << "the banks are as they are";
  EXPECT_EQ(outcome.cycles, 0u);
  EXPECT_TRUE(memory.untouched(0, 4));
  EXPECT_EQ(memory.commit(0b10), 0u);
  EXPECT_EQ(memory.byte(word(1)), 0xee);
}

TEST(SharedTransactions, a_part_of_a_word_is_the_word) {
  TxMemory memory;
  EXPECT_EQ(memory.store({{0, 4}}, 1).conflicts, 0u);
  EXPECT_EQ(memory.load({{1, 6}}, 2).conflicts, 0b10u);
  EXPECT_EQ(memory.store({{0, 7}}, 1).cycles, 2u) << "it has the word";
  EXPECT_EQ(memory.byte(4), 0xee);
  EXPECT_TRUE(memory.untouched(5, 2));
  memory.abort(1);
  EXPECT_TRUE(memory.all_untouched());
}

TEST(SharedTransactions, a_wide_access_asks_for_all_its_words_in_as_many_banks_at_once) {
  TxMemory memory;
  const auto four = memory.store({{0, 16}}, 16);  // words 4 to 7
  EXPECT_EQ(four.passes, 1u);
  EXPECT_EQ(four.cycles, 3u);
  EXPECT_EQ(memory.totals.accesses, 4u);
  EXPECT_EQ(memory.store({{1, 24}}, 8).conflicts, 0b10u);
  EXPECT_EQ(memory.totals.conflicts, 1u) << "a lane, of which two words conflict";
  EXPECT_EQ(memory.abort(1), 1u) << "one entry in each of four banks";
  EXPECT_TRUE(memory.all_untouched());
}

TEST(SharedTransactions, a_wide_access_that_gets_some_of_its_words_gives_them_back) {
  TxMemory memory;
  memory.store({{1, word(6)}});
  EXPECT_EQ(memory.store({{0, 16}}, 16).conflicts, 1u);  // 4, 5 and 7 were free
  EXPECT_TRUE(memory.transactions().owns_nothing(0));
  EXPECT_EQ(memory.store({{2, word(4)}, {3, word(5)}, {4, word(7)}}).conflicts, 0u);
  memory.abort(0b11110);
  EXPECT_TRUE(memory.all_untouched());
}

TEST(SharedTransactions, banks_of_8_bytes_own_8_bytes) {
  Rules rules;
  rules.bank_bytes = 8;
  TxMemory memory({}, 4096, rules);
  EXPECT_EQ(memory.store({{0, 12}}).conflicts, 0u);
  EXPECT_EQ(memory.store({{1, 8}}).conflicts, 0b10u);
  EXPECT_EQ(memory.store({{1, 16}}).conflicts, 0u);
  EXPECT_EQ(memory.store({{2, 32}}, 16).conflicts, 0u);
  EXPECT_EQ(memory.totals.accesses, 5u);  // the last one: two words
  memory.abort(0b111);
  EXPECT_TRUE(memory.all_untouched());
}

TEST(SharedTransactions, the_last_word_may_be_a_part_of_one) {
  for (const unsigned bank_bytes : {4u, 8u}) {
    Rules rules;
    rules.bank_bytes = bank_bytes;
    TxMemory memory({}, 1001, rules);  // byte 1000 begins a word either way
    EXPECT_EQ(memory.store({{0, 1000}}, 1).conflicts, 0u);
    EXPECT_EQ(memory.byte(1000), 0xee);
    EXPECT_EQ(memory.store({{1, 1000}}, 1).conflicts, 0b10u);
    memory.abort(1);
    EXPECT_TRUE(memory.all_untouched()) << "and nothing behind it is written";
  }
}

TEST(SharedTransactions, a_hash_of_the_banks_moves_words_to_other_filters) {
  Rules rules;
  rules.hash = fixed_xor_hash({});
  TxMemory memory({}, 4096, rules);
  // Word 32 is the first of position 1; the XOR of its fields puts it into bank 1, beside word 33, which goes to bank
  // 0.
  ASSERT_EQ(rules.bank(32), 1u);
  ASSERT_EQ(rules.bank(33), 0u);
  EXPECT_EQ(memory.load({{0, word(0)}, {1, word(33)}}).passes, 2u);
  EXPECT_EQ(memory.load({{2, word(32)}, {3, word(65)}}).passes, 1u);
}

TEST(SharedTransactions, threads_of_other_warps_are_others) {
  TxMemory memory;
  memory.access(AccessKind::store, {{0, word(1)}}, 4, 64);
  EXPECT_EQ(memory.access(AccessKind::store, {{0, word(1)}}, 4, 192).conflicts, 1u);
  EXPECT_EQ(memory.access(AccessKind::store, {{0, word(1)}}, 4, 64).conflicts, 0u);
  EXPECT_FALSE(memory.transactions().owns_nothing(64));
  memory.transactions().commit(64, 1);
  EXPECT_EQ(memory.access(AccessKind::store, {{0, word(1)}}, 4, 192).conflicts, 0u);
}

TEST(SharedTransactions, all_but_one_warp_are_aborted_in_as_many_cycles_as_their_entries_in_the_slowest_bank) {
  TxMemory memory;
  memory.access(AccessKind::store, {{0, word(0)}, {1, word(1)}}, 4, 0);
  memory.access(AccessKind::store, {{0, word(32)}}, 4, 64);
  memory.access(AccessKind::store, {{0, word(64)}}, 4, 128);
  EXPECT_EQ(memory.transactions().abort_others(64, 64), 2u);  // bank 0: words 0 and 64
  EXPECT_TRUE(memory.transactions().owns_nothing(0) && memory.transactions().owns_nothing(1));
  EXPECT_FALSE(memory.transactions().owns_nothing(64));
  EXPECT_TRUE(memory.transactions().owns_nothing(128));
  EXPECT_TRUE(memory.all_untouched()) << "nothing was written";
}

TEST(SharedTransactions, a_cta_that_starts_finds_nothing_of_the_one_before) {
  TxMemory memory;
  memory.store({{0, word(1)}});
  std::vector<std::byte> other(64);
  memory.transactions().start(other.data(), 64, 32);
  EXPECT_TRUE(memory.transactions().owns_nothing(0));
  EXPECT_EQ(memory.load({{1, word(1)}}).conflicts, 0u);
}

}  // namespace
}  // namespace bankshot::scratchpad

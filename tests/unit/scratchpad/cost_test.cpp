// Wavefronts of accesses worked out by hand. Addresses are words here; the library takes bytes.
#include <gtest/gtest.h>

#include <array>

#include "bankshot/scratchpad/access/access.hpp"
#include "warp_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

Cost cost_of(Address address, unsigned width = 4, AccessKind kind = AccessKind::load, uint64_t mask = kFull,
             const Rules& rules = {}) {
  std::array<uint32_t, kMaxLanes> addresses{};
  for (uint32_t lane = 0; lane < kMaxLanes; ++lane) addresses[lane] = address(lane);
  return cost(rules, kind, width, addresses.data(), mask);
}
uint32_t wavefronts(Address address, unsigned width = 4, AccessKind kind = AccessKind::load, uint64_t mask = kFull,
                    const Rules& rules = {}) {
  return cost_of(address, width, kind, mask, rules).wavefronts;
}
Address words(uint32_t stride, uint32_t first = 0) {
  return [=](uint32_t lane) { return 4 * (first + stride * lane); };
}

TEST(Cost, unit_stride_is_one_wavefront) {
  EXPECT_EQ(wavefronts(words(1)), 1u);
  EXPECT_EQ(wavefronts(words(1, 17)), 1u);
  EXPECT_EQ(cost_of(words(1)).ideal, 1u);
}

TEST(Cost, column_of_an_unpadded_tile_is_32_way) {
  EXPECT_EQ(wavefronts(words(32)), 32u);
  EXPECT_EQ(wavefronts(words(32), 4, AccessKind::store), 32u);
}

TEST(Cost, column_of_a_padded_tile_is_one_wavefront) { EXPECT_EQ(wavefronts(words(33)), 1u); }

TEST(Cost, degree_of_a_stride_is_its_greatest_common_divisor_with_the_banks) {
  EXPECT_EQ(wavefronts(words(2)), 2u);
  EXPECT_EQ(wavefronts(words(6)), 2u);
  EXPECT_EQ(wavefronts(words(8)), 8u);
  EXPECT_EQ(wavefronts(words(48)), 16u);
  EXPECT_EQ(wavefronts(words(15)), 1u);
}

TEST(Cost, broadcast_of_one_word_is_one_wavefront) {
  EXPECT_EQ(wavefronts([](uint32_t) { return 100u; }), 1u);
  EXPECT_EQ(wavefronts([](uint32_t) { return 100u; }, 4, AccessKind::store), 1u);
}

TEST(Cost, words_shared_by_some_lanes_count_once) {
  // Lanes 0-15 read words 0..15, lanes 16-31 the same again.
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 4 * (lane % 16); }), 1u);
  // Two words of bank 0, each read by half the warp.
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 4 * 32 * (lane % 2); }), 2u);
}

TEST(Cost, bytes_of_one_word_are_a_broadcast) {
  EXPECT_EQ(wavefronts([](uint32_t lane) { return lane; }, 1), 1u);      // 32 bytes: 8 words, 8 banks
  EXPECT_EQ(wavefronts([](uint32_t lane) { return lane % 4; }, 1), 1u);  // one word
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 2 * lane; }, 2), 1u);  // 16 words
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 128 * (lane / 4) + lane % 4; }, 1), 8u);  // 8 words of bank 0
}

TEST(Cost, linear_64_bit_is_two_half_warps) {
  const Cost cost = cost_of([](uint32_t lane) { return 8 * lane; }, 8);
  EXPECT_EQ(cost.wavefronts, 2u);
  EXPECT_EQ(cost.ideal, 2u);
}

TEST(Cost, lanes_of_different_half_warps_do_not_conflict_in_64_bit_accesses) {
  // Lane 0 needs words 0 and 1, the other lane words 64 and 65: the same banks.
  const auto address = [](uint32_t lane) { return lane == 0 ? 0u : 256u; };
  EXPECT_EQ(cost_of(address, 8, AccessKind::load, 0x10001), (Cost{2, 2, 0}));
  EXPECT_EQ(cost_of(address, 8, AccessKind::load, 0x08001), (Cost{2, 1, 0}));
}

TEST(Cost, stride_two_of_64_bit_is_two_way_in_each_half_warp) {
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 16 * lane; }, 8), 4u);
}

TEST(Cost, linear_128_bit_is_four_quarter_warps) {
  const Cost cost = cost_of([](uint32_t lane) { return 16 * lane; }, 16);
  EXPECT_EQ(cost.wavefronts, 4u);
  EXPECT_EQ(cost.ideal, 4u);
}

TEST(Cost, strided_128_bit_conflicts_inside_quarter_warps_only) {
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 32 * lane; }, 16), 8u);    // rows of 8 words: lanes n, n+4 collide
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 128 * lane; }, 16), 32u);  // rows of 32 words: all 8 collide
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 144 * lane; }, 16), 4u);   // rows padded by 4 words
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 128 * (lane / 8) + 16 * (lane % 8); }, 16), 4u);
}

TEST(Cost, phases_without_active_lanes_cost_nothing) {
  EXPECT_EQ(cost_of([](uint32_t lane) { return 16 * lane; }, 16, AccessKind::load, 0xff).wavefronts, 1u);
  EXPECT_EQ(cost_of([](uint32_t lane) { return 16 * lane; }, 16, AccessKind::load, 0x101).ideal, 2u);
  EXPECT_EQ(cost_of([](uint32_t lane) { return 8 * lane; }, 8, AccessKind::load, 0xffff0000).wavefronts, 1u);
}

TEST(Cost, no_active_lane_costs_nothing) {
  for (const AccessKind kind : {AccessKind::load, AccessKind::store, AccessKind::atomic}) {
    const Cost cost = cost_of(words(32), 4, kind, 0);
    EXPECT_EQ(cost.wavefronts, 0u);
    EXPECT_EQ(cost.ideal, 0u);
    EXPECT_EQ(cost.position, 0u);
  }
}

TEST(Cost, inactive_lanes_take_no_part) {
  EXPECT_EQ(wavefronts(words(32), 4, AccessKind::load, 0x80000001), 2u);
  EXPECT_EQ(wavefronts(words(32), 4, AccessKind::load, 0x00010000), 1u);
  EXPECT_EQ(wavefronts(words(2), 4, AccessKind::load, 0x0000ffff), 1u);
}

TEST(Cost, atomics_on_one_word_serialise) {
  const Cost cost = cost_of([](uint32_t) { return 64u; }, 4, AccessKind::atomic);
  EXPECT_EQ(cost.wavefronts, 32u);
  EXPECT_EQ(cost.position, 31u);
  EXPECT_EQ(cost.ideal, 1u);
}

TEST(Cost, atomics_on_words_of_one_bank_are_bank_conflicts_not_position_conflicts) {
  const Cost cost = cost_of(words(32), 4, AccessKind::atomic);
  EXPECT_EQ(cost.wavefronts, 32u);
  EXPECT_EQ(cost.position, 0u);
}

TEST(Cost, atomics_count_lanes_of_a_bank) {
  // Three lanes on word 0, one on word 32 of the same bank; the others alone in their banks.
  const auto address = [](uint32_t lane) { return lane < 3 ? 0u : lane == 3 ? 128u : 4 * lane; };
  const Cost cost = cost_of(address, 4, AccessKind::atomic);
  EXPECT_EQ(cost.wavefronts, 4u);
  EXPECT_EQ(cost.position, 2u);
  EXPECT_EQ(wavefronts(address), 2u);
}

TEST(Cost, conflict_free_atomics_are_one_wavefront) {
  const Cost cost = cost_of(words(1), 4, AccessKind::atomic);
  EXPECT_EQ(cost.wavefronts, 1u);
  EXPECT_EQ(cost.position, 0u);
}

TEST(Cost, atomics_of_64_bit_on_one_word_serialise_in_each_half_warp) {
  const Cost cost = cost_of([](uint32_t) { return 8u; }, 8, AccessKind::atomic);
  EXPECT_EQ(cost.wavefronts, 32u);
  EXPECT_EQ(cost.position, 30u);
  EXPECT_EQ(cost.ideal, 2u);
}

TEST(Cost, warps_of_64_lanes_are_two_phases) {
  EXPECT_EQ(wavefronts(words(1), 4, AccessKind::load, ~uint64_t{0}), 2u);
  EXPECT_EQ(wavefronts([](uint32_t) { return 0u; }, 4, AccessKind::load, ~uint64_t{0}), 2u);
  EXPECT_EQ(wavefronts(words(32), 4, AccessKind::load, ~uint64_t{0}), 64u);
}

TEST(Cost, kepler_8_byte_banks_serve_stride_two_at_once) {
  Rules kepler;
  kepler.bank_bytes = 8;
  kepler.lanes_b64 = 32;
  EXPECT_EQ(wavefronts(words(2), 4, AccessKind::load, kFull, kepler), 1u);  // XOR-hash paper, section 2
  EXPECT_EQ(wavefronts(words(1), 4, AccessKind::load, kFull, kepler), 1u);
  EXPECT_EQ(wavefronts(words(4), 4, AccessKind::load, kFull, kepler), 2u);
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 8 * lane; }, 8, AccessKind::load, kFull, kepler), 1u);
}

TEST(Cost, eight_lanes_at_a_time_meet_eight_banks) {
  const Rules rules = eight_banks();
  EXPECT_EQ(wavefronts(words(1), 4, AccessKind::load, kFull, rules), 4u);  // 4 parts without conflicts
  EXPECT_EQ(wavefronts(words(2), 4, AccessKind::load, kFull, rules), 8u);  // banks 0 2 4 6 twice in each part
  EXPECT_EQ(wavefronts(words(3), 4, AccessKind::load, kFull, rules), 4u);  // odd
  EXPECT_EQ(wavefronts(words(8), 4, AccessKind::load, kFull, rules), 32u);
  EXPECT_EQ(wavefronts([](uint32_t) { return 0u; }, 4, AccessKind::load, kFull, rules), 4u);     // a broadcast in each
  EXPECT_EQ(wavefronts([](uint32_t) { return 0u; }, 4, AccessKind::atomic, kFull, rules), 32u);  // lanes take turns
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 8 * lane; }, 8, AccessKind::load, kFull, rules), 8u);
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 16 * lane; }, 16, AccessKind::load, kFull, rules), 16u);
  EXPECT_EQ(wavefronts(words(8), 4, AccessKind::load, 0x0101, rules), 2u);  // lanes 0 and 8 are not served together
  EXPECT_EQ(wavefronts(words(8), 4, AccessKind::load, 0x0003, rules), 2u);  // lanes 0 and 1 are
}

TEST(PaperExamples, transpose_takes_4_and_a_half_cycles_an_access_of_8_lanes) {
  // The elastic-pipeline paper, Table 4: a row of a tile of 16 x 16 is stored, a column read: (1 + 8) / 2.
  std::array<uint32_t, kMaxLanes> row{}, column{};
  for (uint32_t lane = 0; lane < 32; ++lane) {
    row[lane] = 4 * lane;
    column[lane] = 4 * (lane % 16 * 16 + lane / 16);
  }
  const Cost store = cost(eight_banks(), AccessKind::store, 4, row.data(), kFull);
  const Cost load = cost(eight_banks(), AccessKind::load, 4, column.data(), kFull);
  EXPECT_EQ(store.ideal + load.ideal, 8u);
  EXPECT_EQ(store.wavefronts + load.wavefronts, 36u);  // 4.5 * 8
}

TEST(Cost, pairs_of_equal_128_bit_loads_share_a_phase_where_the_gpu_merges_them) {
  Rules volta;
  volta.merge_pairs = true;
  const auto neighbours = [](uint32_t lane) { return 16 * (lane / 2); };
  const auto next_but_one = [](uint32_t lane) { return 16 * (lane % 2 + lane / 4 * 2); };
  EXPECT_EQ(wavefronts(neighbours, 16, AccessKind::load, kFull, volta), 2u);
  EXPECT_EQ(wavefronts(next_but_one, 16, AccessKind::load, kFull, volta), 2u);
  EXPECT_EQ(wavefronts(neighbours, 16, AccessKind::store, kFull, volta), 4u);
  EXPECT_EQ(wavefronts(neighbours, 16), 4u);
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 16 * lane; }, 16, AccessKind::load, kFull, volta), 4u);
}

TEST(Cost, pairs_of_equal_64_bit_loads_share_a_phase_as_well) {
  Rules volta;
  volta.merge_pairs = true;
  const auto places = [&](uint32_t apart) { return [apart](uint32_t lane) { return apart * (lane / 2); }; };
  EXPECT_EQ(wavefronts(places(8), 8, AccessKind::load, kFull, volta), 1u);  // 16 places of 8 bytes: all banks
  EXPECT_EQ(wavefronts(places(8), 8), 2u);
  EXPECT_EQ(wavefronts(places(16), 8, AccessKind::load, kFull, volta), 2u);  // conflicts stay: two places on a bank
  EXPECT_EQ(wavefronts([](uint32_t) { return 8u; }, 8, AccessKind::load, kFull, volta), 1u);
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 8 * (lane % 16); }, 8, AccessKind::load, kFull, volta), 2u);
  // One lane of each pair is enough, whoever is inactive; but all pairs have to be of one kind.
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 8 * (lane / 2); }, 8, AccessKind::load, 0x55555555, volta), 1u);
  EXPECT_EQ(wavefronts([](uint32_t lane) { return lane < 16 ? 8 * (lane / 2) : 8 * (lane % 2); }, 8, AccessKind::load,
                       kFull, volta),
            2u);
  EXPECT_EQ(wavefronts(places(8), 8, AccessKind::store, kFull, volta), 2u);
  EXPECT_EQ(wavefronts(places(8), 8, AccessKind::atomic, kFull, volta), 4u);
}

TEST(Cost, lines_of_a_matrix_are_never_merged) {
  Rules volta;
  volta.merge_pairs = true;
  const auto pairs = [](uint32_t lane) { return 16 * (lane / 2); };
  EXPECT_EQ(wavefronts(pairs, 16, AccessKind::ldmatrix, kFull, volta), 4u);
  EXPECT_EQ(wavefronts(pairs, 16, AccessKind::load, kFull, volta), 2u);
}

TEST(Cost, increments_may_be_combined) {
  const auto few = [](uint32_t lane) { return 4 * (lane % 2 * 32 + lane % 4 / 2); };  // words 0, 32, 1, 33
  EXPECT_EQ(cost_of(few, 4, AccessKind::increment), (Cost{16, 1, 14}));
  Rules hopper;
  hopper.combines_increments = true;
  EXPECT_EQ(cost_of(few, 4, AccessKind::increment, kFull, hopper), (Cost{2, 1, 0}));
  EXPECT_EQ(cost_of(few, 4, AccessKind::atomic, kFull, hopper), (Cost{16, 1, 14}));
}

TEST(Cost, a_compare_and_swap_may_take_two_passes) {
  Rules hopper;
  hopper.cas_passes = 2;
  EXPECT_EQ(cost_of(words(1), 4, AccessKind::cas, kFull, hopper), (Cost{2, 2, 0}));
  EXPECT_EQ(cost_of(words(0), 4, AccessKind::cas, kFull, hopper), (Cost{64, 2, 62}));
  EXPECT_EQ(cost_of([](uint32_t lane) { return 8 * lane; }, 8, AccessKind::cas, kFull, hopper), (Cost{4, 4, 0}));
  EXPECT_EQ(cost_of(words(0), 4, AccessKind::cas), (Cost{32, 1, 31}));
  EXPECT_EQ(cost_of(words(0), 4, AccessKind::atomic, kFull, hopper), (Cost{32, 1, 31}));
}

TEST(Cost, lanes_of_a_copy_take_turns_on_a_word) {
  EXPECT_EQ(cost_of(words(1), 4, AccessKind::copy), (Cost{1, 1, 0}));
  EXPECT_EQ(cost_of([](uint32_t lane) { return 4 * (lane / 4); }, 4, AccessKind::copy), (Cost{4, 1, 3}));
  EXPECT_EQ(cost_of([](uint32_t lane) { return 16 * (lane / 2); }, 16, AccessKind::copy), (Cost{8, 4, 4}));
}

TEST(Cost, addresses_beyond_any_shared_memory_are_counted_all_the_same) {
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 0x7fff0000u + 128 * lane; }), 32u);
  EXPECT_EQ(wavefronts([](uint32_t) { return 0x7fff0000u; }, 4, AccessKind::atomic), 32u);
}

// Worked examples of the XOR-hash paper, section 3.

TEST(PaperExamples, transpose_of_a_16x16_tile_stores_8_way) {
  EXPECT_EQ(wavefronts(words(1)), 1u);
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 4 * (lane % 16 * 16 + lane / 16); }, 4, AccessKind::store), 8u);
}

TEST(PaperExamples, fast_walsh_transform_at_stride_8_is_4_way) {
  // Words 0-7, 32-39, 64-71, 96-103.
  EXPECT_EQ(wavefronts([](uint32_t lane) { return 4 * (lane / 8 * 32 + lane % 8); }), 4u);
}

TEST(PaperExamples, reduction_reads_with_stride_2S) {
  for (const uint32_t s : {1u, 2u, 4u, 8u}) EXPECT_EQ(wavefronts(words(2 * s)), 2 * s);
}

TEST(PaperExamples, synthetic_benchmark_has_the_degree_it_asks_for) {
  // Section 2: index = tid * stride if tid < way, else tid.
  for (uint32_t way = 2; way <= 32; ++way) {
    const auto address = [way](uint32_t lane) { return 4 * (lane < way ? lane * 32 : lane); };
    EXPECT_EQ(wavefronts(address), way);
  }
}

}  // namespace
}  // namespace bankshot::scratchpad

// Bank hashes: every constructor against its formula, classes, the one-word form.
#include <gtest/gtest.h>

#include <climits>
#include <random>

#include "bankshot/scratchpad/hash/class_counts.hpp"
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/scratchpad/hash/hash.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::scratchpad {
namespace {

constexpr HashSize kFermi{14, 5};

template <class F>
void expect_formula(const BankHash& hash, F formula) {
  for (uint32_t a = 0; a < 1u << hash.address_bits; ++a) ASSERT_EQ(hash.bank(a), formula(a)) << "address " << a;
}

TEST(BankHash, modulo_fixed_xor_and_add_follow_their_formulas) {
  expect_formula(modulo_hash(kFermi), [](uint32_t a) { return a & 31; });
  expect_formula(fixed_xor_hash(kFermi), [](uint32_t a) { return (a ^ (a >> 5)) & 31; });
  expect_formula(add_hash(kFermi), [](uint32_t a) { return ((a & 31) + (a >> 5 & 31)) & 31; });
  expect_formula(fixed_xor_hash({8, 6}), [](uint32_t a) { return (a ^ (a >> 6)) & 63; });
}

TEST(BankHash, bit_vector_hashes_follow_the_formula_of_section_4_2) {
  for (unsigned k1 = 0; k1 <= 9; ++k1) {
    for (unsigned k2 = 0; k2 < 14; k2 += 3) {
      for (uint32_t mask = 0; mask < 32; mask += 5) {
        expect_formula(*bitvector_xor_hash(kFermi, k1, k2, mask),
                       [&](uint32_t a) { return ((a >> k1) ^ ((a >> k2) & mask)) & 31; });
      }
    }
  }
  // Fig. 5: a2^a8, a3^a9, a4^a10, a5, a6.
  EXPECT_EQ(*bitvector_xor_hash(kFermi, 2, 8, 7), *parse_hash("bitxor:2^8,3^9,4^10,5,6", kFermi));
  EXPECT_FALSE(bitvector_xor_hash(kFermi, 10, 0, 0));
  EXPECT_FALSE(bitvector_xor_hash(kFermi, 0, 14, 1));
  EXPECT_FALSE(bitvector_xor_hash(kFermi, 0, 0, 32));
}

TEST(BankHash, swizzles_are_cutes) {
  const auto cute = [](uint32_t x, int b, int m, int s) {
    const uint32_t yyy = ((1u << b) - 1) << (m + std::max(s, 0));
    return s >= 0 ? x ^ ((x & yyy) >> s) : x ^ ((x & yyy) << -s);
  };
  for (const auto& [b, m, s] : {std::tuple{3, 0, 5}, {5, 0, 5}, {2, 1, 4}, {3, 2, 3}, {2, 0, -3}}) {
    expect_formula(*swizzle_hash(kFermi, static_cast<unsigned>(b), static_cast<unsigned>(m), s),
                   [&](uint32_t a) { return cute(a, b, m, s) & 31; });
  }
  EXPECT_FALSE(swizzle_hash(kFermi, 3, 0, 2));
  EXPECT_FALSE(swizzle_hash(kFermi, 5, 5, 5));
  EXPECT_FALSE(swizzle_hash(kFermi, 0x7fffffff, 2, 0x7fffffff)) << "the sum of the bits overflows";
  EXPECT_FALSE(swizzle_hash(kFermi, 2, 0, INT_MIN));
  EXPECT_EQ(swizzle_form(*bitvector_xor_hash(kFermi, 0, 5, 7)), "Swizzle<3,0,5>");
  EXPECT_EQ(swizzle_form(*bitvector_xor_hash(kFermi, 0, 5, 7), 2), "Swizzle<3,1,5>");
  EXPECT_EQ(swizzle_form(*bitvector_xor_hash(kFermi, 0, 5, 7), 8), "");
  EXPECT_EQ(swizzle_form(fixed_xor_hash(kFermi)), "Swizzle<5,0,5>");
  EXPECT_EQ(swizzle_form(*bitvector_hash(kFermi, 3)), "");
}

TEST(BankHash, tensor_map_modes_exchange_chunks_of_16_bytes) {
  // Byte address bits 4 … are XORed with bits 7 …: 1, 2 or 3 of them.
  for (const auto& [bytes, mask] : {std::pair{32u, 1u}, {64u, 3u}, {128u, 7u}}) {
    expect_formula(*tma_hash(kFermi, bytes), [mask = mask](uint32_t a) {
      const uint32_t byte = 4 * a;
      return ((byte ^ ((byte >> 7 & mask) << 4)) / 4) & 31;
    });
  }
  EXPECT_FALSE(tma_hash(kFermi, 16));
}

TEST(BankHash, knows_rank_and_whether_software_can_apply_it_in_place) {
  EXPECT_TRUE(is_full_rank(*bitvector_xor_hash(kFermi, 0, 5, 31)));
  EXPECT_FALSE(is_full_rank(*bitvector_xor_hash(kFermi, 3, 3, 31)));
  EXPECT_TRUE(is_in_place(*parse_hash("bitxor:0^9,1,2,3^4,4", kFermi)));
  EXPECT_FALSE(is_in_place(*bitvector_hash(kFermi, 1)));
  EXPECT_TRUE(is_in_place(add_hash(kFermi)));
  // a0^a1^a5, a1, a2, a3, a4: the first two rows added give a0^a5.
  EXPECT_EQ(spec(*in_place_form(*parse_hash("rows:35,2,4,8,16", kFermi))), "bvxor:0,5,1");
  EXPECT_FALSE(in_place_form(*bitvector_hash(kFermi, 1)));
}

TEST(BankHash, specs_and_classes_round_trip) {
  std::mt19937 random(1);
  for (const char* text :
       {"none", "add", "perm:3", "bvxor:0,5,31", "bits:0,3,4,5,6", "bitxor:0,0^4,1^5,2^6,3^7", "rows:33,66,132,8,7"}) {
    EXPECT_EQ(spec(*parse_hash(text, kFermi)), text);
  }
  EXPECT_EQ(spec(*parse_hash("xor", kFermi)), "bvxor:0,5,31");
  EXPECT_EQ(class_name(*parse_hash("rows:1,2,4,8,16", kFermi)), "none");
  EXPECT_EQ(class_name(*parse_hash("swizzle:3,0,5", kFermi)), "bitvector-xor");
  for (int round = 0; round < 200; ++round) {
    std::vector<uint32_t> rows(5);
    for (uint32_t& row : rows) row = random() % (1u << 14);
    const BankHash hash = *rows_hash(kFermi, rows);
    EXPECT_EQ(*parse_hash(spec(hash), kFermi), hash);
  }
}

TEST(BankHash, bad_specs_say_what_is_wrong) {
  const auto why = [](const char* text) {
    const auto hash = parse_hash(text, kFermi);
    return hash ? std::string("accepted") : hash.error().message;
  };
  EXPECT_EQ(why("perm:10"), "hash 'perm:10': k1 = 10 is out of range: 0 to 9 for these sizes");
  EXPECT_EQ(why("bvxor:1,2"), "hash 'bvxor:1,2': bvxor takes 3 numbers, found 2");
  EXPECT_EQ(why("bits:0,1,2,3,14"), "hash 'bits:0,1,2,3,14': address bit 14 is out of range: 0 to 13");
  EXPECT_EQ(why("bits:0,1,2,3,4^5"), "hash 'bits:0,1,2,3,4^5': '4^5' combines more than 1 bits");
  EXPECT_EQ(why("bits:0,1,2"), "hash 'bits:0,1,2': 3 rows, but 5 bank bits");
  EXPECT_EQ(why("rows:1,2,4,8,x"), "hash 'rows:1,2,4,8,x': 'x' is not a number");
  EXPECT_EQ(why("rows:1,2,4,8,-1"), "hash 'rows:1,2,4,8,-1': -1 is negative");
  EXPECT_NE(why("magic").find("no such class; choose one of none, xor"), std::string::npos);
  EXPECT_TRUE(why("xorr").ends_with("did you mean 'xor'?"));
}

TEST(BankHash, expressions_group_bits_that_move_alike) {
  EXPECT_EQ(bank_expression(*bitvector_xor_hash(kFermi, 0, 5, 7)), "(a & 31) ^ ((a >> 5) & 7)");
  EXPECT_EQ(bank_expression(*bitvector_hash(kFermi, 2)), "((a >> 2) & 31)");
  EXPECT_EQ(bank_expression(add_hash(kFermi)), "(a + (a >> 5)) & 31");
  EXPECT_EQ(bank_expression(*parse_hash("bits:4,3,2,1,0", kFermi)),
            "((a << 4) & 16) ^ ((a << 2) & 8) ^ (a & 4) ^ ((a >> 2) & 2) ^ ((a >> 4) & 1)");
}

TEST(BankHash, class_sizes_are_those_of_table_1) {
  const std::vector<std::pair<std::string, std::string>> expected = {{"all", "2.38e24660"},  // printed 2.3e24660
                                                                     {"xor", "1180591620717411303424"},
                                                                     {"unique-xor", "117843461817939"},
                                                                     {"bitvector-perm", "10"},
                                                                     {"bitvector-xor", "4480"},
                                                                     {"bitwise-perm", "2002"},
                                                                     {"bitwise-xor", "96560646"}};
  EXPECT_EQ(class_counts(kFermi), expected);
}

TEST(Gf2, reduced_bases_null_spaces_and_residues) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<uint32_t> rows(1 + random() % 8);
    for (uint32_t& row : rows) row = random() % 1024;
    const std::vector<uint32_t> basis = reduced(rows);
    for (uint32_t row : rows) EXPECT_EQ(residue(row, basis), 0u);
    const std::vector<uint32_t> null = null_space(rows, 10);
    EXPECT_EQ(null.size() + basis.size(), 10u);
    EXPECT_EQ(rank(null), null.size());
    for (uint32_t x : null) {
      for (uint32_t row : rows) EXPECT_EQ(parity(x & row), 0u);
    }
  }
}

}  // namespace
}  // namespace bankshot::scratchpad

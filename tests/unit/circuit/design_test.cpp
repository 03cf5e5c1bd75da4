// Hardware of bank hashes: what is written of it. That it is right is simulated: tests/golden/hash/simulated.test.
#include <gtest/gtest.h>

#include "bankshot/circuit/design.hpp"
#include "bankshot/circuit/scaling.hpp"
#include "bankshot/circuit/testbench.hpp"
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::circuit {
namespace {

using scratchpad::BankHash;
using scratchpad::HashSize;

constexpr HashSize kSize{14, 5};

BankHash hash(const std::string& spec, HashSize size = kSize) { return *scratchpad::parse_hash(spec, size); }

Design configurable(std::string_view name, HashSize size = kSize) {
  return *configurable_design(*scratchpad::find_configurable_class(name), size);
}

TEST(Design, register_holds_fields_from_bit_0_up) {
  const Design design = configurable("bitvector-xor");
  EXPECT_EQ(design.setting_bits(), 13u);                      // k1 0 … 9, k2 0 … 13, five bits of mask
  EXPECT_EQ(setting_literal(design, {2, 8, 7}), "13'h0782");  // 7 << 8 | 8 << 4 | 2
  EXPECT_EQ(setting_literal(design, {9, 13, 31}), "13'h1fd9");
  EXPECT_EQ(setting_literal(configurable("bitvector-perm", {5, 5}), {0}), "1'h0");
}

TEST(Design, registers_are_as_wide_as_their_classes_need) {
  EXPECT_EQ(configurable("bitvector-perm").setting_bits(), 4u);
  EXPECT_EQ(configurable("bitwise-perm").setting_bits(), 20u);  // 5 x 4
  EXPECT_EQ(configurable("bitwise-xor").setting_bits(), 45u);   // 5 x (4 + 4 + 1)
  EXPECT_EQ(configurable("gf2").setting_bits(), 70u);           // 5 x 14
  EXPECT_EQ(configurable("gf2", {16, 6}).setting_bits(), 96u);
}

TEST(Design, one_hash_has_nothing_to_set) {
  const Design design = fixed_design(hash("xor", {5, 2}));
  EXPECT_FALSE(design.configurable());
  const std::vector<std::string> body = {"assign bank[0] = address[0] ^ address[2];",
                                         "assign bank[1] = address[1] ^ address[3];"};
  EXPECT_EQ(design.body, body);
  EXPECT_EQ(fixed_design(hash("rows:0,3", {5, 2})).body[0], "assign bank[0] = 1'b0;");
}

TEST(Design, sum_takes_the_bits_that_there_are) {
  EXPECT_EQ(fixed_design(hash("add")).body[0], "assign bank = address[4:0] + address[9:5];");
  EXPECT_EQ(fixed_design(hash("add", {7, 5})).body[0], "assign bank = address[4:0] + {3'b0, address[6:5]};");
  EXPECT_EQ(fixed_design(hash("add", {5, 5})).body[0], "assign bank = address;");
}

TEST(Design, class_without_settings_is_refused) {
  const Result<Design> design = configurable_design(*scratchpad::find_hash_class("xor"), kSize);
  ASSERT_FALSE(design);
  EXPECT_EQ(design.error().message,
            "class xor is not configurable; configurable classes are bitvector-perm, "
            "bitvector-xor, bitwise-perm, bitwise-xor and gf2");
}

TEST(Design, setting_ranges_follow_each_other) {
  const std::vector<std::string> ranges = {"[3:0]", "[7:4]", "[12:8]"};
  EXPECT_EQ(setting_ranges(configurable("bitvector-xor")), ranges);
}

TEST(Design, all_modules_and_the_testbench_have_the_name_given) {
  const Design design = configurable("bitvector-perm");
  const std::string text = to_verilog(design, "mine");
  EXPECT_NE(text.find("module mine_logic ("), std::string::npos);
  EXPECT_NE(text.find("module mine ("), std::string::npos);
  EXPECT_NE(text.find("  mine_logic logic_of_bank ("), std::string::npos);
  const std::string bench = testbench(design, {{{0}, 1}}, 1, "mine");
  EXPECT_NE(bench.find("module mine_test;"), std::string::npos);
  EXPECT_NE(bench.find("  mine dut ("), std::string::npos);
  EXPECT_EQ((text + bench).find(kModule), std::string::npos);
}

TEST(Design, rejects_module_names_that_verilog_does_not_have) {
  for (const char* good : {"a", "_", "bank_hash", "A1$", "Module", "xor2"}) EXPECT_EQ(module_problem(good), "") << good;
  for (const char* bad : {"", "1a", "$a", "a-b", "a b", "\\a", "a\n", "ä"})
    EXPECT_EQ(module_problem(bad), "a Verilog name consists of letters, digits, _ and $, and begins with a letter or _")
        << bad;
  for (const char* word : {"module", "xor", "always", "uwire", "endmodule"})
    EXPECT_EQ(module_problem(word), "it is a keyword of Verilog") << word;
}

TEST(XorGates, are_one_less_than_the_bits_of_each_row) {
  EXPECT_EQ(xor_gates(hash("xor")).gates, 5u);  // ICCD'13, section IV: one for each bit
  EXPECT_EQ(xor_gates(hash("xor")).levels, 1u);
  EXPECT_EQ(xor_gates(hash("none")).gates, 0u);
  EXPECT_EQ(xor_gates(hash("none")).levels, 0u);
  const XorGates rows = xor_gates(hash("rows:31,7,0,8,3"));  // 5, 3, 0, 1 and 2 bits
  EXPECT_EQ(rows.gates, 4u + 2 + 0 + 0 + 1);
  EXPECT_EQ(rows.levels, 3u);  // a tree of five inputs
}

TEST(Signature, of_two_addresses_by_hand) {
  const BankHash one = hash("none", {1, 1});  // banks 0 and 1
  EXPECT_EQ(signature(one), 1 * 6364136223846793005u + 1 + 1);
}

TEST(Expectations, are_of_different_hashes_of_the_class_where_it_lists_them) {
  const scratchpad::HashClass& c = *scratchpad::find_configurable_class("bitvector-perm");
  const std::vector<Expectation> all = random_expectations(c, kSize, 1000, 1);
  ASSERT_EQ(all.size(), 10u);
  std::vector<bool> seen(10);
  for (const Expectation& one : all) seen[one.fields[0]] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 10);
}

TEST(Expectations, tell_how_many_there_are_every_1000) {
  const scratchpad::HashClass& c = *scratchpad::find_configurable_class("gf2");
  std::vector<std::pair<size_t, size_t>> told;
  random_expectations(c, {3, 2}, 2500, 1, [&](size_t done, size_t all) { told.emplace_back(done, all); });
  EXPECT_EQ(told, (std::vector<std::pair<size_t, size_t>>{{1000, 2500}, {2000, 2500}}));
}

TEST(Expectations, depend_on_the_seed_alone) {
  const scratchpad::HashClass& c = *scratchpad::find_configurable_class("bitwise-xor");
  const auto fields = [&](uint64_t seed) {
    std::vector<std::vector<uint32_t>> all;
    for (const Expectation& one : random_expectations(c, kSize, 20, seed)) all.push_back(one.fields);
    return all;
  };
  EXPECT_EQ(fields(7), fields(7));
  EXPECT_NE(fields(7), fields(8));
}

// The polynomials of the table worked by hand.
TEST(Scaling, from_180_to_40_nm_by_hand) {
  const Scaling scaling = to_40_nm();
  EXPECT_NEAR(scaling.area, 0.041877, 1e-6);            // 0.053 x 1600 / 2025
  EXPECT_NEAR(scaling.delay, 12.5 / 79.0116, 1e-6);     // 566.1 - 1619 + 1567 - 501.6; 406.5 - 642.06 + 314.5716
  EXPECT_NEAR(scaling.energy, 0.8612 / 47.4696, 1e-6);  // 0.1539 - 0.3107 + 1.018; 79.8336 - 32.364
}

}  // namespace
}  // namespace bankshot::circuit

// Patterns files: what is read, what is refused, and where.
#include <gtest/gtest.h>

#include "bankshot/report/json/patterns_json.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {
namespace {

std::string why(const std::string& text) {
  const auto set = patterns_from_json(text);
  return set ? "accepted" : set.error().message;
}

TEST(PatternsJson, reads_lanes_that_are_off_and_defaults) {
  const auto set = patterns_from_json(
      R"({"patterns":[{"addresses":[5,null,7]},{"weight":3,"width":8,"kind":"atomic","addresses":[2]}]})");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->rules.banks, 32u);
  EXPECT_EQ(set->address_bits, 14u);
  ASSERT_EQ(set->patterns.size(), 2u);
  EXPECT_EQ(set->patterns[0].mask, 5u);
  EXPECT_EQ(set->patterns[0].words[2], 7u);
  EXPECT_EQ(set->patterns[0].weight, 1u);
  EXPECT_EQ(set->patterns[1].kind, scratchpad::AccessKind::atomic);
  EXPECT_EQ(set->patterns[1].width, 8u);
}

TEST(PatternsJson, writes_what_it_reads) {
  const auto set = patterns_from_json(
      R"({"banks":16,"address_bits":9,"patterns":[{"weight":4,"kind":"store","addresses":[5,null,511]}]})");
  ASSERT_TRUE(set);
  const auto again = patterns_from_json(patterns_to_json(*set));
  ASSERT_TRUE(again);
  EXPECT_EQ(patterns_to_json(*again), patterns_to_json(*set));
  EXPECT_EQ(again->patterns[0].words[2], 511u);
}

TEST(PatternsJson, says_whether_accesses_were_joined) {
  const auto set = patterns_from_json(R"({"patterns":[{"addresses":[5]}]})");
  ASSERT_TRUE(set);
  EXPECT_EQ(patterns_to_json(*set).find("accesses"), std::string::npos);
  RunReport run;
  EXPECT_NE(patterns_to_json(*set, &run).find(R"("accesses":{"as":"written"},)"), std::string::npos);
  run.machine_code = 90;
  const std::string text = patterns_to_json(*set, &run);
  EXPECT_NE(text.find(R"("accesses":{"as":"joined","machine_code":"sm_90","checked":false},)"), std::string::npos);
  EXPECT_TRUE(patterns_from_json(text));
}

TEST(PatternsJson, reads_and_writes_tables_of_phases_and_wide_warps) {
  std::string lanes = "0";
  for (int k = 1; k < 64; ++k) lanes += "," + std::to_string(4 * k);
  const auto set =
      patterns_from_json(R"({"warp_size":64,"load_b128":["0-3 20-23","4-7 16-19","8-11 28-31","12-15 24-27"],
      "patterns":[{"width":16,"addresses":[)" +
                         lanes + "]}]}");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->rules.tables[4].size(), 8u);
  const std::string text = patterns_to_json(*set);
  EXPECT_TRUE(text.starts_with(R"({"schema":"bankshot/patterns/1","banks":32,"load_b128":["0-3 20-23","4-7 16-19",)"))
      << text;
  const auto again = patterns_from_json(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->rules, set->rules);
  EXPECT_EQ(patterns_to_json(*again), text);
}

TEST(PatternsJson, the_banks_of_a_machine_replace_those_of_the_document) {
  PatternBanks banks;
  banks.rules.banks = 64;
  banks.warp_size = 2;
  const auto set = patterns_from_json(R"({"banks":16,"patterns":[{"addresses":[1,2]}]})", &banks);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->rules.banks, 64u);
  EXPECT_EQ(patterns_from_json(R"({"patterns":[{"addresses":[1,2,3]}]})", &banks).error().message,
            "patterns[0].addresses: 3 lanes, but a warp has 2");
}

TEST(PatternsJson, rejects_tables_of_phases_that_are_none) {
  EXPECT_EQ(why(R"({"load_b128":"0-7","patterns":[]})"), "load_b128: must be a list of strings like \"0-3 20-23\"");
  EXPECT_EQ(why(R"({"load_b128":[7],"patterns":[]})"), "load_b128: must be a list of strings like \"0-3 20-23\"");
  EXPECT_EQ(why(R"({"store_b64":["0-3","3-7"],"patterns":[]})"), "store_b64: lane 3 is in two phases");
  EXPECT_EQ(why(R"({"warp_size":65,"patterns":[]})"), "warp_size: must be a whole number from 1 to 64");
  EXPECT_EQ(why(R"({"merge_pairs":1,"patterns":[]})"), "merge_pairs: must be true or false");
}

TEST(PatternsJson, errors_name_their_place) {
  EXPECT_EQ(why("[]"), "document: must be an object");
  EXPECT_EQ(why(R"({"patterns":[]})"), "patterns: is empty: there are no patterns");
  EXPECT_EQ(why(R"({"patterns":{}})"), "patterns: must be a list");
  EXPECT_EQ(why(R"({"schema":"x","patterns":[]})"), "schema: must be \"bankshot/patterns/1\"");
  EXPECT_EQ(why(R"({"banks":31,"patterns":[]})"), "banks: must be a power of two from 2 to 128");
  EXPECT_EQ(why(R"({"address_bits":17,"patterns":[]})"), "address_bits: must be a whole number from 5 to 16");
  EXPECT_EQ(why(R"({"patterns":[3]})"), "patterns[0]: must be an object");
  EXPECT_EQ(why(R"({"patterns":[{"addresses":[1]},{"addresses":[0,16384]}]})"),
            "patterns[1].addresses[1]: 16384 is beyond the 14 address bits");
  EXPECT_EQ(why(R"({"patterns":[{"addresses":[-1]}]})"),
            "patterns[0].addresses[0]: must be a whole number from 0 to 16383");
  EXPECT_EQ(why(R"({"patterns":[{"weight":-2,"addresses":[1]}]})"),
            "patterns[0].weight: must be a whole number from 1 to 1099511627776");
  EXPECT_EQ(why(R"({"patterns":[{"width":3,"addresses":[1]}]})"), "patterns[0].width: must be 1, 2, 4, 8 or 16 bytes");
  EXPECT_EQ(why(R"({"patterns":[{"width":8,"addresses":[1]}]})"),
            "patterns[0].addresses[0]: must be a multiple of 2, the words of a lane");
  EXPECT_EQ(
      why(R"({"patterns":[{"kind":"jump","addresses":[1]}]})"),
      "patterns[0].kind: must be \"load\", \"store\", \"atomic\", \"increment\", \"cas\", \"copy\" or \"ldmatrix\"");
  std::string lanes = "0";
  for (int k = 0; k < 32; ++k) lanes += ",0";
  EXPECT_EQ(why(R"({"patterns":[{"addresses":[)" + lanes + "]}]}"),
            "patterns[0].addresses: 33 lanes, but a warp has 32");
  EXPECT_NE(why("{").find("not JSON"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::report

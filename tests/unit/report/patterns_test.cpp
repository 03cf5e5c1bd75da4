// Patterns files: what is read, what is refused, and where.
#include <gtest/gtest.h>

#include "bankshot/report/json/patterns_json.hpp"

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

TEST(PatternsJson, errors_name_their_place) {
  EXPECT_EQ(why("[]"), "document: must be an object");
  EXPECT_EQ(why(R"({"patterns":[]})"), "patterns: is empty: there is nothing to work on");
  EXPECT_EQ(why(R"({"patterns":{}})"), "patterns: must be a list");
  EXPECT_EQ(why(R"({"schema":"x","patterns":[]})"), "schema: must be \"bankshot/patterns/1\"");
  EXPECT_EQ(why(R"({"banks":31,"patterns":[]})"), "banks: must be 8, 16, 32 or 64");
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
            "patterns[0].addresses[0]: is no multiple of the width");
  EXPECT_EQ(why(R"({"patterns":[{"kind":"jump","addresses":[1]}]})"),
            "patterns[0].kind: must be \"load\", \"store\" or \"atomic\"");
  std::string lanes = "0";
  for (int k = 0; k < 32; ++k) lanes += ",0";
  EXPECT_EQ(why(R"({"patterns":[{"addresses":[)" + lanes + "]}]}"),
            "patterns[0].addresses: 33 lanes, but a warp has 32");
  EXPECT_NE(why("{").find("not JSON"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::report

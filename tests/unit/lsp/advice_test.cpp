#include "bankshot/lsp/advice.hpp"

#include <gtest/gtest.h>

#include "fixture.hpp"

namespace bankshot::lsp {
namespace {

TEST(LspAdvice, has_remedies_places_and_edits) {
  const Result<std::vector<Advice>> all = read_advice(made_fix().dump());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 1U);
  const Advice& advice = all->front();
  EXPECT_EQ(advice.array, "tile");
  EXPECT_EQ(advice.kernel, "scale(float*, int)");
  ASSERT_EQ(advice.places.size(), 1U);
  EXPECT_EQ(advice.places[0].line, 8U);
  ASSERT_EQ(advice.remedies.size(), 1U);
  EXPECT_EQ(advice.remedies[0].title, "rows of 32 + 1 words: conflicts 93 -> 0");
  ASSERT_EQ(advice.edits.size(), 1U);
  EXPECT_EQ(advice.edits[0].line, 2U);
  EXPECT_EQ(advice.edits[0].after, std::vector<std::string>{"  __shared__ float tile[32][33];"});
}

TEST(LspAdvice, the_chosen_remedy_is_first_and_counts_are_those_that_ran) {
  nlohmann::ordered_json fix = made_fix();
  nlohmann::ordered_json& array = fix["kernels"][0]["arrays"][0];
  array["hash"] = {{"spec", "xor"}, {"excess", 7}, {"cpp", ""}, {"rewritten", {{"after", {{"conflicts", 3}}}}}};
  array["layouts"] = {{{"what", "tiles of 8"}, {"conflicts", 1}, {"cpp", "y;"}}};
  for (const char* chosen : {"padding", "hash"}) {
    fix["kernels"][0]["chosen"] = chosen;
    const Result<std::vector<Advice>> all = read_advice(fix.dump());
    ASSERT_TRUE(all) << all.error().message;
    const std::vector<Remedy>& remedies = all->front().remedies;
    ASSERT_EQ(remedies.size(), 3U);
    const bool is_hash = std::string(chosen) == "hash";
    EXPECT_EQ(remedies[is_hash ? 0 : 1].title, "bank hash xor: conflicts 93 -> 3");
    EXPECT_EQ(remedies[is_hash ? 1 : 0].title, "rows of 32 + 1 words: conflicts 93 -> 0");
    EXPECT_EQ(remedies[2].title, "tiles of 8: 1 conflict left");
  }
}

TEST(LspAdvice, rejects_what_is_not_a_fix_report) {
  const auto error = [](const nlohmann::ordered_json& fix) {
    const Result<std::vector<Advice>> all = read_advice(fix.dump());
    return all ? "no error" : all.error().message;
  };
  EXPECT_EQ(error({{"schema", "x/1"}}), "\"schema\" is not bankshot/fix/2");
  EXPECT_EQ(error(nlohmann::ordered_json::array()), "an object with \"schema\" was expected");
  EXPECT_EQ(error({{"schema", "bankshot/fix/2"}, {"status", "refused"}, {"reason", "no conflicts"}}),
            "fix did nothing: no conflicts");
  nlohmann::ordered_json fix = made_fix();
  fix["kernels"][0]["arrays"][0]["source_edits"][0]["before"] = {1};
  EXPECT_EQ(error(fix), "\"before\" must hold texts");
  fix["kernels"][0]["arrays"][0].erase("lines");
  EXPECT_EQ(error(fix), "\"lines\" is missing");
  EXPECT_FALSE(read_advice("{"));
  EXPECT_TRUE(is_fix_report(R"({"schema":"bankshot/fix/2"})"));
  EXPECT_FALSE(is_fix_report(R"({"schema":"bankshot/explain/1"})"));
}

}  // namespace
}  // namespace bankshot::lsp

// What web pages ask. Numbers are worked out by hand for 32 banks of 4 bytes unless the question has other rules.
#include "bankshot/browser/answer.hpp"

#include <gtest/gtest.h>

#include <functional>

#include <nlohmann/json.hpp>

#include "bankshot/verify/check.hpp"

namespace bankshot::browser {
namespace {

using nlohmann::json;

json ask(const json& question) { return json::parse(answer(question.dump())); }
std::string error_of(const std::string& question) { return json::parse(answer(question)).value("error", ""); }

json offsets(unsigned lanes, const std::function<unsigned(unsigned)>& of) {
  json list = json::array();
  for (unsigned lane = 0; lane < lanes; ++lane) list.push_back(of(lane));
  return list;
}
const json kColumn = offsets(32, [](unsigned lane) { return 128 * lane; });

json access(json more) {
  more["operation"] = "access";
  return ask(more);
}

TEST(BrowserAccess, column_takes_a_pass_for_each_lane) {
  const json a = access({{"offsets", kColumn}});
  EXPECT_EQ(a["wavefronts"], 32);
  EXPECT_EQ(a["ideal"], 1);
  EXPECT_EQ(a["conflicts"], 31);
  EXPECT_EQ(a["class"], "stride");
  EXPECT_EQ(a["stride_bytes"], 128);
  ASSERT_EQ(a["passes"].size(), 32u);
  EXPECT_EQ(a["passes"][5]["banks"], json::parse(R"([{"bank":0,"word":160,"lanes":[5]}])"));
  EXPECT_EQ(a["lanes"][5], json::parse(R"({"offset":640,"words":[{"word":160,"bank":0,"pass":5}]})"));
}

TEST(BrowserAccess, hash_and_padding_spread_a_column) {
  EXPECT_EQ(access({{"offsets", kColumn}, {"hash", "xor"}})["wavefronts"], 1);
  const json padded = access({{"offsets", kColumn}, {"padding", {{"row_bytes", 128}, {"bytes", 4}}}});
  EXPECT_EQ(padded["wavefronts"], 1);
  EXPECT_EQ(padded["lanes"][3]["offset"], 3 * 132);
  EXPECT_EQ(padded["lanes"][3]["words"][0]["bank"], 3);
}

TEST(BrowserAccess, broadcast_names_all_lanes_and_idle_lanes_are_null) {
  const json a = access({{"offsets", {4, nullptr, 4, 8}}, {"kind", "store"}});
  EXPECT_EQ(a["wavefronts"], 1);
  EXPECT_EQ(a["passes"][0]["banks"],
            json::parse(R"([{"bank":1,"word":1,"lanes":[0,2]},{"bank":2,"word":2,"lanes":[3]}])"));
  EXPECT_TRUE(a["lanes"][1].is_null());
  EXPECT_EQ(access({{"offsets", {4, 4, 4}}, {"kind", "atomic"}})["wavefronts"], 3);
}

TEST(BrowserAccess, wide_lanes_are_served_in_phases_and_get_several_words) {
  const json a = access({{"offsets", offsets(32, [](unsigned lane) { return 16 * lane; })}, {"width", 16}});
  EXPECT_EQ(a["wavefronts"], 4);
  EXPECT_EQ(a["conflicts"], 0);
  EXPECT_EQ(a["passes"][1]["phase"], json::parse("[8,9,10,11,12,13,14,15]"));
  EXPECT_EQ(a["lanes"][9]["words"].size(), 4u);
  EXPECT_EQ(a["lanes"][9]["words"][0], json::parse(R"({"word":36,"bank":4,"pass":1})"));
}

TEST(BrowserAccess, rules_are_those_of_reports) {
  const json a = access({{"offsets", {0, 256}}, {"rules", {{"banks", 32}, {"bank_bytes", 8}}}});
  EXPECT_EQ(a["wavefronts"], 2);  // words 0 and 32 of 8 bytes
  EXPECT_EQ(a["lanes"][1]["words"][0]["word"], 32);
  EXPECT_EQ(access({{"offsets", kColumn}, {"rules", {{"banks", 32}, {"ports", 4}}}})["wavefronts"], 8);
}

TEST(BrowserHash, xor_is_a_swizzle) {
  const json a = ask({{"operation", "hash"}, {"hash", "xor"}});
  EXPECT_EQ(a["spec"], "bvxor:0,5,31");
  EXPECT_EQ(a["rows"][4], "a4 ^ a9");
  EXPECT_EQ(a["swizzle"], "Swizzle<5,0,5>");
  EXPECT_EQ(ask({{"operation", "hash"}, {"hash", "xor"}, {"element_bytes", 2}})["swizzle"], "Swizzle<5,1,5>");
  EXPECT_TRUE(ask({{"operation", "hash"}, {"hash", "xor"}, {"element_bytes", 8}})["swizzle"].is_null());
  EXPECT_EQ(a["in_place"], true);
  EXPECT_TRUE(ask({{"operation", "hash"}, {"hash", "none"}})["swizzle"].is_null());
}

TEST(BrowserHash, classes_say_how_they_are_written_and_searched) {
  const json classes = ask({{"operation", "hash_classes"}})["classes"];
  const auto swizzle = std::ranges::find_if(classes, [](const json& c) { return c["word"] == "swizzle"; });
  ASSERT_NE(swizzle, classes.end());
  EXPECT_EQ((*swizzle)["syntax"], "swizzle:B,M,S");
  EXPECT_EQ((*swizzle)["search"], "swizzle");
}

TEST(BrowserSearch, best_hash_of_a_column_is_proved_and_its_certificate_holds) {
  const json a = ask({{"operation", "search"}, {"accesses", {{{"offsets", kColumn}}}}});
  EXPECT_EQ(a["conflicts_before"], 31);
  EXPECT_EQ(a["conflicts"], 0);
  EXPECT_EQ(a["status"], "optimal");
  EXPECT_EQ(a["check"]["proved"], true);
  const auto certificate = verify::from_json(a["certificate"].get<std::string>());
  ASSERT_TRUE(certificate);
  EXPECT_TRUE(verify::check(*certificate).proved);
  EXPECT_EQ(access({{"offsets", kColumn}, {"hash", a["hash"]["spec"]}})["wavefronts"], 1);
}

// 32 lanes of an atomic on one word take 32 passes under any hash, and the others have no conflicts.
TEST(BrowserSearch, tells_what_no_hash_can_remove) {
  const json lanes = offsets(64, [](unsigned lane) { return 4 * lane; });
  const json rules = {{"banks", 32}, {"lanes_b32", 32}};
  const json one = {{"offsets", lanes}, {"weight", 3}, {"kind", "atomic"}};
  const json same = {{"offsets", offsets(32, [](unsigned) { return 8; })}, {"kind", "atomic"}};
  const json a = ask({{"operation", "search"}, {"rules", rules}, {"accesses", {one, same}}});
  EXPECT_EQ(a["conflicts_before"], 31);  // of the lanes on one word
  EXPECT_EQ(a["conflicts"], 31);
  EXPECT_EQ(a["lower_bound"], 31);
  EXPECT_EQ(a["best"], true);
}

TEST(BrowserSearch, a_class_is_searched_by_its_name) {
  const json a = ask({{"operation", "search"}, {"class", "swizzle"}, {"accesses", {{{"offsets", kColumn}}}}});
  EXPECT_EQ(a["status"], "exhaustive");
  EXPECT_EQ(a["conflicts"], 0);
  EXPECT_EQ(a["hash"]["swizzle"], "Swizzle<5,0,5>");
  EXPECT_TRUE(a["certificate"].is_null());
}

TEST(BrowserPadding, a_word_a_row_spreads_a_column) {
  const json a =
      ask({{"operation", "padding"}, {"bytes", 4096}, {"row_bytes", 128}, {"accesses", {{{"offsets", kColumn}}}}});
  EXPECT_EQ(a["conflicts_before"], 31);
  EXPECT_EQ(a["padding"], json::parse(R"({"row_bytes":128,"bytes":4,"conflicts":0,"extra_bytes":128})"));
  EXPECT_TRUE(ask({{"operation", "padding"}, {"bytes", 16}, {"accesses", {{{"offsets", {0}}}}}})["padding"].is_null());
}

TEST(BrowserAnswer, rejects_what_it_cannot_answer_with_a_sentence) {
  EXPECT_EQ(error_of(""), "the question is not JSON");
  EXPECT_EQ(error_of("\xff"), "the question is not JSON");
  EXPECT_EQ(error_of(std::string(100000, '[')), "the question is not JSON");
  EXPECT_EQ(error_of("[]"), "the question must be an object");
  EXPECT_EQ(error_of(R"({"operation":"fly"})"),
            R"(operation must be "access", "hash", "hash_classes", "search" or "padding")");
  EXPECT_EQ(error_of(R"({"operation":"access","offsets":[0,2]})"),
            "lane 1: byte 2 is not a multiple of the 4 bytes that it accesses; a GPU would fault");
  EXPECT_EQ(error_of(R"({"operation":"access","offsets":[-4]})"),
            "lane 0: its offset must be a whole number of bytes from 0 up, below 4 GB");
  EXPECT_EQ(error_of(R"({"operation":"access","offsets":[0],"width":3})"), "width must be 1, 2, 4, 8 or 16 bytes");
  EXPECT_EQ(error_of(R"({"operation":"access","offsets":[0],"rules":{"banks":3}})"),
            "rules: banks: must be a power of two from 2 to 128");
  EXPECT_EQ(error_of(R"({"operation":"access","offsets":[0],"hash":"swizle"})").substr(0, 5), "hash:");
  EXPECT_EQ(error_of(R"({"operation":"access","offsets":[16],"width":8,"padding":{"row_bytes":16,"bytes":4}})"),
            "padding: with rows 4 bytes longer, lane 0 would be at byte 20, which is not a multiple of its 8 bytes");
  EXPECT_EQ(error_of(R"({"operation":"search","accesses":[{"offsets":[0,262144]}]})"),
            "an offset is beyond the 256 KB that hashes work on");
  EXPECT_EQ(error_of(R"({"operation":"search","accesses":[{"offsets":[0]},{"offsets":7}]})").substr(0, 9), "access 1,");
}

}  // namespace
}  // namespace bankshot::browser

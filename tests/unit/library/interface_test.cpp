// <bankshot/bankshot.hpp>, and by it the C interface: results worked by hand, and what is refused with which reason.
#include <bankshot/bankshot.hpp>

#include <gtest/gtest.h>

namespace {

using bankshot::Access;
using bankshot::Banks;
using bankshot::Failure;
using bankshot::Hash;
using bankshot::Kind;
using bankshot::Patterns;

Access every(unsigned step, unsigned lanes = 32) {
  Access access;
  for (unsigned lane = 0; lane < lanes; ++lane) access.addresses.push_back(step * lane);
  return access;
}

/// What a call fails by, or "".
template <class F>
std::string failure(F f) {
  try {
    f();
  } catch (const Failure& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(Library, WavefrontsOfAnAccess) {
  const Banks banks("h100");
  EXPECT_EQ(banks.count(), 32u);
  EXPECT_EQ(banks.width(), 4u);
  EXPECT_EQ(banks.cost(every(4)).wavefronts, 1u);
  EXPECT_EQ(banks.cost(every(0)).pattern, bankshot::Pattern::broadcast);
  const bankshot::Cost stride = banks.cost(every(8));  // 16 banks, two words each
  EXPECT_EQ(stride.wavefronts, 2u);
  EXPECT_EQ(stride.conflicts(), 1u);
  EXPECT_EQ(stride.pattern, bankshot::Pattern::stride);
  EXPECT_EQ(stride.stride_bytes, 8);
  Access wide = every(16);
  wide.width = 16;  // four phases of eight lanes, without conflicts
  EXPECT_EQ(banks.cost(wide).wavefronts, 4u);
  EXPECT_EQ(banks.cost(wide).ideal, 4u);
  Access atomic = every(0);
  atomic.kind = Kind::atomic;  // lanes on one word take turns
  EXPECT_EQ(banks.cost(atomic).wavefronts, 32u);
  EXPECT_EQ(banks.cost(atomic).position, 31u);
  atomic.off = 0xffff0000;
  EXPECT_EQ(banks.cost(atomic).wavefronts, 16u);
  atomic.off = 0xffffffff;
  EXPECT_EQ(banks.cost(atomic).wavefronts, 0u);
}

TEST(Library, WhatTheBanksDoInEachPass) {
  // Bank 0 has a word for each of three lanes, bank 1 one for two lanes.
  Access access;
  access.addresses = {0, 128, 4, 4, 256};
  const std::vector<bankshot_service> services = Banks("h100").services(access);
  ASSERT_EQ(services.size(), 4u);
  const auto is = [](const bankshot_service& s, uint32_t pass, uint32_t bank, uint32_t word, uint64_t lanes) {
    return s.pass == pass && s.bank == bank && s.word == word && s.lanes == lanes && (s.phase & 0x1f) == 0x1f;
  };
  EXPECT_TRUE(is(services[0], 0, 0, 0, 0b00001));
  EXPECT_TRUE(is(services[1], 0, 1, 1, 0b01100));
  EXPECT_TRUE(is(services[2], 1, 0, 32, 0b00010));
  EXPECT_TRUE(is(services[3], 2, 0, 64, 0b10000));
  access.off = 0x1f;
  EXPECT_TRUE(Banks("h100").services(access).empty());
  access.off = 0;
  access.width = 3;
  EXPECT_NE(failure([&] { Banks("h100").services(access); }), "");
}

TEST(Library, BanksOfAReport) {
  const Banks banks = Banks::read(R"({"banks": 16, "bank_bytes": 4, "hash": {"class": "fixed-xor", "address_bits": 8,
                                      "rows": [17, 34, 68, 136]}})");
  EXPECT_EQ(banks.count(), 16u);
  EXPECT_EQ(banks.cost(every(64, 16)).wavefronts, 1u);  // word 16 l is in bank l
  EXPECT_EQ(failure([] { Banks::read("[]"); }), "the rules of the banks must be a JSON object");
  EXPECT_EQ(failure([] { Banks::read("{"); }), "the rules of the banks must be a JSON object");
  EXPECT_NE(failure([] { Banks::read(R"({"banks": 24})"); }).find("banks"), std::string::npos);
}

TEST(Library, AccessesThatAreNone) {
  const Banks banks("h100");
  Access access = every(4, 33);
  EXPECT_EQ(failure([&] { banks.cost(access); }), "lane 32 is active, but a warp has 32 lanes");
  access = every(2);
  EXPECT_EQ(failure([&] { banks.cost(access); }), "lane 1: address 2 is not a multiple of 4 bytes");
  access.width = 3;
  EXPECT_EQ(failure([&] { banks.cost(access); }),
            "load: the bytes per lane must be a power of two from 1 to 16, not 3");
  access.width = 4;
  access.kind = Kind::ldmatrix;  // lines of 16 bytes
  EXPECT_EQ(failure([&] { banks.cost(access); }), "ldmatrix: a lane must access 16 bytes, not 4");
  access.width = 1;
  access.kind = Kind::atomic;
  EXPECT_EQ(failure([&] { banks.cost(access); }),
            "atomic: the bytes per lane must be a power of two from 2 to 16, not 1");
  EXPECT_EQ(failure([&] { banks.cost(every(4, 65)); }),
            "there are more than 64 addresses, and a warp has at most 64 lanes");
  access.kind = static_cast<Kind>(7);
  EXPECT_EQ(failure([&] { banks.cost(access); }), "7 is not a kind of access");
  EXPECT_NE(failure([] { Banks("nothing"); }).find("nothing"), std::string::npos);
  bankshot_cost cost;
  EXPECT_NE(bankshot_access(banks.get(), BANKSHOT_LOAD, 4, nullptr, 1, &cost), 0);
  EXPECT_STREQ(bankshot_error(), "addresses is null");
  EXPECT_NE(bankshot_access(nullptr, BANKSHOT_LOAD, 4, nullptr, 1, &cost), 0);
  EXPECT_STREQ(bankshot_error(), "banks is null");
}

TEST(Library, Hashes) {
  const Hash hash("xor");
  EXPECT_EQ(hash.bank(33), 0u);  // 1 ^ 1
  EXPECT_EQ(hash.bank(34), 3u);
  EXPECT_TRUE(hash.is_in_place());
  EXPECT_EQ(hash.spec(), "xor");
  EXPECT_NE(hash.source().find("constexpr unsigned bank(unsigned a)"), std::string::npos);
  Banks banks("h100");
  banks.set_hash(hash);
  EXPECT_EQ(banks.cost(every(128)).wavefronts, 1u);
  EXPECT_EQ(failure([&] { banks.set_hash(Hash("xor", 16)); }), "the hash is for 16 banks, but there are 32");
  EXPECT_EQ(failure([] { Hash("xor", 24); }), "24 banks: the number must be a power of two from 2 to 128");
  EXPECT_EQ(failure([] { Hash("xor", 32, 4); }), "4 address bits: the number must be from 5 to 16");
  EXPECT_NE(failure([] { Hash("nonsense"); }), "");
}

TEST(Library, TheBestHashIsProved) {
  Patterns patterns(Banks("h100"));
  EXPECT_EQ(failure([&] { patterns.search(); }), "there are no accesses to search on");
  patterns.add(every(4), 10);
  patterns.add(every(128), 3);  // 31 conflicts each
  EXPECT_EQ(patterns.conflicts(), 93u);
  EXPECT_EQ(patterns.conflicts(Hash("xor")), 0u);
  const bankshot::Found found = patterns.search();
  EXPECT_EQ(found.without, 93u);
  EXPECT_EQ(found.conflicts, 0u);
  EXPECT_TRUE(found.is_proved);
  EXPECT_EQ(patterns.conflicts(found.hash), 0u);
  EXPECT_EQ(bankshot::verify(found.certificate), "no 5x14 XOR hash has less than excess 0");
  EXPECT_NE(failure([] { bankshot::verify("{}"); }), "");
  EXPECT_NE(failure([&] { patterns.search({"nothing"}); }).find("no hash class is called 'nothing'"),
            std::string::npos);
  const bankshot::Found swizzle = patterns.search({"swizzle"});
  EXPECT_TRUE(swizzle.is_proved);
  EXPECT_EQ(swizzle.certificate, "");
  EXPECT_EQ(failure([&] { patterns.add(every(1 << 14)); }),
            "an address is beyond the 65536 words that bank hashes cover");
  EXPECT_EQ(failure([&] { patterns.add(every(4), 0); }), "weight 0: it must be 1 to 1099511627776");
  EXPECT_EQ(failure([&] { patterns.add(every(4), uint64_t{1} << 62); }),
            "weight 4611686018427387904: it must be 1 to 1099511627776");
  EXPECT_EQ(patterns.conflicts(), 93u);  // as it was
  EXPECT_EQ(bankshot::verify(patterns.search().certificate), "no 5x14 XOR hash has less than excess 0");
  patterns.add(every(128), uint64_t{1} << 40);
  EXPECT_EQ(failure([&] { patterns.search(); }),
            "the weights of all phases of the accesses add up to more than 1099511627776");
  bankshot_search_options options{};
  options.in_place = 1;
  bankshot_found result{};
  result.size = sizeof result;
  EXPECT_NE(bankshot_search(patterns.get(), &options, &result), 0);
  EXPECT_STREQ(bankshot_error(),
               ("size is 0, but the structure has " + std::to_string(sizeof options) + " bytes").c_str());
  result.size = 8;
  EXPECT_NE(bankshot_search(patterns.get(), nullptr, &result), 0);
  Access none = every(4);
  none.off = 0xffffffff;
  EXPECT_EQ(failure([&] { patterns.add(none); }), "no lane is active in the access");
}

TEST(Library, PlainLowBitsKeepVectorsTogether) {
  Patterns patterns(Banks("h100"));
  patterns.add(every(128));  // words 32 * lane: bank bits 0 and 1, if they are address bits, do not tell them apart
  bankshot::SearchOptions options;
  options.plain_low_bits = 2;
  const bankshot::Found found = patterns.search(options);
  EXPECT_EQ(found.conflicts, 3u);  // 8 banks are left to 32 words
  EXPECT_TRUE(found.is_proved);
  EXPECT_EQ(bankshot::verify(found.certificate), "no 5x14 XOR hash with 2 plain low bits has less than excess 3");
  options.in_place = true;
  const bankshot::Found in_place = patterns.search(options);
  EXPECT_EQ(in_place.conflicts, 3u);
  for (unsigned word = 0; word < 1024; word += 4) {
    for (unsigned i = 1; i < 4; ++i) EXPECT_EQ(in_place.hash.bank(word + i), in_place.hash.bank(word) + i);
  }
  options.plain_low_bits = 6;
  EXPECT_EQ(failure([&] { patterns.search(options); }), "6 plain low bits, but there are only 5 bank bits");
}

TEST(Library, OptionsOfProgramsBuiltForTheFirstVersionHaveNoPlainLowBits) {
  Patterns patterns(Banks("h100"));
  patterns.add(every(128));
  bankshot_search_options options{};
  options.size = offsetof(bankshot_search_options, plain_low_bits);
  options.plain_low_bits = 2;  // is not read
  bankshot_found found{};
  found.size = sizeof found;
  ASSERT_EQ(bankshot_search(patterns.get(), &options, &found), 0);
  EXPECT_EQ(found.conflicts, 0u);
  bankshot_hash_free(found.hash);
  bankshot_free(found.certificate);
  options.size = sizeof options;
  ASSERT_EQ(bankshot_search(patterns.get(), &options, &found), 0);
  EXPECT_EQ(found.conflicts, 3u);
  bankshot_hash_free(found.hash);
  bankshot_free(found.certificate);
  options.size = offsetof(bankshot_search_options, seconds);
  EXPECT_NE(bankshot_search(patterns.get(), &options, &found), 0);
}

TEST(Library, AtomicsAndCode) {
  EXPECT_GT(bankshot::atomics("gtx580", std::vector<uint32_t>(32, 0)).cycles,
            bankshot::atomics("gtx580", {0, 1, 2, 3}).cycles);
  EXPECT_EQ(failure([] { bankshot::atomics("gtx580", {}); }), "0 lanes, but a warp has 1 to 32");
  EXPECT_EQ(failure([] { bankshot::atomics("gtx580", {1u << 16}); }),
            "words[0]: 65536 is beyond the 65536 words that the model covers");
  EXPECT_NE(failure([] { bankshot::analyse("nonsense", {"32", {}, {}, {}, false}); }).find("PTX:1:1"),
            std::string::npos);
  EXPECT_EQ(
      failure([] { bankshot::analyse(".version 8.0\n.target sm_80\n.address_size 64\n", {"32", {}, {}, {}, false}); }),
      "PTX has no kernel");
}

}  // namespace

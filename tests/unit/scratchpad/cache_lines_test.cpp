// Lines and sectors of warp accesses.
#include "bankshot/scratchpad/access/cache_lines.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>
#include <set>

namespace bankshot::scratchpad {
namespace {

std::array<uint64_t, 64> stride(uint64_t base, uint64_t bytes) {
  std::array<uint64_t, 64> address{};
  for (uint64_t lane = 0; lane < 64; ++lane) address[lane] = base + lane * bytes;
  return address;
}

constexpr uint64_t kWholeWarp = 0xffffffff;

LineRequests requests_of(const std::array<uint64_t, 64>& address, uint64_t lanes, unsigned width, bool atomic = false) {
  LineRequests requests;
  coalesce(address.data(), lanes, width, 128, 32, atomic, requests);
  return requests;
}

TEST(Coalescer, a_row_of_words_is_one_whole_line) {
  const LineRequests requests = requests_of(stride(1024, 4), kWholeWarp, 4);
  ASSERT_EQ(requests.count, 1u);
  EXPECT_EQ(requests.request[0].line, 1024u);
  EXPECT_EQ(requests.request[0].sectors, 15u);
  EXPECT_EQ(requests.request[0].full, 15u);
}

TEST(Coalescer, merged_requests_ask_for_each_line_once) {
  LineRequests all = requests_of(stride(1024, 4), 0xff, 4);        // the first sector of line 1024
  merge_lines(requests_of(stride(1024 + 96, 4), 0xffff, 4), all);  // its last one, and the first of line 1152
  ASSERT_EQ(all.count, 2u);
  EXPECT_EQ(all.request[0].line, 1024u);
  EXPECT_EQ(all.request[0].sectors, 9u);
  EXPECT_EQ(all.request[1].line, 1152u);
  EXPECT_EQ(all.request[1].sectors, 1u);
}

TEST(Coalescer, a_row_that_starts_in_a_line_touches_two) {
  const LineRequests requests = requests_of(stride(1024 + 4, 4), kWholeWarp, 4);
  ASSERT_EQ(requests.count, 2u);
  EXPECT_EQ(requests.request[0].sectors, 15u);
  EXPECT_EQ(requests.request[0].full, 14u);  // its first word is not written
  EXPECT_EQ(requests.request[1].line, 1152u);
  EXPECT_EQ(requests.request[1].sectors, 1u);
  EXPECT_EQ(requests.request[1].full, 0u);
}

TEST(Coalescer, wide_accesses_take_as_many_lines_as_they_fill) {
  EXPECT_EQ(requests_of(stride(0, 16), kWholeWarp, 16).count, 4u);
  EXPECT_EQ(requests_of(stride(0, 8), kWholeWarp, 8).sectors(), 8u);
}

TEST(Coalescer, every_second_word_fills_no_sector) {
  const LineRequests requests = requests_of(stride(0, 8), kWholeWarp, 4);
  ASSERT_EQ(requests.count, 2u);
  EXPECT_EQ(requests.sectors(), 8u);
  EXPECT_EQ(requests.request[0].full, 0u);
}

TEST(Coalescer, a_stride_of_a_line_is_a_line_for_each_lane) {
  EXPECT_EQ(requests_of(stride(0, 128), kWholeWarp, 4).count, 32u);
  EXPECT_EQ(requests_of(stride(0, 128), 0xff, 4).count, 8u);
}

TEST(Coalescer, an_atomic_counts_the_lanes_of_its_fullest_word) {
  std::array<uint64_t, 64> address = stride(0, 0);
  address[3] = address[4] = 4;
  const LineRequests requests = requests_of(address, 0xff, 4, true);
  ASSERT_EQ(requests.count, 1u);
  EXPECT_EQ(requests.request[0].lanes, 6u);
}

TEST(Coalescer, agrees_with_sets_of_bytes_for_random_accesses) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 3000; ++round) {
    const unsigned width = 1u << random() % 5;
    const uint64_t range = uint64_t{1} << (6 + random() % 8);
    const uint64_t lanes = random() % 4 == 0 ? kWholeWarp : (random() & kWholeWarp) | 1;
    std::array<uint64_t, 64> address{};
    for (uint64_t& a : address) a = random() % range / width * width;
    if (random() % 3 == 0) address = stride(address[0], width);
    std::map<uint64_t, std::set<uint64_t>> bytes;  // by line
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const uint64_t a = address[static_cast<size_t>(std::countr_zero(rest))];
      for (uint64_t byte = a; byte < a + width; ++byte) bytes[byte / 128 * 128].insert(byte % 128);
    }
    const LineRequests requests = requests_of(address, lanes, width);
    ASSERT_EQ(requests.count, bytes.size());
    for (unsigned k = 0; k < requests.count; ++k) {
      const LineRequest& request = requests.request[k];
      ASSERT_TRUE(bytes.contains(request.line));
      const std::set<uint64_t>& mine = bytes[request.line];
      for (unsigned sector = 0; sector < 4; ++sector) {
        const auto count = std::count_if(mine.begin(), mine.end(), [&](uint64_t byte) { return byte / 32 == sector; });
        ASSERT_EQ(request.sectors >> sector & 1, count != 0);
        ASSERT_EQ(request.full >> sector & 1, count == 32);
      }
    }
  }
}

}  // namespace
}  // namespace bankshot::scratchpad

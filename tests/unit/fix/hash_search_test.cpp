// Which banks a hash is searched for.
#include "bankshot/fix/hash_search.hpp"

#include <gtest/gtest.h>

namespace bankshot::fix {
namespace {

using std::chrono_literals::operator""ms;

TEST(HashSearch, rejects_lanes_that_need_all_banks_several_times) {
  scratchpad::PatternSet set;
  set.address_bits = 6;
  scratchpad::Pattern& pattern = set.patterns.emplace_back();
  pattern.width = 16;
  pattern.mask = 1;
  set.rules.banks = 2;
  set.rules.lanes_b128 = 1;
  const Result<search::Found> refused = search_hash(set.rules, set, 4, 100ms);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "a lane reads more bytes than all banks of this GPU deliver at once, which a search does not weigh; name "
            "another GPU with --gpu");
  set.rules.banks = 4;  // 16 bytes: just what they deliver
  EXPECT_TRUE(search_hash(set.rules, set, 4, 100ms));
}

}  // namespace
}  // namespace bankshot::fix

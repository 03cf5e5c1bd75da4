// What a process tells of memory for `bankshot fix`.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bankshot/cuda/process/witness.hpp"

namespace bankshot::cuda {
namespace {

TEST(WitnessRecord, is_read_as_it_was_written) {
  const WitnessRecord record{
      3, {{"_Z1kv", {256, 64}}, {"l", {}}}, 2, {"launch of \"k\"", "copy"}, "00ff", {"variable x"}};
  const auto read = witness_from_json(to_json(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->launches, record.launches);
  EXPECT_EQ(read->dynamic_shared, record.dynamic_shared);
  EXPECT_EQ(read->events, record.events);
  EXPECT_EQ(read->named, record.named);
  EXPECT_EQ(read->digest, record.digest);
  EXPECT_EQ(read->left, record.left);
}

TEST(WitnessRecord, sizes_of_launches_are_multiples_of_their_unit) {
  DynamicShared shared;
  shared.add({0, 0});
  EXPECT_EQ(shared, (DynamicShared{0, 0}));
  for (const uint64_t bytes : {4096, 384, 0, 1024}) shared.add({bytes, bytes});
  EXPECT_EQ(shared, (DynamicShared{4096, 128}));
}

TEST(WitnessRecord, rejects_what_is_none) {
  const std::string whole = to_json({});
  for (const std::string& text : {std::string(), std::string("[]"), std::string("{}"), whole.substr(0, 20)})
    EXPECT_FALSE(witness_from_json(text)) << text;
}

}  // namespace
}  // namespace bankshot::cuda

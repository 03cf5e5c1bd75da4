#include <gtest/gtest.h>

#include "bankshot/cuda/memory/pools.hpp"

namespace bankshot::cuda {
namespace {

TEST(CudaPools, attributes_keep_their_width) {
  PoolTable pools;
  Pool* pool = pools.create();
  struct {
    int value = 0, guard = 0x5555;
  } reuse;
  const uint64_t threshold = uint64_t{1} << 40;
  EXPECT_EQ(set_pool_attribute(pool, 1, &reuse.value), Status::success);
  EXPECT_EQ(set_pool_attribute(pool, 4, &threshold), Status::success);
  reuse.value = 9;
  uint64_t got = 0;
  EXPECT_EQ(get_pool_attribute(pool, 1, &reuse.value), Status::success);
  EXPECT_EQ(get_pool_attribute(pool, 4, &got), Status::success);
  EXPECT_EQ(reuse.value, 0);
  EXPECT_EQ(reuse.guard, 0x5555);
  EXPECT_EQ(got, threshold);
}

TEST(CudaPools, rejects_unknown_attributes_and_setting_counters) {
  PoolTable pools;
  uint64_t value = 0;
  EXPECT_EQ(set_pool_attribute(pools.default_pool(), 0, &value), Status::invalid_value);
  EXPECT_EQ(set_pool_attribute(pools.default_pool(), 9, &value), Status::invalid_value);
  EXPECT_EQ(set_pool_attribute(pools.default_pool(), 7, &value), Status::invalid_value);
  EXPECT_EQ(set_pool_attribute(nullptr, 4, &value), Status::invalid_value);
}

TEST(CudaPools, a_destroyed_pool_is_not_current) {
  PoolTable pools;
  Pool* pool = pools.create();
  EXPECT_TRUE(pools.use(pool));
  EXPECT_EQ(pools.current(), pool);
  EXPECT_TRUE(pools.destroy(pool));
  EXPECT_EQ(pools.current(), pools.default_pool());
  EXPECT_FALSE(pools.use(pool));
  EXPECT_FALSE(pools.destroy(pools.default_pool()));
}

}  // namespace
}  // namespace bankshot::cuda

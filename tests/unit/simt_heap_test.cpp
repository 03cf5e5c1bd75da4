// The heap of kernels, from the host's side.
#include <gtest/gtest.h>

#include "bankshot/simt/memory.hpp"

namespace bankshot::simt {
namespace {

TEST(DeviceHeap, blocks_are_aligned_and_apart) {
  Memory memory(uint64_t{1} << 30);
  const uint64_t a = memory.heap_allocate(1), b = memory.heap_allocate(16), c = memory.heap_allocate(17);
  for (const uint64_t block : {a, b, c}) EXPECT_EQ(block % 16, 0u);
  EXPECT_EQ(b - a, 32u) << "16 bytes, and 16 that are nobody's";
  EXPECT_EQ(c - b, 32u);
  ASSERT_NE(memory.find(b + 15), nullptr);
  EXPECT_EQ(memory.find(b + 15)->address, b);
  EXPECT_EQ(memory.find(b + 16), nullptr);
  *reinterpret_cast<uint64_t*>(c) = 7;  // it is memory
}

TEST(DeviceHeap, what_was_freed_is_kept_until_the_heap_is_full) {
  Memory memory(uint64_t{1} << 30);
  memory.heap_bytes = 4096;
  const uint64_t first = memory.heap_allocate(1000);
  EXPECT_TRUE(memory.heap_free(first));
  EXPECT_FALSE(memory.heap_free(first)) << "twice";
  const uint64_t second = memory.heap_allocate(1000), third = memory.heap_allocate(1000),
                 fourth = memory.heap_allocate(900);
  EXPECT_NE(second, first);
  EXPECT_FALSE(memory.find(first)->live);
  ASSERT_NE(third, 0u);
  ASSERT_NE(fourth, 0u);
  EXPECT_EQ(memory.heap_allocate(1100), 0u) << "no room of that size";
  EXPECT_EQ(memory.heap_allocate(1000), first) << "now it is taken again";
  EXPECT_TRUE(memory.find(first)->live);
  EXPECT_EQ(memory.heap_allocate(1000), 0u);
}

TEST(DeviceHeap, it_gives_nothing_for_nothing_and_no_more_than_it_has) {
  Memory memory(uint64_t{1} << 30);
  EXPECT_EQ(memory.heap_allocate(0), 0u);
  EXPECT_EQ(memory.heap_allocate(memory.heap_bytes + 1), 0u);
  EXPECT_FALSE(memory.heap_free(4096));
  const uint64_t device = *memory.allocate(64, MemoryKind::device);
  EXPECT_FALSE(memory.heap_free(device));
  const uint64_t block = memory.heap_allocate(64);
  EXPECT_FALSE(memory.free(block)) << "cudaFree is not for it";
  EXPECT_FALSE(memory.heap_free(block + 16));
  EXPECT_TRUE(memory.heap_free(block));
}

}  // namespace
}  // namespace bankshot::simt

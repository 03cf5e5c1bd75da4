// The heap of kernels, from the host's side, and how addresses are used again.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bankshot/simt/memory/mapped_range.hpp"
#include "bankshot/simt/memory/memory.hpp"

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

// Room of a block of n bytes: n rounded up to 16, and 16 that are nobody's.
TEST(DeviceHeap, a_block_that_is_taken_for_less_leaves_the_rest) {
  Memory memory(uint64_t{1} << 30);
  memory.heap_bytes = 4096;
  const uint64_t all = memory.heap_allocate(4080);
  EXPECT_TRUE(memory.heap_free(all));
  const uint64_t first = memory.heap_allocate(1008), second = memory.heap_allocate(3056);
  EXPECT_EQ(first, all);
  EXPECT_EQ(second, all + 1024);
  EXPECT_EQ(memory.heap_allocate(1), 0u);
  EXPECT_TRUE(memory.heap_free(first));
  EXPECT_TRUE(memory.heap_free(second));
  EXPECT_EQ(memory.heap_allocate(4080), all) << "neighbours are one again";
  EXPECT_EQ(memory.find(second)->address, all);
}

TEST(DeviceHeap, neighbours_are_joined_whatever_was_freed_first) {
  for (const std::array<int, 3>& order : {std::array{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    Memory memory(uint64_t{1} << 30);
    memory.heap_bytes = 4096;
    const std::array blocks = {memory.heap_allocate(1000), memory.heap_allocate(1000), memory.heap_allocate(1000)};
    const uint64_t last = memory.heap_allocate(900);
    ASSERT_NE(last, 0u);
    for (const int k : order) EXPECT_TRUE(memory.heap_free(blocks[static_cast<size_t>(k)]));
    EXPECT_EQ(memory.heap_allocate(3 * 1024 - 16), blocks[0]);
    EXPECT_TRUE(memory.find(last)->live);
  }
}

constexpr uint64_t kCapacity = uint64_t{1} << 20, kReserve = 8 * kCapacity;

// An allocation takes whole pages and one that is nobody's.
TEST(DeviceMemory, ranges_of_the_host_are_accessible_and_nobodys_allocation) {
  Memory memory(uint64_t{1} << 30);
  const uint64_t ours = *memory.allocate(100, MemoryKind::device);
  const uint64_t before = memory.generation();
  memory.set_host_ranges({{.address = 0x1000, .size = 0x1000, .writable = false}, {.address = 0x4000, .size = 0x2000}});
  EXPECT_NE(memory.generation(), before) << "what was looked up before is void";
  EXPECT_EQ(memory.accessible(0xfff), nullptr);
  ASSERT_NE(memory.accessible(0x1000), nullptr);
  EXPECT_FALSE(memory.accessible(0x1fff)->writable);
  EXPECT_EQ(memory.accessible(0x2000), nullptr);
  EXPECT_EQ(memory.accessible(0x5fff)->address, 0x4000u);
  EXPECT_EQ(memory.accessible(0x6000), nullptr);
  EXPECT_EQ(memory.find(0x4000), nullptr);
  EXPECT_EQ(memory.accessible(ours + 99)->address, ours);
  EXPECT_EQ(memory.accessible(ours + 100), nullptr) << "past the end of an allocation";
  memory.set_host_ranges({});
  EXPECT_EQ(memory.accessible(0x4000), nullptr);
}

TEST(DeviceMemory, freed_ranges_are_split_and_joined_once_the_reserve_is_used_up) {
  Memory memory(kCapacity);
  const auto passes = [&](uint64_t bytes) {
    const uint64_t address = *memory.allocate(bytes, MemoryKind::device);
    EXPECT_TRUE(memory.free(address));
    return address;
  };
  const uint64_t first = passes(kCapacity / 2 - 4096), second = passes(kCapacity / 2 - 4096);
  EXPECT_EQ(second, first + kCapacity / 2);
  for (uint64_t used = 0; used < kReserve && passes(4096) != first; used += 8192) {
  }
  // Now in the places that were freed, which are one.
  const uint64_t small = *memory.allocate(4096, MemoryKind::device);
  EXPECT_EQ(small, first);
  const uint64_t large = *memory.allocate(kCapacity - 8192, MemoryKind::device);
  EXPECT_EQ(large, first + 8192);
  *reinterpret_cast<char*>(large + kCapacity - 8193) = 1;
  EXPECT_EQ(memory.find(second)->address, large) << "what was known of the old ones is forgotten";
}

TEST(DeviceMemory, reserved_addresses_come_back) {
  Memory memory(kCapacity);
  for (int k = 0; k < 100; ++k) {
    const auto range = memory.reserve(kCapacity, 65536);
    ASSERT_TRUE(range) << k;
    EXPECT_EQ(*range % 65536, 0u);
    EXPECT_TRUE(memory.map(*range, 65536));
    EXPECT_EQ(*reinterpret_cast<const int*>(*range), 0) << "fresh";
    *reinterpret_cast<int*>(*range) = 1;
    EXPECT_FALSE(memory.unreserve(*range, kCapacity));
    EXPECT_TRUE(memory.unmap(*range));
    EXPECT_TRUE(memory.unreserve(*range, kCapacity));
  }
  const auto all = memory.reserve(6 * kCapacity, 4096);
  ASSERT_TRUE(all);
  EXPECT_FALSE(memory.reserve(6 * kCapacity, 4096));
  EXPECT_TRUE(memory.allocate(kCapacity / 2, MemoryKind::device)) << "besides";
}

TEST(DeviceMemory, a_range_goes_on_in_the_next_mapping_only) {
  Memory memory(kCapacity);
  const uint64_t range = *memory.reserve(3 * 65536, 4096), own = *memory.allocate(4096, MemoryKind::device);
  ASSERT_TRUE(memory.map(range, 65536));
  EXPECT_TRUE(reaches(memory, range + 100, 65436));
  EXPECT_FALSE(reaches(memory, range + 100, 65437));
  ASSERT_TRUE(memory.map(range + 65536, 65536));
  EXPECT_TRUE(reaches(memory, range + 100, 2 * 65536 - 100));
  EXPECT_FALSE(reaches(memory, range + 100, 2 * 65536 - 99));
  EXPECT_TRUE(memory.unmap(range + 65536));
  EXPECT_FALSE(reaches(memory, range + 100, 65437));
  EXPECT_TRUE(reaches(memory, own, 4096));
  EXPECT_FALSE(reaches(memory, own, 4097));
  EXPECT_FALSE(reaches(memory, 64, 1));
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

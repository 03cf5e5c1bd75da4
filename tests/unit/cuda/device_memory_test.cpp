// What the interfaces keep beside the engine's allocations, and what is left of it when memory is freed.
#include "bankshot/cuda/memory/device_memory.hpp"

#include <gtest/gtest.h>

#include "bankshot/cuda/abi/abi_batch.hpp"
#include "bankshot/cuda/device/limits.hpp"
#include "bankshot/cuda/memory/allocate.hpp"
#include "bankshot/cuda/memory/array_copy.hpp"
#include "bankshot/cuda/memory/managed_memory.hpp"
#include "bankshot/cuda/memory/stream_memory.hpp"

namespace bankshot::cuda {
namespace {

using simt::MemoryKind;

class CudaDeviceMemory : public ::testing::Test {
 protected:
  CudaDeviceMemory() { memory.attach(engine); }
  void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }
  uint64_t allocate_kind(MemoryKind kind, uint64_t bytes = 256) {
    uint64_t address = 0;
    EXPECT_EQ(allocate(memory, bytes, kind, address), Status::success);
    return address;
  }

  simt::Memory engine{uint64_t{64} << 20};
  DeviceMemory memory;
};

TEST_F(CudaDeviceMemory, no_bytes_are_no_allocation) {
  EXPECT_EQ(allocate_kind(MemoryKind::device, 0), 0u);
  EXPECT_EQ(release(memory, nullptr, {MemoryKind::device}), Status::success);
}

TEST_F(CudaDeviceMemory, rejects_freeing_another_kind_or_not_the_start) {
  const uint64_t address = allocate_kind(MemoryKind::device);
  EXPECT_EQ(release(memory, pointer(address), {MemoryKind::pinned}), Status::invalid_value);
  EXPECT_EQ(release(memory, pointer(address + 8), {MemoryKind::device}), Status::invalid_value);
  EXPECT_EQ(release(memory, pointer(address), {MemoryKind::device}), Status::success);
  EXPECT_EQ(release(memory, pointer(address), {MemoryKind::device}), Status::invalid_value);
}

TEST_F(CudaDeviceMemory, a_pool_counts_what_is_allocated_from_it_until_it_is_freed) {
  uint64_t address = 0;
  ASSERT_EQ(allocate_from(memory, nullptr, 4096, address), Status::success);
  EXPECT_EQ(memory.pools.current()->attributes[Pool::used_now], 4096u);
  ASSERT_EQ(release(memory, pointer(address), {MemoryKind::device}), Status::success);
  EXPECT_EQ(memory.pools.current()->attributes[Pool::used_now], 0u);
  EXPECT_EQ(memory.pools.current()->attributes[Pool::used_most], 4096u);
  EXPECT_EQ(allocate_from(memory, &address, 4096, address), Status::invalid_value);
}

TEST_F(CudaDeviceMemory, flags_of_host_memory_last_as_long_as_its_registration) {
  alignas(64) char bytes[128];
  unsigned flags = 0;
  ASSERT_EQ(register_host(memory, bytes, sizeof bytes, 1), Status::success);
  EXPECT_EQ(register_host(memory, bytes, sizeof bytes, 1), Status::already_registered);
  EXPECT_EQ(host_flags(memory, bytes, &flags), Status::success);
  EXPECT_EQ(flags, 3u);
  EXPECT_TRUE(is_host_memory(memory, bytes + 8));
  EXPECT_EQ(unregister_host(memory, bytes), Status::success);
  EXPECT_EQ(host_flags(memory, bytes, &flags), Status::invalid_value);
  EXPECT_EQ(unregister_host(memory, bytes), Status::not_registered);
}

TEST_F(CudaDeviceMemory, advice_is_forgotten_with_the_memory) {
  const uint64_t address = allocate_kind(MemoryKind::managed);
  constexpr int kReadMostly = 1;
  int value = 0;
  ASSERT_EQ(advise(memory, pointer(address), 256, kReadMostly, {}), Status::success);
  ASSERT_EQ(range_attribute(memory, &value, sizeof value, kReadMostly, pointer(address), 256), Status::success);
  EXPECT_EQ(value, 1);
  ASSERT_EQ(release(memory, pointer(address), {MemoryKind::managed}), Status::success);
  ASSERT_EQ(memory.managed_ranges.attribute(address, 256, kReadMostly, &value, sizeof value), Status::success);
  EXPECT_EQ(value, 0);
}

TEST_F(CudaDeviceMemory, several_attributes_of_a_range_stop_at_the_first_that_fails) {
  const uint64_t address = allocate_kind(MemoryKind::managed);
  int first = -1, second = -1;
  void* const places[] = {&first, &second};
  const size_t sizes[] = {sizeof first, sizeof second};
  const int fine[] = {1, 2}, broken[] = {99, 2};
  EXPECT_EQ(range_attributes(memory, places, sizes, fine, 2, pointer(address), 256), Status::success);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, -2);  // no preferred location
  second = -1;
  EXPECT_EQ(range_attributes(memory, places, sizes, broken, 2, pointer(address), 256), Status::invalid_value);
  EXPECT_EQ(second, -1);
  EXPECT_EQ(range_attributes(memory, places, sizes, fine, 0, pointer(address), 256), Status::invalid_value);
}

TEST_F(CudaDeviceMemory, clear_forgets_everything) {
  memory.host_flags[64] = 2;
  memory.graph_use.allocated(100);
  memory.pools.create();
  memory.clear();
  EXPECT_TRUE(memory.host_flags.empty());
  EXPECT_EQ(memory.graph_use.most_kept, 0u);
}

TEST(CudaGraphMemoryUse, what_is_freed_stays_mapped_until_it_is_trimmed) {
  GraphMemoryUse use;
  use.allocated(100);
  use.allocated(50);
  use.freed(100);
  use.allocated(20);
  EXPECT_EQ(use.mapped, 150u);
  EXPECT_EQ(use.most_used, 150u);
  use.trim();
  EXPECT_EQ(use.mapped, 70u);
  EXPECT_EQ(use.most_used, 150u);
  EXPECT_EQ(use.most_kept, 150u);
}

TEST_F(CudaDeviceMemory, free_memory_and_all_of_it) {
  size_t free = 0, total = 0;
  allocate_kind(MemoryKind::device, uint64_t{1} << 20);
  memory_info(engine, &free, &total);
  EXPECT_EQ(total, uint64_t{64} << 20);
  EXPECT_LE(free, total - (uint64_t{1} << 20));
  memory_info(engine, nullptr, nullptr);
}

TEST_F(CudaDeviceMemory, arrays_of_a_copy_have_texels_of_one_size) {
  Array *words = nullptr, *bytes = nullptr;
  ASSERT_EQ(memory.arrays.create(engine, {8, 8, 0, {texture::Channel::f32, 1}, 0}, words), Status::success);
  ASSERT_EQ(memory.arrays.create(engine, {8, 8, 0, {texture::Channel::u8, 1}, 0}, bytes), Status::success);
  EXPECT_EQ(memory.arrays.common_texel(nullptr, nullptr), 1u);
  EXPECT_EQ(memory.arrays.common_texel(words, nullptr), 4u);
  EXPECT_EQ(memory.arrays.common_texel(words, words), 4u);
  EXPECT_EQ(memory.arrays.common_texel(words, bytes), 0u);
  EXPECT_EQ(memory.arrays.common_texel(nullptr, this), 0u);
}

TEST_F(CudaDeviceMemory, a_copy_into_an_array_and_back_by_its_parameters) {
  Array* array = nullptr;
  ASSERT_EQ(memory.arrays.create(engine, {4, 2, 0, {texture::Channel::u32, 1}, 0}, array), Status::success);
  uint32_t in[4] = {1, 2, 3, 4}, out[4] = {};
  const Extent extent{8, 2, 1};
  const Region from{reinterpret_cast<uint64_t>(in), 8, 0, Side::host};
  const Region to{reinterpret_cast<uint64_t>(out), 8, 0, Side::host};
  EXPECT_EQ(copy_3d(memory, rectangle_copy({array, 4, 0}, from, extent)), Status::success);
  EXPECT_EQ(copy_3d(memory, rectangle_copy(to, {array, 4, 0}, extent)), Status::success);
  EXPECT_TRUE(std::equal(in, in + 4, out));
  EXPECT_EQ(copy_3d(memory, rectangle_copy({array, 12, 0}, from, extent)), Status::invalid_value);  // beyond its rows
  EXPECT_EQ(copy_3d(memory, rectangle_copy({in, 0, 0}, from, extent)), Status::invalid_handle);
}

TEST_F(CudaDeviceMemory, a_stream_waits_only_for_values_that_are_there) {
  const uint64_t address = allocate_kind(MemoryKind::device);
  abi::MemoryOperation write{}, wait{};
  write.type = abi::MemoryOperation::write_32;
  wait.type = abi::MemoryOperation::wait_32;
  write.address = wait.address = address;
  write.value = wait.value = 7;
  wait.flags = 1;  // equal
  *reinterpret_cast<uint32_t*>(address) = 0;
  EXPECT_EQ(execute(memory, wait), Status::not_supported);
  const abi::MemoryOperation both[] = {write, wait};
  EXPECT_EQ(execute(memory, both), Status::success);
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(address), 7u);
  write.address += 2;
  EXPECT_EQ(execute(memory, write), Status::invalid_value);
}

TEST(CudaBatches, first_indices_begin_at_zero_and_ascend) {
  const size_t fine[] = {0, 2, 3}, late[] = {1, 2, 3}, equal[] = {0, 2, 2};
  EXPECT_TRUE(abi::are_firsts(fine, 3, 4));
  EXPECT_FALSE(abi::are_firsts(fine, 3, 3));
  EXPECT_FALSE(abi::are_firsts(fine, 0, 4));
  EXPECT_FALSE(abi::are_firsts(nullptr, 1, 4));
  EXPECT_FALSE(abi::are_firsts(late, 3, 4));
  EXPECT_FALSE(abi::are_firsts(equal, 3, 4));
}

TEST(CudaLimits, are_told_back_and_limit_the_heap) {
  simt::Memory engine{uint64_t{1} << 20};
  Limits limits;
  size_t value = 0;
  constexpr int kStack = 0, kHeap = 2;
  EXPECT_EQ(limits.get(kStack, &value), Status::success);
  EXPECT_EQ(value, 1024u);
  EXPECT_EQ(limits.set(kHeap, 4096, engine), Status::success);
  EXPECT_EQ(limits.get(kHeap, &value), Status::success);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(engine.heap_bytes, 4096u);
  limits.clear();
  EXPECT_EQ(limits.get(kHeap, &value), Status::success);
  EXPECT_EQ(value, size_t{8} << 20);
  EXPECT_EQ(limits.set(7, 1, engine), Status::unsupported_limit);
  EXPECT_EQ(limits.get(-1, &value), Status::unsupported_limit);
  EXPECT_EQ(limits.get(kStack, nullptr), Status::invalid_value);
}

}  // namespace
}  // namespace bankshot::cuda

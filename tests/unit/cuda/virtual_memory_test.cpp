#include "bankshot/cuda/memory/virtual_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "bankshot/cuda/memory/transfer.hpp"

namespace bankshot::cuda {
namespace {

class CudaVirtualMemory : public ::testing::Test {
 protected:
  static constexpr uint64_t kPiece = kGranularity;
  static abi::AllocationProperties properties() {
    abi::AllocationProperties properties{};
    properties.type = 1;
    properties.location = {1, 0};
    return properties;
  }
  uint64_t create() {
    uint64_t handle = 0;
    EXPECT_EQ(table.create(memory, kPiece, properties(), handle), Status::success);
    return handle;
  }
  uint64_t reserve(uint64_t bytes) {
    uint64_t address = 0;
    EXPECT_EQ(table.reserve(memory, bytes, 0, address), Status::success);
    EXPECT_EQ(address % kPiece, 0u);
    return address;
  }
  uint32_t& word(uint64_t address) { return *reinterpret_cast<uint32_t*>(address); }

  simt::Memory memory{uint64_t{64} << 20};
  VirtualMemory table;
};

TEST_F(CudaVirtualMemory, nobody_has_access_to_what_is_only_mapped) {
  const uint64_t range = reserve(kPiece);
  ASSERT_EQ(table.map(memory, range, kPiece, 0, create()), Status::success);
  EXPECT_EQ(check_range(memory, range, 4, Side::device), Status::invalid_value);
  ASSERT_EQ(table.set_access(memory, range, kPiece, 3), Status::success);
  EXPECT_EQ(check_range(memory, range, kPiece, Side::device), Status::success);
  ASSERT_EQ(table.set_access(memory, range, kPiece, 0), Status::success);
  EXPECT_EQ(check_range(memory, range, 4, Side::device), Status::invalid_value);
}

TEST_F(CudaVirtualMemory, pieces_without_a_gap_are_one_range) {
  const uint64_t range = reserve(3 * kPiece);
  for (uint64_t k = 0; k < 2; ++k)
    ASSERT_EQ(table.map(memory, range + k * kPiece, kPiece, 0, create()), Status::success);
  ASSERT_EQ(table.set_access(memory, range, 2 * kPiece, 3), Status::success);
  EXPECT_EQ(check_range(memory, range + 4, 2 * kPiece - 4, Side::device), Status::success);
  EXPECT_EQ(check_range(memory, range + 4, 2 * kPiece, Side::device), Status::invalid_value);
}

TEST_F(CudaVirtualMemory, memory_keeps_its_contents_wherever_it_is_mapped) {
  const uint64_t range = reserve(2 * kPiece), handle = create();
  for (uint64_t k = 0; k < 2; ++k) ASSERT_EQ(table.map(memory, range + k * kPiece, kPiece, 0, handle), Status::success);
  ASSERT_EQ(table.set_access(memory, range, 2 * kPiece, 3), Status::success);
  word(range) = 77;
  EXPECT_EQ(word(range + kPiece), 77u);
  ASSERT_EQ(table.unmap(memory, range, 2 * kPiece), Status::success);
  ASSERT_EQ(table.map(memory, range, kPiece, 0, handle), Status::success);
  ASSERT_EQ(table.set_access(memory, range, kPiece, 1), Status::success);
  EXPECT_EQ(word(range), 77u);
  EXPECT_FALSE(memory.find(range)->writable);
}

TEST_F(CudaVirtualMemory, memory_is_given_back_when_nobody_has_it_any_more) {
  const uint64_t before = memory.used(), range = reserve(kPiece), handle = create();
  EXPECT_EQ(memory.used(), before + kPiece);
  ASSERT_EQ(table.map(memory, range, kPiece, 0, handle), Status::success);
  EXPECT_EQ(table.release(handle), Status::success);
  EXPECT_EQ(memory.used(), before + kPiece);
  EXPECT_EQ(table.unmap(memory, range, kPiece), Status::success);
  EXPECT_EQ(memory.used(), before);
  EXPECT_EQ(table.release(handle), Status::invalid_value);
}

TEST_F(CudaVirtualMemory, rejects_what_overlaps_or_is_no_multiple) {
  const uint64_t range = reserve(2 * kPiece), handle = create();
  uint64_t none = 0;
  EXPECT_EQ(table.reserve(memory, kPiece + 4096, 0, none), Status::invalid_value);
  EXPECT_EQ(table.create(memory, kPiece / 2, properties(), none), Status::invalid_value);
  EXPECT_EQ(table.create(memory, kPiece * 40, properties(), none), Status::out_of_memory);
  EXPECT_EQ(table.map(memory, range, 2 * kPiece, 0, handle), Status::invalid_value);  // more than there is
  EXPECT_EQ(table.map(memory, range + 4096, kPiece, 0, handle), Status::invalid_value);
  EXPECT_EQ(table.map(memory, range, kPiece, 0, handle + 1), Status::invalid_value);
  ASSERT_EQ(table.map(memory, range, kPiece, 0, handle), Status::success);
  EXPECT_EQ(table.map(memory, range, kPiece, 0, handle), Status::invalid_value);
  EXPECT_EQ(table.unmap(memory, range, 2 * kPiece), Status::invalid_value);
  EXPECT_EQ(table.unreserve(memory, range, 2 * kPiece), Status::invalid_value);
  ASSERT_EQ(table.unmap(memory, range, kPiece), Status::success);
  EXPECT_EQ(table.unreserve(memory, range, kPiece), Status::invalid_value);
  EXPECT_EQ(table.unreserve(memory, range, 2 * kPiece), Status::success);
}

TEST(MemoryMap, fresh_memory_is_zero_at_the_same_address_again) {
  simt::Memory memory(uint64_t{16} << 20);
  const uint64_t address = *memory.reserve(5000, 512);
  EXPECT_EQ(memory.find(address), nullptr);
  ASSERT_TRUE(memory.map(address, 5000));
  EXPECT_FALSE(memory.map(address, 5000));
  EXPECT_FALSE(memory.free(address));  // unmapped, not freed
  std::memset(reinterpret_cast<void*>(address), 1, 5000);
  EXPECT_EQ(memory.used(), 5000u);
  ASSERT_TRUE(memory.unmap(address));
  EXPECT_FALSE(memory.find(address)->live);
  ASSERT_TRUE(memory.map(address, 5000));
  EXPECT_EQ(*reinterpret_cast<char*>(address + 4999), 0);
  EXPECT_FALSE(memory.unreserve(address, 5000));
  ASSERT_TRUE(memory.unmap(address));
  EXPECT_TRUE(memory.unreserve(address, 5000));
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_TRUE(memory.allocate(16, simt::MemoryKind::device));  // behind a range whose size is no multiple of a page
}

}  // namespace
}  // namespace bankshot::cuda

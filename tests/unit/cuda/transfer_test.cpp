#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "bankshot/cuda/memory/transfer.hpp"

namespace bankshot::cuda {
namespace {

class CudaTransfer : public ::testing::Test {
 protected:
  simt::Memory memory{uint64_t{1} << 30};

  uint64_t device(uint64_t bytes, simt::MemoryKind kind = simt::MemoryKind::device) {
    auto address = memory.allocate(bytes, kind);
    EXPECT_TRUE(address);
    return *address;
  }
  template <class T>
  static uint64_t address(const std::vector<T>& data) {
    return reinterpret_cast<uint64_t>(data.data());
  }
  Status copy_bytes(uint64_t to, Side to_side, uint64_t from, Side from_side, uint64_t bytes) {
    return copy(memory, {to, bytes, 0, to_side}, {from, bytes, 0, from_side}, {bytes, 1, 1});
  }
};

TEST_F(CudaTransfer, bytes_travel_to_the_device_and_back) {
  std::vector<int> out(100), back(100);
  std::iota(out.begin(), out.end(), 1);
  const uint64_t a = device(400), b = device(400);
  EXPECT_EQ(copy_bytes(a, Side::device, address(out), Side::host, 400), Status::success);
  EXPECT_EQ(copy_bytes(b, Side::device, a, Side::device, 400), Status::success);
  EXPECT_EQ(copy_bytes(address(back), Side::either, b, Side::either, 400), Status::success);
  EXPECT_EQ(out, back);
}

TEST_F(CudaTransfer, rejects_a_range_beyond_the_allocation) {
  std::vector<char> host(200);
  const uint64_t a = device(100);
  EXPECT_EQ(copy_bytes(a, Side::device, address(host), Side::host, 101), Status::invalid_value);
  EXPECT_EQ(copy_bytes(a + 1, Side::device, address(host), Side::host, 100), Status::invalid_value);
  EXPECT_EQ(copy_bytes(a + 1, Side::device, address(host), Side::host, 99), Status::success);
  EXPECT_EQ(copy_bytes(a, Side::device, address(host), Side::host, UINT64_MAX - 4), Status::invalid_value);
}

TEST_F(CudaTransfer, rejects_freed_and_swapped_and_null_pointers) {
  std::vector<char> host(100);
  const uint64_t a = device(100);
  EXPECT_EQ(copy_bytes(address(host), Side::device, a, Side::host, 100), Status::invalid_value);
  EXPECT_EQ(copy_bytes(a, Side::device, 0, Side::host, 100), Status::invalid_value);
  ASSERT_TRUE(memory.free(a));
  EXPECT_EQ(copy_bytes(a, Side::device, address(host), Side::host, 100), Status::invalid_value);
  EXPECT_EQ(copy_bytes(a, Side::either, address(host), Side::either, 100), Status::invalid_value);
}

TEST_F(CudaTransfer, rejects_a_device_address_that_was_never_allocated) {
  std::vector<char> host(100);
  const uint64_t a = device(100), beyond = a + (uint64_t{1} << 20);
  for (const Side side : {Side::host, Side::device, Side::either}) {
    EXPECT_EQ(copy_bytes(beyond, side, address(host), Side::either, 100), Status::invalid_value);
    EXPECT_EQ(copy_bytes(address(host), Side::either, beyond, side, 100), Status::invalid_value);
    EXPECT_EQ(copy_bytes(a + 100, side, address(host), Side::either, 1), Status::invalid_value);
  }
  EXPECT_EQ(copy_bytes(address(host), Side::either, a, Side::either, 100), Status::success);
}

TEST_F(CudaTransfer, nothing_is_always_copied) {
  EXPECT_EQ(copy_bytes(0, Side::device, 0, Side::device, 0), Status::success);
  EXPECT_EQ(fill(memory, {0, 0, 0, Side::device}, {0, 5, 5}, 1), Status::success);
}

TEST_F(CudaTransfer, managed_memory_is_on_both_sides) {
  std::vector<char> host(64, 7);
  const uint64_t m = device(64, simt::MemoryKind::managed);
  EXPECT_EQ(copy_bytes(m, Side::device, address(host), Side::host, 64), Status::success);
  EXPECT_EQ(copy_bytes(m, Side::host, m, Side::device, 64), Status::success);
}

TEST_F(CudaTransfer, rows_keep_their_pitches) {
  // Three rows of 4 bytes from a tight host array to rows 16 bytes apart.
  std::vector<char> host{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const uint64_t a = device(48);
  ASSERT_EQ(fill(memory, {a, 48, 0, Side::device}, {48, 1, 1}, 0xee), Status::success);
  ASSERT_EQ(copy(memory, {a, 16, 0, Side::device}, {address(host), 4, 0, Side::host}, {4, 3, 1}), Status::success);
  const auto* bytes = reinterpret_cast<const unsigned char*>(a);
  for (int row = 0; row < 3; ++row) {
    for (int x = 0; x < 4; ++x) EXPECT_EQ(bytes[16 * row + x], 4 * row + x + 1);
    for (int x = 4; x < 16; ++x) EXPECT_EQ(bytes[16 * row + x], 0xee);
  }
}

TEST_F(CudaTransfer, the_last_row_needs_no_full_pitch) {
  const uint64_t a = device(16 * 2 + 4);
  std::vector<char> host(12);
  EXPECT_EQ(copy(memory, {a, 16, 0, Side::device}, {address(host), 4, 0, Side::host}, {4, 3, 1}), Status::success);
  EXPECT_EQ(copy(memory, {a, 16, 0, Side::device}, {address(host), 4, 0, Side::host}, {5, 3, 1}),
            Status::invalid_pitch);
  EXPECT_EQ(copy(memory, {a, 17, 0, Side::device}, {address(host), 4, 0, Side::host}, {4, 3, 1}),
            Status::invalid_value);
}

TEST_F(CudaTransfer, slices_of_a_cuboid_copy) {
  std::vector<int> host(2 * 3 * 4), back(2 * 3 * 4);
  std::iota(host.begin(), host.end(), 1);
  const uint64_t a = device(2 * 3 * 64);
  const Region inside{a, 64, 3 * 64, Side::device};
  ASSERT_EQ(copy(memory, inside, {address(host), 16, 48, Side::host}, {16, 3, 2}), Status::success);
  ASSERT_EQ(copy(memory, {address(back), 16, 48, Side::host}, inside, {16, 3, 2}), Status::success);
  EXPECT_EQ(host, back);
}

TEST_F(CudaTransfer, fills_in_elements_of_two_and_four_bytes) {
  const uint64_t a = device(32);
  ASSERT_EQ(fill(memory, {a, 0, 0, Side::device}, {32, 1, 1}, 0x01020304, 4), Status::success);
  EXPECT_EQ(reinterpret_cast<const uint32_t*>(a)[7], 0x01020304u);
  ASSERT_EQ(fill(memory, {a, 0, 0, Side::device}, {16, 1, 1}, 0xbeef, 2), Status::success);
  EXPECT_EQ(reinterpret_cast<const uint16_t*>(a)[7], 0xbeef);
  EXPECT_EQ(reinterpret_cast<const uint32_t*>(a)[4], 0x01020304u);
  EXPECT_EQ(fill(memory, {a + 2, 0, 0, Side::device}, {4, 1, 1}, 0, 4), Status::invalid_value) << "misaligned";
}

}  // namespace
}  // namespace bankshot::cuda

#include "bankshot/simt/memory/zero_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace bankshot::simt {
namespace {

constexpr size_t kPageBytes = 4096, kPages = 64;

/// Anonymous memory of 64 pages.
class ZeroPages : public ::testing::Test {
 protected:
  ~ZeroPages() override { munmap(memory, kPages * kPageBytes); }
  size_t held() const {
    std::vector<unsigned char> pages(kPages);
    EXPECT_EQ(mincore(memory, kPages * kPageBytes, pages.data()), 0);
    return static_cast<size_t>(std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; }));
  }

  std::byte* const memory = static_cast<std::byte*>(
      mmap(nullptr, kPages* kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
};

TEST_F(ZeroPages, what_was_not_touched_stays_so) {
  zero_pages(memory, kPages * kPageBytes);
  EXPECT_EQ(held(), 0u);
}

TEST_F(ZeroPages, a_range_with_few_pages_is_given_back) {
  for (size_t page = 0; page < 15; ++page) memory[page * kPageBytes] = std::byte{1};
  zero_pages(memory, kPages * kPageBytes);
  EXPECT_EQ(held(), 0u);
}

TEST_F(ZeroPages, a_range_with_many_pages_keeps_them) {
  for (size_t page = 0; page < 16; ++page) memory[page * kPageBytes] = std::byte{1};
  zero_pages(memory, kPages * kPageBytes);
  EXPECT_EQ(held(), kPages);
}

TEST_F(ZeroPages, bytes_around_an_unaligned_range_stay) {
  for (const size_t touched : {size_t{1}, kPages}) {
    std::memset(memory, 7, touched * kPageBytes);
    memory[kPages * kPageBytes - 1] = std::byte{7};
    zero_pages(memory + 5, kPages * kPageBytes - 6);
    EXPECT_EQ(memory[4], std::byte{7});
    EXPECT_EQ(memory[kPages * kPageBytes - 1], std::byte{7});
    const std::span<const std::byte> inside(memory + 5, kPages * kPageBytes - 6);
    EXPECT_TRUE(std::ranges::all_of(inside, [](std::byte byte) { return byte == std::byte{0}; }));
  }
}

}  // namespace
}  // namespace bankshot::simt

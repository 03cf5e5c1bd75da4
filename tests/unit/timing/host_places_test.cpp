// Places of the program's own memory in the memory system: by hand.
#include "bankshot/timing/memory/host_places.hpp"

#include <array>

#include <gtest/gtest.h>

namespace bankshot::timing {
namespace {

TEST(HostPlaces, ranges_follow_each_other_at_multiples_of_512_bytes_and_keep_their_places) {
  alignas(64) static std::array<std::byte, 8192> host;
  const auto at = reinterpret_cast<uint64_t>(host.data());
  simt::Memory memory(1 << 20);
  HostPlaces places;
  ASSERT_TRUE(memory.register_host(at + 64, 600));
  ASSERT_TRUE(memory.register_host(at + 1024, 100));
  places.update(memory);
  const uint64_t first = places.of(at + 64);
  EXPECT_EQ(first % 512, 0u);
  EXPECT_EQ(places.of(at + 64 + 599), first + 599);
  EXPECT_EQ(places.of(at + 1024), first + 1024);  // 600 bytes take 1024

  ASSERT_TRUE(memory.unregister_host(at + 64));
  ASSERT_TRUE(memory.register_host(at, 128));
  places.update(memory);
  EXPECT_EQ(places.of(at + 1024 + 7), first + 1024 + 7);
  EXPECT_EQ(places.of(at + 100), first + 1536 + 100);  // behind both
  // What is in no range is told apart by its address.
  EXPECT_EQ(places.of(at + 4096) - places.of(at + 2048), 2048u);
  EXPECT_NE(places.of(at + 128), places.of(at + 127) + 1);
}

}  // namespace
}  // namespace bankshot::timing

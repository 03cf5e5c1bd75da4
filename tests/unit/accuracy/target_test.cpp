#include "bankshot/accuracy/target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankshot::accuracy {
namespace {

using testing::ElementsAre;

std::vector<std::string> changes(const std::string& gpu, const std::string& condition = "") {
  const Target* const target = find_target(gpu);
  if (target == nullptr) return {"no target"};
  Row row;
  row.condition = condition;
  const auto machine = machine_of(row, *target);
  return machine ? machine->changes : std::vector<std::string>{machine.error().message};
}

TEST(AccuracyTarget, has_the_longest_name_that_fits) {
  EXPECT_EQ(find_target("A100 80GB")->memory, 2039.0 / 1555);
  EXPECT_EQ(find_target("A100 40GB")->name, "A100");
  EXPECT_EQ(find_target("H1000"), nullptr);
}

TEST(AccuracyTarget, other_memory_has_a_way_that_carries_the_same_share) {
  // 13 bytes a cycle at 1,555 GB/s: 17.05 at 2,039.
  EXPECT_THAT(changes("A100 80GB"), ElementsAre("clocks.memory_khz=1593174", "l2.dram_bytes=17"));
  // 20 at 3,352 GB/s: 28.6 at 4,800.
  EXPECT_THAT(changes("H200"), ElementsAre("clocks.memory_khz=3750358", "l2.dram_bytes=29"));
  // 20 at 3,352 GB/s and 1,980 MHz: 13.7 at 2,039 GB/s and 1,755 MHz.
  EXPECT_THAT(changes("H100 PCIe"),
              ElementsAre("clocks.core_khz=1755000", "clocks.memory_khz=1593121", "l2.dram_bytes=14", "gpu.sms=114"));
}

TEST(AccuracyTarget, the_same_memory_has_the_same_way) {
  EXPECT_THAT(changes("A100"), ElementsAre());
  EXPECT_THAT(changes("V100", "1 warp, clock 1312 MHz"), ElementsAre("clocks.core_khz=1312000"));
}

}  // namespace
}  // namespace bankshot::accuracy

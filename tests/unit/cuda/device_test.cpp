#include <gtest/gtest.h>

#include "bankshot/cuda/abi/device_prop.hpp"
#include "bankshot/cuda/device/device.hpp"

namespace bankshot::cuda {
namespace {

DeviceInfo some_device() {
  DeviceInfo device;
  device.name = "Test GPU";
  device.major = 8;
  device.minor = 6;
  device.sms = 28;
  device.memory = uint64_t{12} << 30;
  device.constant_memory = 65536;
  device.sm.registers_per_block = 65536;
  device.shared_by_default = 49152;
  device.sm.max_warps = 48;
  device.sm.max_blocks = 16;
  device.sm.shared = 102400;
  device.sm.shared_per_block = 101376;
  device.sm.shared_reserved = 1024;
  return device;
}

TEST(CudaDevice, attributes_of_every_number_up_to_the_last) {
  const DeviceInfo device = some_device();
  for (int number = 1; number <= 147; ++number) {
    const bool is_gap = number == 44 || number == 146;
    EXPECT_EQ(attribute(device, number).has_value(), !is_gap) << number;
  }
  EXPECT_FALSE(attribute(device, 0));
  EXPECT_FALSE(attribute(device, 148));
  EXPECT_FALSE(attribute(device, -1));
}

TEST(CudaDevice, attributes_tell_the_description) {
  const DeviceInfo device = some_device();
  EXPECT_EQ(attribute(device, 16), 28);       // SMs
  EXPECT_EQ(attribute(device, 39), 48 * 32);  // threads of an SM
  EXPECT_EQ(attribute(device, 75), 8);
  EXPECT_EQ(attribute(device, 76), 6);
  EXPECT_EQ(attribute(device, 97), 101376);  // shared memory after opting in
}

/// All three layouts say the same.
template <class Properties>
void expect_properties(int version) {
  Properties p;
  fill_properties(some_device(), version, &p);
  EXPECT_STREQ(p.name, "Test GPU");
  EXPECT_EQ(p.major, 8);
  EXPECT_EQ(p.minor, 6);
  EXPECT_EQ(p.totalGlobalMem, uint64_t{12} << 30);
  EXPECT_EQ(p.multiProcessorCount, 28);
  EXPECT_EQ(p.warpSize, 32);
  EXPECT_EQ(p.maxGridSize[0], 0x7fffffff);
  EXPECT_EQ(p.sharedMemPerBlock, 49152u);
  EXPECT_EQ(p.reservedSharedMemPerBlock, 1024u);
}

TEST(CudaDevice, properties_in_all_layouts) {
  expect_properties<abi::DeviceProp11>(11);
  expect_properties<abi::DeviceProp12>(12);
  expect_properties<abi::DeviceProp13>(13);
}

TEST(CudaDevice, uuid_depends_on_the_name_only) {
  DeviceInfo a = some_device(), b = some_device();
  b.sms = 1;
  EXPECT_EQ(uuid_of(a), uuid_of(b));
  b.name = "Other";
  EXPECT_NE(uuid_of(a), uuid_of(b));
}

}  // namespace
}  // namespace bankshot::cuda

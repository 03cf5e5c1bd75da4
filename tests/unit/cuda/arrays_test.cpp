// Formats, extents and places of CUDA arrays.
#include <gtest/gtest.h>

#include <cstring>

#include "bankshot/cuda/memory/array_format.hpp"
#include "bankshot/cuda/memory/arrays.hpp"
#include "bankshot/gpu/gpu.hpp"

namespace bankshot::cuda {
namespace {

using texture::Channel;
using texture::Format;

TEST(cuda_arrays, formats_in_the_words_of_both_interfaces) {
  EXPECT_EQ(format_of(abi::ChannelFormatDesc{32, 0, 0, 0, 2}), (Format{Channel::f32, 1}));
  EXPECT_EQ(format_of(abi::ChannelFormatDesc{8, 8, 8, 8, 1}), (Format{Channel::u8, 4}));
  EXPECT_EQ(format_of(abi::ChannelFormatDesc{16, 16, 0, 0, 0}), (Format{Channel::s16, 2}));
  EXPECT_EQ(format_of(abi::ChannelFormatDesc{16, 0, 0, 0, 2}), (Format{Channel::f16, 1}));
  EXPECT_EQ(format_of(abi::ChannelFormatDesc{8, 8, 8, 8, 7}), (Format{Channel::unorm8, 4}));
  EXPECT_FALSE(format_of(abi::ChannelFormatDesc{8, 8, 8, 0, 1}));
  EXPECT_FALSE(format_of(abi::ChannelFormatDesc{8, 16, 0, 0, 1}));
  EXPECT_FALSE(format_of(abi::ChannelFormatDesc{8, 0, 0, 0, 2}));
  EXPECT_FALSE(format_of(abi::ChannelFormatDesc{8, 8, 8, 8, 17}));
  EXPECT_EQ(format_of(0x20, 4), (Format{Channel::f32, 4}));
  EXPECT_EQ(format_of(0xc5, 4), (Format{Channel::unorm16, 4}));
  EXPECT_FALSE(format_of(0xc5, 2));
  EXPECT_FALSE(format_of(0x91, 4));
  for (const Channel channel : {Channel::u8, Channel::s32, Channel::f16, Channel::snorm16, Channel::unorm8}) {
    for (const uint8_t channels : {1, 2, 4}) {
      const Format format{channel, channels};
      EXPECT_EQ(format_of(driver_format_of(format), channels), format);
      EXPECT_EQ(format_of(channel_desc_of(format)), format);
    }
  }
  EXPECT_EQ(view_format(0x03), (Format{Channel::u8, 4}));
  EXPECT_EQ(view_format(0x16), (Format{Channel::f32, 1}));
  EXPECT_FALSE(view_format(0));
  EXPECT_FALSE(view_format(0x19));
}

TEST(cuda_arrays, extents_go_with_flags) {
  const auto ok = [](uint64_t w, uint64_t h, uint64_t d, unsigned flags) {
    DeviceInfo device;
    return check(device, {w, h, d, {Channel::f32, 1}, flags}, false) == Status::success;
  };
  using S = ArraySpec;
  EXPECT_TRUE(ok(131072, 0, 0, 0));
  EXPECT_FALSE(ok(131073, 0, 0, 0));
  EXPECT_FALSE(ok(32769, 0, 0, S::kSurface));
  EXPECT_FALSE(ok(0, 4, 0, 0));
  EXPECT_TRUE(ok(131072, 65536, 0, 0));
  EXPECT_FALSE(ok(4, 65537, 0, 0));
  EXPECT_FALSE(ok(4, 0, 4, 0)) << "a depth without a height";
  EXPECT_TRUE(ok(4, 0, 4, S::kLayered));
  EXPECT_FALSE(ok(4, 0, 2049, S::kLayered));
  EXPECT_FALSE(ok(4, 4, 0, S::kLayered));
  EXPECT_TRUE(ok(4, 4, 6, S::kCube));
  EXPECT_FALSE(ok(4, 4, 12, S::kCube));
  EXPECT_TRUE(ok(4, 4, 12, S::kCube | S::kLayered));
  EXPECT_FALSE(ok(4, 5, 6, S::kCube));
  EXPECT_FALSE(ok(4, 4, 0, 0x40)) << "sparse arrays";
}

TEST(cuda_arrays, bytes_go_on_in_the_next_row) {
  simt::Memory memory(1 << 20);
  ArrayTable table;
  Array* array = nullptr;
  ASSERT_EQ(table.create(memory, {3, 3, 0, {Channel::u8, 1}, 0}, array), Status::success);
  const char text[] = "abcdefg";
  const Region linear{reinterpret_cast<uint64_t>(text), 7, 0, Side::host};
  ASSERT_EQ(copy_rows_of(memory, *array, 2, 0, 7, linear, true), Status::success);
  const auto row = [&](uint32_t y) {
    return std::string(reinterpret_cast<const char*>(array->level.at(0, y, 0, 1)), 3);
  };
  EXPECT_EQ(row(0), std::string("\0\0a", 3));
  EXPECT_EQ(row(1), "bcd");
  EXPECT_EQ(row(2), "efg");
  EXPECT_EQ(copy_rows_of(memory, *array, 2, 0, 8, linear, true), Status::invalid_value);
  Region out;
  EXPECT_EQ(region_of(*array, 1, 1, 0, {2, 2, 1}, out), Status::success);
  EXPECT_EQ(out.address, array->level.address + 33);  // rows are 32 bytes apart
  EXPECT_EQ(region_of(*array, 2, 1, 0, {2, 2, 1}, out), Status::invalid_value);
  EXPECT_EQ(table.destroy(memory, array), Status::success);
  EXPECT_EQ(table.destroy(memory, array), Status::invalid_handle);
}

TEST(cuda_arrays, levels_halve_extents_but_not_layers) {
  simt::Memory memory(1 << 20);
  ArrayTable table;
  MipmappedArray* mipmapped = nullptr;
  ASSERT_EQ(table.create(memory, {8, 3, 5, {Channel::u8, 1}, ArraySpec::kLayered}, 99, mipmapped), Status::success);
  ASSERT_EQ(mipmapped->levels.size(), 4u);  // 8, 4, 2, 1
  EXPECT_EQ(mipmapped->levels[2]->spec.width, 2u);
  EXPECT_EQ(mipmapped->levels[2]->spec.height, 1u);
  EXPECT_EQ(mipmapped->levels[3]->spec.depth, 5u);
  EXPECT_EQ(table.array(mipmapped->levels[1].get()), mipmapped->levels[1].get());
  EXPECT_EQ(table.destroy(memory, mipmapped->levels[1].get()), Status::invalid_handle);
  EXPECT_EQ(table.destroy_mipmapped(memory, mipmapped), Status::success);
}

}  // namespace
}  // namespace bankshot::cuda

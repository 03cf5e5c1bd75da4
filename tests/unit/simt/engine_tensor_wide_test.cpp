// Copies of tensors in modes im2col::w and im2col::w::128. Source: PTX ISA 9.0, section 5.5.5.
#include "tensor_copy_harness.hpp"

namespace bankshot::simt {
namespace {

class WideCopy : public TensorCopy {
 protected:
  static constexpr uint32_t kChannels = 16, kHeight = 2, kImages = 5;
  static constexpr unsigned kFirst = 256;  ///< of out: what was in shared memory

  /// Columns of pixels of 64 bytes from (n, h, w) = (0, 1, w) on, of images as wide as `width`.
  Result<LaunchStats, Fault> copy(const std::string& mode, int w, int halo, int offset, uint32_t pixels, uint32_t rows,
                                  bool map_of_128) {
    const uint64_t sizes[] = {kChannels, width, kHeight, kImages},
                   strides[] = {64, uint64_t{64} * width, uint64_t{64} * width * kHeight};
    const uint32_t steps[] = {1, step, 1, 1};
    data.resize(size_t{kChannels} * width * kHeight * kImages);
    for (uint32_t i = 0; i < data.size(); ++i) data[i] = 1000 + i;
    std::string loads;
    for (unsigned k = 0; k < 17; ++k) {
      const std::string at = std::to_string(512 * k);
      loads += "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3+" + at + "]; st.global.v4.u32 [%rd3+" +
               std::to_string(4 * kFirst) + "+" + at + "], {%r4, %r5, %r6, %r7};\n";
    }
    return run_with(
        ".reg .b16 %rs<8>; mov.u16 %rs1, " + std::to_string(halo) + "; mov.u16 %rs2, " + std::to_string(offset) +
            "; @!%p2 bra B; cp.async.bulk.tensor.4d.shared::cluster.global." + mode +
            ".mbarrier::complete_tx::bytes [%r20], [%rd1, {0, " + std::to_string(w) +
            ", 1, 0}], [%r21], {%rs1, %rs2};\nB:" + wait(64 * rows) +
            "mad.lo.u32 %r3, %r1, 16, %r20; mad.wide.u32 %rd3, %r1, 16, %rd1;\n" + loads + "ret;",
        8192,
        {.element = TensorMap::u32, .dimensions = 4, .sizes = sizes, .strides = strides, .steps = steps, .swizzle = 2},
        [&](const TensorShape& shape, TensorMap& map) {
          return encode_im2col_wide(shape, -1, -1, kChannels, pixels, map_of_128, map);
        },
        data);
  }
  /// Row `row` of shared memory is pixel w of image n, or zeros.
  void expect_row(uint32_t row, int w, uint32_t n) const {
    for (uint32_t c = 0; c < kChannels; ++c) {
      // The swizzle of 64 bytes: chunks are exchanged by two bits of the number of two rows.
      const uint32_t at = row * kChannels + ((c / 4 ^ (row / 2 & 3)) * 4 + c % 4);
      const bool inside = w >= 0 && w < static_cast<int>(width);
      const uint32_t from = ((n * kHeight + 1) * width + static_cast<uint32_t>(w)) * kChannels + c;
      ASSERT_EQ(out[kFirst + at], inside ? data[from] : 0) << "row " << row << ", channel " << c;
    }
  }
  uint32_t width = 5, step = 1;
  std::vector<uint32_t> data;
};

TEST_F(WideCopy, pixels_go_along_w_to_the_next_image_and_a_halo_follows) {
  const auto result = copy("im2col::w", 1, 2, -1, 6, 8, false);
  ASSERT_TRUE(result) << result.error().message;
  // By hand: the box is w in [-1, 3]. Pixels 1 2 3 of image 0, then -1 0 1 of image 1; the halo is 2 3. Each is looked
  // at one to the left.
  const int w[] = {0, 1, 2, -2, -1, 0, 1, 2};
  for (uint32_t row = 0; row < 8; ++row) expect_row(row, w[row], row < 3 ? 0 : 1);
}

TEST_F(WideCopy, pixels_may_be_strided) {
  step = 2;
  const auto result = copy("im2col::w", -1, 1, 1, 5, 6, false);
  ASSERT_TRUE(result) << result.error().message;
  // -1 1 3 of image 0, -1 1 of image 1, and the halo 3.
  const int w[] = {0, 2, 4, 0, 2, 4};
  for (uint32_t row = 0; row < 6; ++row) expect_row(row, w[row], row < 3 ? 0 : 1);
}

TEST_F(WideCopy, of_128_pixels_each_32_have_a_halo) {
  width = 40;
  const auto result = copy("im2col::w::128", 3, 1, 0, 7, 132, true);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t row = 0; row < 132; ++row) {
    const uint32_t pixel = 4 + row / 33 * 32 + row % 33;  // from the left of the box on, which is 40 wide
    expect_row(row, static_cast<int>(pixel % 40) - 1, pixel / 40);
  }
}

TEST_F(WideCopy, rejects_halos_that_are_too_long_and_other_maps) {
  const auto message = [&](const std::string& mode, int halo, bool map_of_128) {
    const auto result = copy(mode, 0, halo, 0, 4, 4, map_of_128);
    return result ? std::string() : result.error().message;
  };
  EXPECT_NE(message("im2col::w", 512, false).find("wHalo is 512, but must be 0 to 511"), std::string::npos);
  EXPECT_NE(message("im2col::w::128", 32, true).find("wHalo is 32, but must be 0 to 31"), std::string::npos);
  EXPECT_NE(message("im2col::w", 0, true).find("an im2col::w copy with an im2col::w::128 tensor map"),
            std::string::npos);
  const uint64_t sizes[] = {16, 5, 2}, strides[] = {64, 320};
  const uint32_t steps[] = {1, 1, 1};
  TensorShape shape{.element = TensorMap::u32, .dimensions = 3, .sizes = sizes, .strides = strides, .steps = steps};
  TensorMap map;
  EXPECT_EQ(encode_im2col_wide(shape, 0, 0, 16, 8, false, map),
            "im2col::w takes the swizzle of 64 bytes, or of 128 bytes in units of 16 or 32 bytes");
  shape.swizzle = 3;
  EXPECT_EQ(encode_im2col_wide(shape, 0, 0, 16, 8, false, map), "");
  shape.interleave = 1;
  EXPECT_EQ(encode_im2col_wide(shape, 0, 0, 16, 8, false, map), "interleaved layouts do not exist for im2col::w");
}

}  // namespace
}  // namespace bankshot::simt

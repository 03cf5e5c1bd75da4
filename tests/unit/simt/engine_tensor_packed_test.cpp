// Copies of tensors whose elements have 4 and 6 bits.
#include "tensor_copy_harness.hpp"

namespace bankshot::simt {
namespace {

class PackedCopy : public TensorCopy {
 protected:
  /// Two rows of 128 elements from row 0 on go to shared memory, from there to rows 2 and 3 if `stores`; out[256…] has
  /// what lay in shared memory, two words for each lane.
  Result<LaunchStats, Fault> copy(TensorMap::Element element, int swizzle, bool stores) {
    const unsigned row = element == TensorMap::u6_padded ? 96 : 64;
    const uint64_t sizes[] = {128, 4}, strides[] = {row};
    const uint32_t steps[] = {1, 1}, box[] = {128, 2};
    const TensorShape shape{
        .element = element, .dimensions = 2, .sizes = sizes, .strides = strides, .steps = steps, .swizzle = swizzle};
    data.resize(row);
    for (uint32_t i = 0; i < row; ++i) data[i] = 0x01020304 * (i + 1);
    return run_with(
        "@!%p2 bra B; cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd1, {0, "
        "0}], [%r21];\nB:" +
            wait(2 * row) +
            "mad.lo.u32 %r4, %r1, 8, %r20; ld.shared.v2.u32 {%r5, %r6}, [%r4]; mad.wide.u32 %rd2, %r1, 8, %rd1;"
            "st.global.v2.u32 [%rd2+1024], {%r5, %r6};" +
            (stores ? "@%p2 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, 2}], [%r20];" : "") +
            "ret;",
        512, shape, [&](const TensorShape& given, TensorMap& map) { return encode_tiled(given, box, map); }, data);
  }
  std::vector<uint32_t> data;
};

TEST_F(PackedCopy, sixteen_elements_of_4_bits_lie_in_16_bytes_of_shared_memory) {
  for (const int swizzle : {0, 3}) {
    const auto result = copy(TensorMap::u4_padded, swizzle, false);
    ASSERT_TRUE(result) << result.error().message;
    for (uint32_t w = 0; w < 64; ++w) {
      const uint32_t row = w / 32, chunk = (w / 4 % 8) ^ (swizzle == 3 ? row : 0), word = w % 4;
      EXPECT_EQ(out[256 + w], word < 2 ? data[row * 16 + chunk * 2 + word] : 0) << w << ' ' << swizzle;
    }
  }
}

TEST_F(PackedCopy, elements_of_6_bits_are_spread_and_those_of_bytes_are_packed) {
  const auto result = copy(TensorMap::u6_padded, 3, true);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t w = 0; w < 64; ++w) {
    const uint32_t row = w / 32, chunk = (w / 4 % 8) ^ row, word = w % 4;
    EXPECT_EQ(out[256 + w], word < 3 ? data[row * 24 + chunk * 3 + word] : 0) << w;
  }
  // A store takes the lower six bits of each of the sixteen bytes.
  const auto byte = [](const uint32_t* words, uint32_t at) { return words[at / 4] >> at % 4 * 8 & 0xff; };
  for (uint32_t pack = 0; pack < 16; ++pack) {
    uint32_t packed[4] = {};
    for (uint32_t k = 0; k < 16; ++k) {
      const uint32_t code = k < 12 ? byte(data.data(), 12 * pack + k) & 0x3f : 0;
      for (uint32_t bit = 0; bit < 6; ++bit) packed[(6 * k + bit) / 32] |= (code >> bit & 1) << (6 * k + bit) % 32;
    }
    for (uint32_t k = 0; k < 12; ++k)
      EXPECT_EQ(byte(out.data() + 64 + 48, 12 * pack + k), byte(packed, k)) << pack << ", " << k;
  }
}

TEST_F(PackedCopy, elements_of_4_bits_without_padding_stay_as_they_are) {
  const auto result = copy(TensorMap::u4, 0, true);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t w = 0; w < 32; ++w) {
    EXPECT_EQ(out[256 + w], data[w]) << w;
    EXPECT_EQ(out[64 + 32 + w], data[w]) << w;
  }
}

TEST_F(PackedCopy, rejects_stores_and_coordinates_that_are_not_there) {
  const auto stored = copy(TensorMap::u4_padded, 0, true);
  ASSERT_FALSE(stored);
  EXPECT_NE(stored.error().message.find("can be loaded, but not stored"), std::string::npos) << stored.error().message;
  const uint64_t sizes[] = {128, 4}, strides[] = {64};
  const uint32_t steps[] = {1, 1}, box[] = {32, 1};
  const TensorShape shape{
      .element = TensorMap::u4, .dimensions = 2, .sizes = sizes, .strides = strides, .steps = steps};
  const auto encode = [&](const TensorShape& given, TensorMap& map) { return encode_tiled(given, box, map); };
  const auto message = [&](const std::string& text) {
    const auto result = run_with(text + "ret;", 512, shape, encode, {});
    return result ? std::string() : result.error().message;
  };
  const std::string load =
      "@%p2 cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd1, ";
  EXPECT_NE(message(load + "{3, 0}], [%r21];").find("coordinate 3 of elements of 4 bits is not a multiple of 2"),
            std::string::npos);
  EXPECT_NE(message("@%p2 cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.tile.bulk_group [%rd1, {0, 0}], [%r20];")
                .find("no reductions of elements of 4 and 6 bits"),
            std::string::npos);
}

TEST(PackedMap, rejects_sizes_as_the_driver_says) {
  uint64_t sizes[] = {256, 4}, strides[] = {128};
  uint32_t steps[] = {1, 1}, box[] = {128, 4};
  TensorShape shape{.element = TensorMap::u4_padded,
                    .dimensions = 2,
                    .address = 4096,
                    .sizes = sizes,
                    .strides = strides,
                    .steps = steps,
                    .swizzle = 3};
  TensorMap map;
  EXPECT_EQ(encode_tiled(shape, box, map), "");
  box[0] = 64;
  EXPECT_EQ(encode_tiled(shape, box, map),
            "a row of the box has 64 elements: those that are padded to 16 bytes need 128");
  box[0] = 128;
  sizes[0] = 192;
  EXPECT_NE(encode_tiled(shape, box, map).find("need a multiple of 128"), std::string::npos);
  sizes[0] = 256;
  strides[0] = 144;
  EXPECT_EQ(encode_tiled(shape, box, map), "stride 144 of dimension 1: padded elements need a multiple of 32");
  strides[0] = 128;
  shape.address = 4112;
  EXPECT_EQ(encode_tiled(shape, box, map), "the address is not a multiple of 32: padded elements need that");
  shape.address = 4096;
  shape.swizzle = 2;
  EXPECT_EQ(encode_tiled(shape, box, map), "padded elements allow no swizzle but that of 128 bytes");
  shape.swizzle = 0;
  shape.fill = 1;
  EXPECT_EQ(encode_tiled(shape, box, map), "only floating-point elements can be filled with NaN");
  shape.fill = 0;
  shape.element = TensorMap::u4;
  sizes[0] = 129;
  EXPECT_NE(encode_tiled(shape, box, map).find("elements of 4 bits need a multiple of 2"), std::string::npos);
  shape.element = 16;
  EXPECT_EQ(encode_tiled(shape, box, map), "there are no elements of type 16, only of 0 to 15");
}

}  // namespace
}  // namespace bankshot::simt

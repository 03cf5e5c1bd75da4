// Four rows of a tensor, wherever they are: .tile::gather4 and .tile::scatter4.
#include "tensor_copy_harness.hpp"

namespace bankshot::simt {
namespace {

TEST_F(TensorCopy, four_rows_are_gathered_and_scattered) {
  // 16 x 8 words: rows 5, -1, 2 and 7 from column 12 on, of which four elements are there. They are stored in rows 0,
  // 1, 9 (which is not there) and 3 from column 4 on.
  const uint64_t sizes[] = {16, 8}, strides[] = {64};
  const uint32_t steps[] = {1, 1}, box[] = {8, 1};
  std::vector<uint32_t> data(128);
  for (uint32_t i = 0; i < data.size(); ++i) data[i] = 1000 + i;
  const auto result = run_with(
      "@!%p2 bra B; cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%rd1, {12, 5, -1, 2, 7}];"
      "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r20], "
      "[%rd1, {12, 5, -1, 2, 7}], [%r21];\nB:" +
          wait(128) +
          "@%p2 cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {4, 0, 1, 9, 3}], [%r20];"
          "ret;",
      256, {.element = TensorMap::u32, .dimensions = 2, .sizes = sizes, .strides = strides, .steps = steps},
      [&](const TensorShape& shape, TensorMap& map) { return encode_tiled(shape, box, map); }, data);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 128; ++i) {
    const uint32_t column = i % 16, row = i / 16, k = column - 4;  // of the box
    const bool stored = column >= 4 && column < 12 && (row == 0 || row == 1 || row == 3);
    const uint32_t gathered = row == 0 ? 1000 + 5 * 16 + 12 + k : 1000 + 7 * 16 + 12 + k;
    EXPECT_EQ(out[64 + i], !stored ? 1000 + i : row == 1 || k >= 4 ? 0 : gathered) << column << ' ' << row;
  }
}

TEST_F(TensorCopy, rejects_gathers_of_other_boxes_and_dimensions) {
  const uint64_t sizes[] = {16, 8}, strides[] = {64};
  const uint32_t steps[] = {1, 1}, box[] = {8, 2};
  const std::string gather =
      "@%p2 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r20], ";
  const auto result =
      run_with(gather + "[%rd1, {0, 0, 1, 2, 3}], [%r21]; ret;", 256,
               {.element = TensorMap::u32, .dimensions = 2, .sizes = sizes, .strides = strides, .steps = steps},
               [&](const TensorShape& shape, TensorMap& map) { return encode_tiled(shape, box, map); }, {});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("a box of one row, not of 2"), std::string::npos) << result.error().message;
  EXPECT_NE(refusal(kernel(kBegin + gather + "[%rd1, {0, 0}], [%r21]; ret;")).find("5 coordinates in braces"),
            std::string::npos);
  EXPECT_NE(refusal(kernel(kBegin +
                           "cp.async.bulk.tensor.3d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {0, 0, 1, 2, "
                           "3}], [%r20]; ret;"))
                .find("gather4 and scatter4 take tensors of 2 dimensions"),
            std::string::npos);
}

}  // namespace
}  // namespace bankshot::simt

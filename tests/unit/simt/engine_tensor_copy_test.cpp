// Boxes of tensors and copies in bulk that combine, on the engine. What nvcc's programs do with them:
// tests/cuda/tensor_maps.cu.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tensor_copy_harness.hpp"

namespace bankshot::simt {
namespace {

TEST(TensorMap, swizzles_are_those_of_cute_in_bytes) {
  // Swizzle<1,4,3>: bit 4 ^= bit 7; <2,4,3>: bits 4, 5 ^= 7, 8; <3,4,3>: bits 4..6 ^= 7..9.
  const auto at = [](uint8_t swizzle, TensorMap::Atomicity atomicity, uint64_t address) {
    TensorMap map;
    map.swizzle = swizzle;
    map.atomicity = atomicity;
    return swizzled(map, address);
  };
  EXPECT_EQ(at(0, TensorMap::by_16, 0x3ff), 0x3ffu);
  EXPECT_EQ(at(1, TensorMap::by_16, 0x080), 0x090u);
  EXPECT_EQ(at(1, TensorMap::by_16, 0x100), 0x100u);
  EXPECT_EQ(at(2, TensorMap::by_16, 0x180), 0x1b0u);
  EXPECT_EQ(at(2, TensorMap::by_16, 0x205), 0x205u);
  EXPECT_EQ(at(3, TensorMap::by_16, 0x384), 0x3f4u);
  EXPECT_EQ(at(3, TensorMap::by_16, 0x3f4), 0x384u) << "twice is not at all";
  EXPECT_EQ(at(3, TensorMap::by_16, 0x400), 0x400u);
  EXPECT_EQ(at(3, TensorMap::by_32, 0x084), 0x0a4u);
  EXPECT_EQ(at(3, TensorMap::by_32, 0x180), 0x1e0u);
  EXPECT_EQ(at(3, TensorMap::by_32, 0x210), 0x210u);
  EXPECT_EQ(at(3, TensorMap::by_64, 0x080), 0x0c0u);
  EXPECT_EQ(at(3, TensorMap::by_64, 0x130), 0x130u);
}

TEST_F(TensorCopy, im2col_takes_pixels_of_a_bounding_box) {
  // Images of 4 x 3 pixels of 4 channels (words), padded by one pixel as for a filter of 3 x 3: corners -1 and -1. Ten
  // pixels from (w, h, n) = (1, 1, 0), looked at one further in w and two further in h. Starts: the box is w in [-1,
  // 2], h in [-1, 1].
  const uint64_t sizes[] = {4, 4, 3, 2}, strides[] = {16, 64, 192};
  const uint32_t steps[] = {1, 1, 1, 1};
  const int lower[] = {-1, -1}, upper[] = {-1, -1};
  std::vector<uint32_t> data(4 * 4 * 3 * 2);
  for (uint32_t i = 0; i < data.size(); ++i) data[i] = 1000 + i;
  const auto result = run_with(
      ".reg .b16 %rs<8>; mov.u16 %rs1, 1; mov.u16 %rs2, 2; @!%p2 bra B; "
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
      "[%r20], [%rd1, {0, 1, 1, 0}], [%r21], {%rs1, %rs2};\nB:" +
          wait(160) +
          "mad.lo.u32 %r3, %r1, 4, %r20; mad.wide.u32 %rd3, %r1, 4, %rd1; ld.shared.u32 %r4, [%r3]; st.global.u32 "
          "[%rd3+1024], %r4;"
          "setp.lt.u32 %p3, %r1, 8; @%p3 ld.shared.u32 %r4, [%r3+128]; @%p3 st.global.u32 [%rd3+1152], %r4; ret;",
      512, {.element = TensorMap::u32, .dimensions = 4, .sizes = sizes, .strides = strides, .steps = steps},
      [&](const TensorShape& shape, TensorMap& map) { return encode_im2col(shape, lower, upper, 4, 10, map); }, data);
  ASSERT_TRUE(result) << result.error().message;
  // By hand: starts (1,1), (2,1), then image 1 from (-1,-1): (-1,-1) (0,-1) (1,-1) (2,-1) (-1,0) (0,0) (1,0) (2,0),
  // each plus (1, 2).
  const int w[] = {2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, h[] = {3, 3, 1, 1, 1, 1, 2, 2, 2, 2},
            n[] = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  for (uint32_t pixel = 0; pixel < 10; ++pixel) {
    for (uint32_t c = 0; c < 4; ++c) {
      const auto at = static_cast<uint32_t>(((n[pixel] * 3 + h[pixel]) * 4 + w[pixel]) * 4) + c;
      EXPECT_EQ(out[256 + pixel * 4 + c], h[pixel] < 3 ? 1000 + at : 0) << pixel;
    }
  }
}

TEST_F(TensorCopy, rows_of_a_box_are_counted_as_rows_of_banks) {
  const uint64_t sizes[] = {64, 8}, strides[] = {256};
  const uint32_t steps[] = {1, 1}, box[] = {32, 8};
  const auto result = run_with(
      "@!%p2 bra B; cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd1, "
      "{0, 0}], [%r21];\nB:" +
          wait(1024) + "ret;",
      1024,
      {.element = TensorMap::u32, .dimensions = 2, .sizes = sizes, .strides = strides, .steps = steps, .swizzle = 3},
      [&](const TensorShape& shape, TensorMap& map) { return encode_tiled(shape, box, map); },
      std::vector<uint32_t>(512, 5));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->sites.at(0).counter.wavefronts, 8u);
  EXPECT_EQ(result->sites.at(0).counter.ideal, 8u);
}

TEST_F(TensorCopy, rows_go_on_in_what_is_mapped_behind) {
  // Two rows of 256 bytes, each half in one mapping and half in the next, are read, and stored where the second ends
  // and a third begins.
  constexpr uint64_t kPart = 4096;
  Memory& memory = engine().memory();
  const uint64_t range = *memory.reserve(4 * kPart, kPart);
  for (uint64_t k = 0; k < 3; ++k) ASSERT_TRUE(memory.map(range + k * kPart, kPart));
  const uint64_t maps = *memory.allocate(256, MemoryKind::device);
  const uint64_t sizes[] = {64, 2}, strides[] = {kPart};
  const uint32_t steps[] = {1, 1}, box[] = {64, 1};
  TensorMap map;
  const TensorShape shape{.element = TensorMap::u32,
                          .dimensions = 2,
                          .address = range + kPart - 128,
                          .sizes = sizes,
                          .strides = strides,
                          .steps = steps};
  ASSERT_EQ(encode_tiled(shape, box, map), "");
  std::memcpy(reinterpret_cast<void*>(maps), static_cast<const void*>(&map), sizeof map);
  auto* const row = reinterpret_cast<uint32_t*>(range + kPart - 128);
  for (uint32_t i = 0; i < 64; ++i) row[i] = 100 + i;
  const auto launch = [&](const std::string& body) {
    auto program = engine().load(kernel(kBegin + body, "\n"), "test.ptx");
    EXPECT_TRUE(program) << body;
    LaunchConfig config;
    config.block = {32};
    config.params = std::as_bytes(std::span(&maps, 1));
    return engine().launch(**program, "k", config);
  };
  const std::string load =
      "@!%p2 bra B; cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd1, "
      "{0, 0}], [%r21];\nB:" +
      wait(256);
  const auto result =
      launch(load + "@%p2 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, 1}], [%r20]; ret;");
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(row[kPart / 4 + i], 100 + i) << i;
  // Nothing is mapped behind the third.
  const uint64_t last = range + 3 * kPart - 128;
  ASSERT_EQ(replace_address(*reinterpret_cast<TensorMap*>(maps), last), "");
  const auto fault = launch(load + "ret;");
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().kind, Fault::Kind::illegal_address);
}

TEST_F(TensorCopy, boxes_are_stored_and_combined) {
  // 16 x 4 words with numbers, boxes of 8 x 2. Word i of shared memory is 100 + i; the box at column 12, row 1 is
  // stored, of which half is outside, that at 0, 2 is added.
  const uint64_t sizes[] = {16, 4}, strides[] = {64};
  const uint32_t steps[] = {1, 1}, box[] = {8, 2};
  std::vector<uint32_t> data(64);
  for (uint32_t i = 0; i < data.size(); ++i) data[i] = 1000 + i;
  const auto result = run_with(
      "add.u32 %r3, %r1, 100; shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r20; st.shared.u32 [%r4], %r3; "
      "fence.proxy.async.shared::cta; "
      "bar.sync 0; @!%p2 bra B; cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {0, 2}];"
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {12, 1}], [%r20];"
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%rd1, {0, 2}], [%r20];"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nB: ret;",
      1024, {.element = TensorMap::u32, .dimensions = 2, .sizes = sizes, .strides = strides, .steps = steps},
      [&](const TensorShape& shape, TensorMap& map) { return encode_tiled(shape, box, map); }, data);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t column = i % 16, row = i / 16;
    uint32_t wanted = 1000 + i;
    if (column >= 12 && (row == 1 || row == 2)) wanted = 100 + (row - 1) * 8 + column - 12;
    if (column < 8 && row >= 2) wanted += 100 + (row - 2) * 8 + column;
    EXPECT_EQ(out[64 + i], wanted) << "column " << column << ", row " << row;
  }
}

TEST_F(TensorCopy, what_lies_outside_the_tensor_is_not_stored) {
  // PTX ISA 9.0, section 5.5.3: of a box of 8 x 2 words at column -4, row -1 only four words of its second row are
  // inside; they are words 12 to 15 of shared memory. A sum at column 13, row -1 has three.
  const uint64_t sizes[] = {16, 4}, strides[] = {64};
  const uint32_t steps[] = {1, 1}, box[] = {8, 2};
  std::vector<uint32_t> data(64, 1000);
  const auto result = run_with(
      "add.u32 %r3, %r1, 100; shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r20; st.shared.u32 [%r4], %r3; "
      "fence.proxy.async.shared::cta; bar.sync 0;"
      "@%p2 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {-4, -1}], [%r20];"
      "@%p2 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%rd1, {13, -1}], [%r20]; ret;",
      1024, {.element = TensorMap::u32, .dimensions = 2, .sizes = sizes, .strides = strides, .steps = steps},
      [&](const TensorShape& shape, TensorMap& map) { return encode_tiled(shape, box, map); }, data);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(out[64 + i], i < 4 ? 112 + i : i >= 13 && i < 16 ? 1108 + i - 13 : 1000) << i;
  // Nor is anything before the tensor.
  for (uint32_t i = 32; i < 64; ++i) EXPECT_EQ(out[i], 0u) << i;
}

TEST_F(TensorCopy, bits_of_boxes_are_combined) {
  // Each in a row of its own: 0xf0 and-ed, or-ed and xor-ed with what is there.
  const uint64_t sizes[] = {8, 3}, strides[] = {32};
  const uint32_t steps[] = {1, 1}, box[] = {8, 1};
  std::vector<uint32_t> data(24);
  for (uint32_t i = 0; i < data.size(); ++i) data[i] = 0x30 + i;
  std::string all;
  const char* const operations[] = {"and", "or", "xor"};
  for (int row = 0; row < 3; ++row)
    all += "cp.reduce.async.bulk.tensor.2d.global.shared::cta." + std::string(operations[row]) +
           ".bulk_group [%rd1, {0, " + std::to_string(row) + "}], [%r20];";
  const auto result = run_with(
      "shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r20; st.shared.u32 [%r4], 0xf0; fence.proxy.async.shared::cta; "
      "bar.sync 0; @!%p2 bra B;" +
          all + "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nB: ret;",
      1024, {.element = TensorMap::s32, .dimensions = 2, .sizes = sizes, .strides = strides, .steps = steps},
      [&](const TensorShape& shape, TensorMap& map) { return encode_tiled(shape, box, map); }, data);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 24; ++i) {
    const uint32_t was = 0x30 + i;
    EXPECT_EQ(out[64 + i], i < 8 ? was & 0xf0 : i < 16 ? was | 0xf0 : was ^ 0xf0) << i;
  }
}

TEST_F(TensorCopy, descriptors_are_changed_in_memory) {
  // A map of 64 x 8 words becomes one of 16 x 2 at 512 bytes further, with rows of 128 bytes, read in boxes of 8 x 4;
  // the change is made in shared memory and copied back.
  const uint64_t sizes[] = {64, 8}, strides[] = {256};
  const uint32_t steps[] = {1, 1}, box[] = {32, 8};
  std::vector<uint32_t> data(256);
  for (uint32_t i = 0; i < data.size(); ++i) data[i] = 1000 + i;
  const auto result = run_with(
      "mad.wide.u32 %rd2, %r1, 4, %rd1; ld.global.u32 %r3, [%rd2]; mad.lo.u32 %r4, %r1, 4, %r20; st.shared.u32 "
      "[%r4+1024], %r3; bar.sync 0;"
      "@!%p2 bra C; add.u64 %rd3, %rd1, 768; tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r20+1024], "
      "%rd3;"
      "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r20+1024], 0, 16; "
      "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 "
      "[%r20+1024], 1, 2; mov.u64 %rd4, 128; tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r20+1024], "
      "0, %rd4;"
      "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r20+1024], 0, 8; "
      "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 "
      "[%r20+1024], 1, 4;\nC: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
      "[%rd1], "
      "[%r20+1024], 128; fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;"
      "@!%p2 bra B; cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd1, {12, "
      "1}], [%r21];\nB:" +
          wait(128) + "ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd2+2048], %r5; ret;",
      1024, {.element = TensorMap::u32, .dimensions = 2, .sizes = sizes, .strides = strides, .steps = steps},
      [&](const TensorShape& shape, TensorMap& map) { return encode_tiled(shape, box, map); }, data);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 32; ++i)  // row 1 from column 12: four elements of it are there
    EXPECT_EQ(out[512 + i], i < 4 ? 1000 + 128 + 32 + 12 + i : 0) << i;
}

TEST_F(TensorCopy, selected_bytes_are_copied) {
  // Of every 16 bytes those of bits 0 and 5 of the mask, 0x21; then none.
  const auto result =
      run(kernel(kBegin + "mad.lo.u32 %r3, %r1, 4, %r20; st.shared.u32 [%r3], 0x44332211; mad.wide.u32 %rd2, "
                          "%r1, 4, %rd1; st.global.u32 [%rd2], 0xffffffff; fence.proxy.async; bar.sync 0;"
                          ".reg .b16 %h<3>; .reg .b64 %hint; mov.u16 %h1, 0x21; mov.u16 %h2, 0; mov.u64 %hint, 0;"
                          "@!%p2 bra B; cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r20], 32, "
                          "%h1; cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%rd1+32], "
                          "[%r20], 32, %hint, %h2; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nB: "
                          "ret;"),
          {1}, {32}, 32);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i < 8 && i % 4 == 0 ? 0xffffff11 : i < 8 && i % 4 == 1 ? 0xffff22ff : 0xffffffff) << i;
}

TEST_F(TensorCopy, descriptors_are_made_of_zeros) {
  // As Triton makes them: 8 x 4 floats in boxes of 4 x 2, filled with NaN; element type 7 is f32.
  const std::string set = "tensormap.replace.tile.", there = ".shared::cta.b1024.b32 [%r20+1024], ";
  const std::string make =
      set + "global_address.shared::cta.b1024.b64 [%r20+1024], %rd3;" + set + "rank" + there + "1;" + set + "box_dim" +
      there + "0, 4;" + set + "box_dim" + there + "1, 2;" + set + "global_dim" + there + "0, 8;" + set + "global_dim" +
      there + "1, 4;" + set + "global_stride.shared::cta.b1024.b64 [%r20+1024], 0, 32;" + set + "element_stride" +
      there + "0, 1;" + set + "element_stride" + there + "1, 1;" + set + "elemtype" + there + "7;" + set +
      "interleave_layout" + there + "0;" + set + "swizzle_mode" + there + "0;" + set + "fill_mode" + there + "1;";
  const auto result =
      run(kernel(kBegin +
                 "mad.wide.u32 %rd2, %r1, 4, %rd1; add.u32 %r5, %r1, 500; st.global.u32 [%rd2+256], %r5; add.u64 %rd3, "
                 "%rd1, 256; bar.sync 0; @%p2 st.bulk.weak.shared::cta [%r20+1024], 128, 0; @!%p2 bra C;" +
                 make +
                 "\nC: bar.warp.sync 0xffffffff; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."
                 "gpu.sync.aligned [%rd1], [%r20+1024], 128; fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;"
                 "@!%p2 bra B; cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r20], [%rd1, "
                 "{6, 3}], [%r21];\nB:" +
                 wait(32) +
                 "setp.lt.u32 %p3, %r1, 8; mad.lo.u32 %r4, %r1, 4, %r20; @%p3 ld.shared.u32 %r5, [%r4]; @%p3 "
                 "st.global.u32 [%rd2+512], %r5; ret;"),
          {1}, {32}, 256);
  ASSERT_TRUE(result) << result.error().message;
  // Row 3 from column 6: two elements are there.
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(out[128 + i], i < 2 ? 500 + 3 * 8 + 6 + i : 0x7fffffffu) << i;
}

TEST_F(TensorCopy, rejects_what_does_not_fit) {
  const uint64_t sizes[] = {64, 8}, strides[] = {256};
  const uint32_t steps[] = {1, 1}, box[] = {32, 8};
  const TensorShape shape{
      .element = TensorMap::u32, .dimensions = 2, .sizes = sizes, .strides = strides, .steps = steps};
  const auto encode = [&](const TensorShape& given, TensorMap& map) { return encode_tiled(given, box, map); };
  const auto message = [&](const std::string& copy, size_t words = 1024) {
    const auto result =
        run_with("@!%p2 bra B; " + copy + "\nB: ret;", words, shape, encode, std::vector<uint32_t>(64, 5));
    return result ? "" : result.error().message;
  };
  const std::string load = "cp.async.bulk.tensor.";
  const std::string rest = ".shared::cta.global.mbarrier::complete_tx::bytes ";
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(message(load + "3d" + rest + "[%r20], [%rd1, {0, 0, 0}], [%r21];"),
                  "a tensor map of 2 dimensions, but a copy of 3"));
  EXPECT_TRUE(has(message(load + "2d" + rest + "[%r20+64], [%rd1, {0, 0}], [%r21];"), "aligned to 128 bytes"));
  EXPECT_TRUE(has(message(load + "2d" + rest + "[%r20], [%rd1+32, {0, 0}], [%r21];"), "aligned to 64 bytes"));
  EXPECT_TRUE(has(message(load + "2d" + rest + "[%r20], [%rd1+128, {0, 0}], [%r21];"), "there is no tensor map here"));
  EXPECT_TRUE(has(message(load + "2d" + rest + "[%r20+8704], [%rd1, {0, 0}], [%r21];"), "shared memory"));
  EXPECT_TRUE(has(message(load + "2d" + rest + "[%r20], [%rd1, {0, 0}], [%r21];", 128), "past the end of"));
  // What was replaced field by field is looked at when it is used.
  const std::string replace = "tensormap.replace.tile.";
  EXPECT_TRUE(has(message(replace + "box_dim.global.b1024.b32 [%rd1], 0, 6; " + load + "2d" + rest +
                          "[%r20], [%rd1, {0, 0}], [%r21];"),
                  "24 bytes, no multiple of 16"));
  EXPECT_TRUE(has(message(replace + "fill_mode.global.b1024.b32 [%rd1], 1; " + load + "2d" + rest +
                          "[%r20], [%rd1, {0, 0}], [%r21];"),
                  "only floating-point elements can be filled with NaN"));
  EXPECT_TRUE(has(message(replace + "swizzle_mode.global.b1024.b32 [%rd1], 1; " + load + "2d" + rest +
                          "[%r20], [%rd1, {0, 0}], [%r21];"),
                  "128 bytes, the swizzle allows 32"));
  EXPECT_EQ(message(replace + "rank.global.b1024.b32 [%rd1], 2; " + load + "3d" + rest +
                    "[%r20], [%rd1, {0, 0, 0}], [%r21];"),
            "");
  EXPECT_TRUE(has(refusal(kernel(kBegin + load + "2d" + rest + "[%r20], [%rd1, {0, 0, 0}], [%r21]; ret;")),
                  "and 2 coordinates"));
  EXPECT_TRUE(
      has(refusal(kernel(kBegin +
                         "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r20], "
                         "[%rd1, {0, 0}], [%r21], {}; ret;")),
          "im2col takes tensors of 3 to 5 dimensions"));
}

TEST(TensorMap, rejects_sizes_as_the_driver_says) {
  const uint64_t sizes[] = {64, 8}, strides[] = {256};
  const uint32_t steps[] = {1, 1};
  TensorMap map;
  TensorShape shape{
      .element = TensorMap::u32, .dimensions = 2, .address = 4096, .sizes = sizes, .strides = strides, .steps = steps};
  const uint32_t box[] = {32, 8}, wide[] = {64, 8};
  EXPECT_EQ(encode_tiled(shape, box, map), "");
  EXPECT_EQ(map.stride(0), 4u);
  EXPECT_EQ(map.stride(1), 256u);
  EXPECT_EQ(replace_address(map, 8192), "");
  EXPECT_EQ(map.address, 8192u);
  EXPECT_EQ(replace_address(map, 8200), "the address is not a multiple of 16");
  shape.swizzle = 3;
  EXPECT_EQ(encode_tiled(shape, wide, map), "a row of the box has 256 bytes, the swizzle allows 128");
  shape.interleave = 1;
  EXPECT_NE(encode_tiled(shape, box, map).find("interleaved layouts"), std::string::npos);
}

TEST(TensorMap, rejects_bytes_that_are_no_descriptor) {
  TensorMap map;
  map.box[0] = 16;
  map.steps[0] = 1;
  EXPECT_EQ(what_is_wrong(map), "");
  const auto is_told = [&](auto change) {
    TensorMap changed = map;
    change(changed);
    return what_is_wrong(changed).find("changed by something other") != std::string::npos;
  };
  for (uint8_t TensorMap::* field : {&TensorMap::element, &TensorMap::dimensions, &TensorMap::swizzle})
    EXPECT_TRUE(is_told([&](TensorMap& m) { m.*field = 200; }));
  EXPECT_TRUE(is_told([](TensorMap& m) { m.mode = static_cast<TensorMap::Mode>(2); }));
  EXPECT_TRUE(is_told([](TensorMap& m) { m.mode = TensorMap::im2col; }));  // of one dimension
  for (const int steps : {0, 9}) EXPECT_TRUE(is_told([&](TensorMap& m) { m.steps[0] = static_cast<uint8_t>(steps); }));
  for (const int box : {0, 257, 4096})
    EXPECT_TRUE(is_told([&](TensorMap& m) { m.box[0] = static_cast<uint16_t>(box); }));
}

TEST(TensorMap, elements_of_tf32_are_rounded_and_those_of_ftz_flushed) {
  struct Case {
    uint32_t given, ftz, tf32, both;
  };
  // tf32 keeps the upper 19 bits: 0x2000 is its last place, 0x1000 a tie.
  const Case cases[] = {
      {0x3f801000, 0x3f801000, 0x3f800000, 0x3f800000},  // ties to even: down
      {0x3f803000, 0x3f803000, 0x3f804000, 0x3f804000},  // … and up
      {0x3f801001, 0x3f801001, 0x3f802000, 0x3f802000},  // above a tie
      {0xbf800fff, 0xbf800fff, 0xbf800000, 0xbf800000},  // below one, negative
      {0x3ffff000, 0x3ffff000, 0x40000000, 0x40000000},  // into the next exponent
      {0x7f7fffff, 0x7f7fffff, 0x7f800000, 0x7f800000},  // the largest: infinity
      {0xff800000, 0xff800000, 0xff800000, 0xff800000},  // infinity
      {0x7f800001, 0x7f800001, 0x7f800001, 0x7f800001},  // NaN, with a payload that would be lost
      {0x80003001, 0x80000000, 0x80004000, 0x80000000},  // subnormal
      {0x007fffff, 0x00000000, 0x00800000, 0x00000000},  // the largest of them: flushed before it could be rounded
      {0x00800000, 0x00800000, 0x00800000, 0x00800000},  // the least normal one
  };
  for (const Case& c : cases) {
    for (const auto& [element, expected] :
         {std::pair(TensorMap::f32_ftz, c.ftz), {TensorMap::tf32, c.tf32}, {TensorMap::tf32_ftz, c.both}}) {
      TensorMap map;
      map.element = element;
      EXPECT_TRUE(map.converts());
      std::array<uint32_t, 3> elements = {1, c.given, 1};
      convert_loaded(map, reinterpret_cast<std::byte*>(&elements[1]), 1);
      EXPECT_EQ(elements[1], expected) << std::hex << c.given << ' ' << int{element};
      EXPECT_EQ(elements[0] + elements[2], 2u);
    }
  }
}

TEST_F(TensorCopy, elements_of_tf32_are_rounded_when_loaded_and_not_when_stored) {
  // 32 elements from column 48 of 64: 16 that are there, and NaN outside. They are stored as they are, in columns 0
  // to 31.
  const uint64_t sizes[] = {64, 1}, strides[] = {256};
  const uint32_t steps[] = {1, 1}, box[] = {32, 1};
  std::vector<uint32_t> data(64);
  for (uint32_t i = 0; i < 64; ++i) data[i] = 0x3f801001 + (i << 13);
  const TensorShape shape{
      .element = TensorMap::tf32, .dimensions = 2, .sizes = sizes, .strides = strides, .steps = steps, .fill = 1};
  const auto encode = [&](const TensorShape& given, TensorMap& map) { return encode_tiled(given, box, map); };
  const std::string load =
      "@!%p2 bra B; cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd1, "
      "{48, 0}], [%r21];\nB:" +
      wait(128) +
      "mad.lo.u32 %r4, %r1, 4, %r20; ld.shared.u32 %r5, [%r4]; mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 "
      "[%rd2+1024], %r5;"
      "xor.b32 %r5, %r1, 0x3f801003; st.shared.u32 [%r4], %r5; bar.sync 0;";
  const auto result =
      run_with(load + "@%p2 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, 0}], [%r20]; ret;",
               512, shape, encode, data);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[256 + i], i < 16 ? 0x3f802000 + ((48 + i) << 13) : 0x7fffffffu) << i;
    EXPECT_EQ(out[64 + i], i ^ 0x3f801003) << i;
  }
  const auto reduced = run_with(
      load + "@%p2 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {0, 0}], [%r20]; ret;",
      512, shape, encode, data);
  ASSERT_FALSE(reduced);
  EXPECT_NE(reduced.error().message.find("tf32 are not supported"), std::string::npos) << reduced.error().message;
}

TEST_F(TensorCopy, copies_in_bulk_combine_with_what_is_there) {
  // 32 words of 1, 2, … in shared memory: added to global memory, as floats too; then the larger of each with shared
  // memory.
  const auto result = run(
      kernel(
          kBegin +
          "add.u32 %r2, %r1, 1; cvt.rn.f32.u32 %f1, %r2; mad.lo.u32 %r3, %r1, 4, %r20; st.shared.u32 [%r3], %r2;"
          "st.shared.f32 [%r3+128], %f1; mul.lo.u32 %r4, %r2, %r2; and.b32 %r4, %r4, 15; st.shared.u32 [%r3+256], %r4;"
          "mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], 100; st.global.f32 [%rd2+128], 0f3F000000; bar.sync "
          "0; @!%p2 bra B;"
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r20], 128;"
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1+128], [%r20+128], 128;"
          "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.u32 [%r20], [%r20+256], "
          "128, [%r21];\nB:" +
          wait(128) + "ld.shared.u32 %r5, [%r3]; st.global.u32 [%rd2+256], %r5; ret;"),
      {1}, {32}, 96);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], 101 + i);
    float sum;
    std::memcpy(&sum, &out[32 + i], 4);
    EXPECT_EQ(sum, 1.5f + static_cast<float>(i));
    EXPECT_EQ(out[64 + i], std::max((i + 1) * (i + 1) & 15, i + 1));
  }
  EXPECT_FALSE(result->parallel);
}

TEST_F(TensorCopy, rejects_reductions_that_are_not_there) {
  const auto refused = [&](const std::string& text) { return !refusal(kernel(kBegin + text + " ret;")).empty(); };
  EXPECT_TRUE(refused("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [%r20], 128;"))
      << "wants .noftz";
  EXPECT_FALSE(refused("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd1], [%r20], 128;"));
  EXPECT_TRUE(refused("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [%rd1], [%r20], 128;"));
  EXPECT_TRUE(
      refused("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32 [%r20], [%r20], "
              "128, [%r21];"));
}

// CUTLASS 3 and 4 do so to every descriptor (make_tma_copy_desc), as a remedy for a mistake of drivers.
TEST(TensorMap, outlives_that_bit_21_of_its_second_word_is_cleared) {
  TensorMap map;
  map.address = ~uint64_t{0};
  uint64_t words[sizeof map / 8];
  std::memcpy(words, &map, sizeof map);
  words[1] &= ~(uint64_t{1} << 21);
  TensorMap after;
  std::memcpy(static_cast<void*>(&after), words, sizeof after);
  EXPECT_EQ(after.address, map.address);
  EXPECT_EQ(after.mark, TensorMap::kMark);
}

}  // namespace
}  // namespace bankshot::simt

// Texture and surface instructions as PTX: every form decodes, and gives what the rules in
// tests/unit/texture/texture_test.cpp say.
#include "bankshot/texture/sample.hpp"
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

using texture::Channel;
using texture::Shape;
using texture::Texture;

class EngineTextureTest : public EngineTest {
 protected:
  /// 8 x 4 texels of f32, or as told, in device memory: texel (x, y, z) is 32 z + 8 y + x + 1.
  Texture image(Shape shape, bool layered = false, uint32_t depth = 1) {
    Texture made;
    made.shape = shape;
    made.layered = layered;
    made.format = {Channel::f32, 1};
    const uint32_t height = shape == Shape::line ? 1 : shape == Shape::cube ? 8 : 4;
    const uint64_t bytes = uint64_t{8} * height * depth * 4;
    made.memory = *engine().memory().allocate(bytes, MemoryKind::device, 256, "a CUDA array");
    made.bytes = bytes;
    made.levels = {{made.memory, 8, height, depth, 32, 32ull * height}};
    auto* texels = reinterpret_cast<float*>(made.memory);
    for (size_t k = 0; k < bytes / 4; ++k) texels[k] = static_cast<float>(k + 1);
    return made;
  }
  Texture surface(Shape shape, bool layered = false, uint32_t depth = 1) {
    Texture made = image(shape, layered, depth);
    made.is_surface = true;
    return made;
  }
  /// Runs `body` in one thread with the handle in %rd3 and stores %r1 to %r4.
  std::vector<uint32_t> words(Texture texture, const std::string& body) {
    handle = engine().textures().add(std::move(texture));
    const auto result = run(kernel("mov.u64 %rd3, " + std::to_string(handle) + ";\n" + body +
                                   "\nst.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};"),
                            {1, 1, 1}, {1, 1, 1}, 4);
    message = result ? "" : result.error().message;
    return out;
  }
  float first(Texture texture, const std::string& instruction) {
    const uint32_t bits = words(std::move(texture),
                                "mov.b32 %f1, 0f40200000; mov.b32 %f2, 0f3FC00000; mov.b32 %f3, 0f3F000000;"
                                "mov.b32 %r5, 2; mov.b32 %r6, 1; mov.b32 %r7, 0;\n" +
                                    instruction)[0];
    return std::bit_cast<float>(bits);
  }
  uint64_t handle = 0;
  std::string message;
  static inline const std::string d = "{%r1, %r2, %r3, %r4}";
};

// %f1 = 2.5, %f2 = 1.5, %f3 = 0.5; %r5 = 2, %r6 = 1, %r7 = 0.

TEST_F(EngineTextureTest, every_geometry_fetches_its_texel) {
  EXPECT_EQ(first(image(Shape::line), "tex.1d.v4.f32.f32 " + d + ", [%rd3, {%f1}];"), 3);
  EXPECT_EQ(first(image(Shape::line), "tex.1d.v4.f32.s32 " + d + ", [%rd3, {%r5}];"), 3);
  EXPECT_EQ(first(image(Shape::line), "tex.1d.v4.f32.s32 " + d + ", [%rd3, {%r5, %r6, %r6, %r6}];"), 3);
  EXPECT_EQ(first(image(Shape::line), "tex.1d.v4.f32.s32 " + d + ", [%rd3, %r5];"), 3);
  EXPECT_EQ(first(image(Shape::plane), "tex.2d.v4.f32.f32 " + d + ", [%rd3, {%f1, %f2}];"), 11);
  EXPECT_EQ(first(image(Shape::plane), "tex.base.2d.v4.f32.s32 " + d + ", [%rd3, {%r5, %r6}];"), 11);
  EXPECT_EQ(first(image(Shape::volume, false, 2), "tex.3d.v4.f32.f32 " + d + ", [%rd3, {%f1, %f2, %f2, %f2}];"), 43);
  EXPECT_EQ(first(image(Shape::line, true, 3), "tex.a1d.v4.f32.f32 " + d + ", [%rd3, {%r5, %f1}];"), 19);
  EXPECT_EQ(first(image(Shape::plane, true, 3), "tex.a2d.v4.f32.f32 " + d + ", [%rd3, {%r6, %f1, %f2, %f2}];"), 43);
  // (0.5, 1.5, 2.5): face 4, s = 0.6, t = 0.2: texel (4, 1) of 8 x 8.
  EXPECT_EQ(first(image(Shape::cube, false, 6), "tex.cube.v4.f32.f32 " + d + ", [%rd3, {%f3, %f2, %f1, %f1}];"),
            4 * 64 + 8 + 4 + 1);
  EXPECT_EQ(first(image(Shape::cube, true, 12), "tex.acube.v4.f32.f32 " + d + ", [%rd3, {%r6, %f3, %f2, %f1}];"),
            10 * 64 + 8 + 4 + 1);
}

TEST_F(EngineTextureTest, levels_and_gradients) {
  Texture both = image(Shape::plane);
  const Texture large = both;
  both.sampler.normalised_coordinates = true;
  both.sampler.level_max = 8;
  both.levels.push_back({large.memory + 4, 1, 1, 1, 32, 32});  // the second texel stands for a level of one
  EXPECT_EQ(first(both, "tex.level.2d.v4.f32.f32 " + d + ", [%rd3, {0f00000000, 0f00000000}], 0f3F800000;"), 2);
  EXPECT_EQ(first(both, "tex.level.2d.v4.f32.f32 " + d + ", [%rd3, {0f00000000, 0f00000000}], 0f00000000;"), 1);
  EXPECT_EQ(first(both, "tex.grad.2d.v4.f32.f32 " + d + ", [%rd3, {0f00000000, 0f00000000}], {%f3, %f3}, {%f3, %f3};"),
            2);
}

TEST_F(EngineTextureTest, integers_halves_predicates_and_sinks) {
  Texture bytes = image(Shape::plane);
  bytes.format = {Channel::s8, 4};
  *reinterpret_cast<uint32_t*>(bytes.memory) = 0x040302ff;
  EXPECT_EQ(words(bytes, "tex.2d.v4.s32.s32 " + d + ", [%rd3, {0, 0}];"), (std::vector<uint32_t>{0xffffffff, 2, 3, 4}));
  EXPECT_EQ(words(image(Shape::plane),
                  "mov.b32 %r2, 7; tex.2d.v4.f32.s32 {%r1, _, _, _}|%p1, [%rd3, {0, 0}]; selp.b32 %r3, 5, 6, %p1;"
                  "mov.b32 %r4, 0;"),
            (std::vector<uint32_t>{0x3f800000, 7, 5, 0}));
  EXPECT_EQ(
      words(image(Shape::plane), "tex.2d.v2.f16x2.s32 {%r1, %r2}, [%rd3, {1, 0}]; mov.b32 %r3, 0; mov.b32 %r4, 0;"),
      (std::vector<uint32_t>{0x00004000, 0x3c000000, 0, 0}));  // 2, 0, 0, 1
}

TEST_F(EngineTextureTest, gathers_components_of_four_texels) {
  Texture two = image(Shape::plane);
  two.format = {Channel::u16, 2};  // a texel is the two halves of a float: 1.0f is 0x3f800000
  const std::string at = ", [%rd3, {0f3F800000, 0f3F800000}];";
  EXPECT_EQ(words(two, "tld4.g.2d.v4.u32.f32 " + d + at),
            (std::vector<uint32_t>{0x4110, 0x4120, 0x4000, 0x3f80}));  // 9, 10, 2, 1
  EXPECT_EQ(words(two, "tld4.a.2d.v4.u32.f32 " + d + at), (std::vector<uint32_t>{1, 1, 1, 1}));
}

TEST_F(EngineTextureTest, queries) {
  Texture layers = image(Shape::plane, true, 3);
  layers.sampler.address[1] = texture::Address::border;
  layers.sampler.filter = texture::Filter::linear;
  EXPECT_EQ(words(layers,
                  "txq.width.b32 %r1, [%rd3]; txq.height.b32 %r2, [%rd3]; txq.array_size.b32 %r3, [%rd3]; "
                  "txq.depth.b32 %r4, [%rd3];"),
            (std::vector<uint32_t>{8, 4, 3, 0}));
  EXPECT_EQ(words(layers,
                  "txq.channel_data_type.b32 %r1, [%rd3]; txq.channel_order.b32 %r2, [%rd3];"
                  "txq.normalized_coords.b32 %r3, [%rd3]; txq.num_mipmap_levels.b32 %r4, [%rd3];"),
            (std::vector<uint32_t>{0x10DE, 0x10B0, 0, 1}));
  EXPECT_EQ(words(layers,
                  "txq.filter_mode.b32 %r1, [%rd3]; txq.addr_mode_0.b32 %r2, [%rd3]; txq.addr_mode_1.b32 %r3, [%rd3];"
                  "txq.level.width.b32 %r4, [%rd3], 0;"),
            (std::vector<uint32_t>{1, 3, 4, 8}));
  EXPECT_EQ(words(surface(Shape::volume, false, 2),
                  "suq.width.b32 %r1, [%rd3]; suq.height.b32 %r2, [%rd3]; suq.depth.b32 %r3, [%rd3];"
                  "suq.memory_layout.b32 %r4, [%rd3];"),
            (std::vector<uint32_t>{8, 4, 2, 0}));
  EXPECT_EQ(
      words(layers,
            "istypep.texref %p1, %rd3; istypep.surfref %p2, %rd3; selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 1, 0, %p2;"
            "mov.b32 %r3, 0; mov.b32 %r4, 0;"),
      (std::vector<uint32_t>{1, 0, 0, 0}));
}

TEST_F(EngineTextureTest, surfaces_are_read_and_written_in_bytes) {
  EXPECT_EQ(
      words(surface(Shape::plane), "suld.b.2d.v2.b32.trap {%r1, %r2}, [%rd3, {8, 1}]; mov.b32 %r3, 0; mov.b32 %r4, 0;"),
      (std::vector<uint32_t>{0x41300000, 0x41400000, 0, 0}));  // 11, 12
  EXPECT_EQ(words(surface(Shape::plane, true, 2),
                  ".reg .b16 %h<3>; .reg .b64 %q; mov.b16 %h1, 0x1234; mov.b64 %q, 0x1122334455667788;\n"
                  "sust.b.a2d.b16.trap [%rd3, {1, 2, 3, 0}], {%h1}; sust.b.a2d.b64.trap [%rd3, {1, 8, 3, 0}], {%q};\n"
                  "suld.b.a2d.b8.trap {%h2}, [%rd3, {1, 3, 3, 0}]; cvt.u32.u16 %r1, %h2;\n"
                  "suld.b.a2d.b32.trap {%r2}, [%rd3, {1, 12, 3, 0}]; suld.b.a2d.b32.zero {%r3}, [%rd3, {2, 0, 0, 0}];\n"
                  "suld.b.a2d.b32.clamp {%r4}, [%rd3, {9, 400, 9, 0}];"),
            (std::vector<uint32_t>{0x12, 0x11223344, 0, 0x42800000}));  // the last texel of the last layer is 64
  Texture bytes = surface(Shape::line);
  bytes.format = {Channel::u8, 4};
  EXPECT_EQ(words(bytes,
                  "mov.b32 %r1, 0x101; mov.b32 %r2, 0x202; sust.p.1d.v2.b32.trap [%rd3, {1}], {%r1, %r2};\n"
                  "suld.b.1d.b32.trap %r1, [%rd3, {4}]; mov.b32 %r3, 0; mov.b32 %r4, 0;")[0],
            0x40000201u);  // the upper channels of 2.0f stay
}

TEST_F(EngineTextureTest, reductions_on_surfaces) {
  Texture ints = surface(Shape::line);
  ints.format = {Channel::s32, 1};
  auto* const texels = reinterpret_cast<int32_t*>(ints.memory);
  texels[0] = 5;
  texels[1] = -3;
  EXPECT_EQ(words(ints,
                  "sured.b.add.1d.u32.trap [%rd3, {0}], 4; sured.b.min.1d.s32.trap [%rd3, {4}], -7;\n"
                  "sured.p.max.1d.b32.trap [%rd3, {1}], -5; sured.b.or.1d.b32.zero [%rd3, {99}], 1;\n"
                  "suld.b.1d.v2.b32.trap {%r1, %r2}, [%rd3, {0}]; mov.b32 %r3, 0; mov.b32 %r4, 0;"),
            (std::vector<uint32_t>{9, static_cast<uint32_t>(-5), 0, 0}));
}

TEST_F(EngineTextureTest, variables_of_modules_are_handles) {
  const std::string text =
      kernel("tex.2d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [picture, {2, 1}]; st.global.b32 [%rd1], %r1;",
             ".global .texref picture;");
  const auto unbound = run(text, {1, 1, 1}, {1, 1, 1}, 1);
  ASSERT_FALSE(unbound);
  EXPECT_NE(unbound.error().message.find("texture variable picture is bound to nothing"), std::string::npos);
  auto program = engine().load(text, "test.ptx");
  ASSERT_TRUE(program);
  ASSERT_EQ(globals(**program)[0].opaque, "texref");
  engine().textures().bind(globals(**program)[0].address, image(Shape::plane));
  const uint64_t buffer = *engine().memory().allocate(4, MemoryKind::device);
  LaunchConfig config;
  config.params = std::as_bytes(std::span(&buffer, 1));
  ASSERT_TRUE(engine().launch(**program, "k", config));
  EXPECT_EQ(*reinterpret_cast<float*>(buffer), 11);
}

TEST_F(EngineTextureTest, lanes_may_have_textures_of_their_own_and_guards_hold) {
  Texture other = image(Shape::line);
  *reinterpret_cast<float*>(other.memory) = 77;
  const uint64_t a = engine().textures().add(image(Shape::line)), b = engine().textures().add(other);
  const auto result = run(kernel(kThread + "and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; selp.b64 %rd3, " +
                                 std::to_string(a) + ", " + std::to_string(b) +
                                 ", %p1; mov.b32 %r6, 0; setp.lt.u32 %p2, %r1, 30;\n"
                                 "@%p2 tex.1d.v4.f32.s32 {%r6, _, _, _}, [%rd3, {0}]; st.global.u32 [%rd2], %r6;"),
                          {1, 1, 1}, {32, 1, 1}, 32);
  ASSERT_TRUE(result);
  EXPECT_EQ(out[0], std::bit_cast<uint32_t>(1.0f));
  EXPECT_EQ(out[29], std::bit_cast<uint32_t>(77.0f));
  EXPECT_EQ(out[30], 0u);
}

TEST_F(EngineTextureTest, faults_say_what_is_wrong) {
  const std::string fetch = "tex.2d.v4.f32.s32 " + d + ", [%rd3, {0, 0}];";
  const auto told = [&](const std::string& what) { EXPECT_NE(message.find(what), std::string::npos) << message; };
  words(image(Shape::line, true, 2), fetch);
  told("the texture is 1D layered, but the instruction accesses a 2D one");
  words(surface(Shape::plane), fetch);
  told("is a surface object, not a texture object");
  Texture gone = image(Shape::plane);
  engine().memory().free(gone.memory);
  words(gone, fetch);
  told("was freed");
  words(surface(Shape::plane), "suld.b.2d.b32.trap %r1, [%rd3, {32, 0}];");
  told("surface access at (32, 0) of 4 bytes is outside of a surface of 8 x 4 x 1 elements of 4 bytes; x counts bytes");
  words(surface(Shape::plane), "suld.b.2d.b32.trap %r1, [%rd3, {2, 0}];");
  told("is not a multiple");
  ASSERT_TRUE(engine().textures().remove(handle));
  const auto destroyed =
      run(kernel("mov.u64 %rd3, " + std::to_string(handle) + ";\n suld.b.2d.b32.trap %r1, [%rd3, {0, 0}];"), {1, 1, 1},
          {1, 1, 1}, 1);
  ASSERT_FALSE(destroyed);
  EXPECT_NE(destroyed.error().message.find("was destroyed"), std::string::npos);
}

TEST_F(EngineTextureTest, rejects_what_is_not_supported) {
  const auto refused = [&](const std::string& body, const std::string& what, const std::string& before = {}) {
    EXPECT_NE(refusal(kernel(body, before)).find(what), std::string::npos) << refusal(kernel(body, before));
  };
  refused("tex.2dms.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1, %r2, %r3, %r4}];", "2dms");
  refused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1}];", "expected 2 coordinates, found 1");
  refused("tex.2d.v4.f32.f32 {%f1,%f2,%f3}, [%rd1, {%f1, %f2}];", "expected 4 values, found 3");
  refused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1, %f2}], {1, 2};", "offsets and depth comparisons");
  refused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1];", "expected coordinates");
  refused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, %rd2, {%f1, %f2}];", "samplers apart from textures");
  refused("", "sampler variables", ".global .samplerref s;");
  refused("suld.b.2d.b32.trap %r1, [t, {0, 0}];", "'t' is no .surfref", ".global .texref t;");
  refused("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [out, {0}];", "'out' is no .texref");
}

}  // namespace
}  // namespace bankshot::simt

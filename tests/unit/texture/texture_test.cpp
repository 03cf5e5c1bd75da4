// Texture fetches by hand-worked values, and random ones against a slow reference.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "bankshot/texture/sample.hpp"
#include "bankshot/texture/surface.hpp"

namespace bankshot::texture {
namespace {

float number(uint32_t bits) { return std::bit_cast<float>(bits); }

/// Texels of one f32 channel.
struct Image {
  Image(Shape shape, uint32_t w, uint32_t h, uint32_t d, bool layered = false) : texels(size_t{w} * h * d) {
    for (size_t k = 0; k < texels.size(); ++k) texels[k] = static_cast<float>(k);
    texture.format = {Channel::f32, 1};
    texture.shape = shape;
    texture.layered = layered;
    texture.levels = {{reinterpret_cast<uint64_t>(texels.data()), w, h, d, w * 4u, w * h * 4u}};
  }
  Image& modes(Address mode, Filter filter, bool normalised) {
    texture.sampler.address = {mode, mode, mode};
    texture.sampler.filter = filter;
    texture.sampler.normalised_coordinates = normalised;
    return *this;
  }
  float at(float x, float y = 0, float z = 0, uint32_t layer = 0) const {
    Request request;
    request.shape = texture.shape;
    request.at = {x, y, z};
    request.layer = layer;
    return number(fetch(texture, request)[0]);
  }
  std::vector<float> texels;
  Texture texture;
};

TEST(texture, a_point_is_the_texel_that_it_lies_in) {
  Image line(Shape::line, 4, 1, 1);
  line.modes(Address::clamp, Filter::point, false);
  EXPECT_EQ(line.at(0), 0);
  EXPECT_EQ(line.at(0.99f), 0);
  EXPECT_EQ(line.at(1), 1);
  EXPECT_EQ(line.at(-3), 0);
  EXPECT_EQ(line.at(4), 3);
  EXPECT_EQ(line.at(1e30f), 3);
  EXPECT_EQ(line.at(-INFINITY), 0);
  EXPECT_EQ(line.at(NAN), 0);
}

TEST(texture, linear_filter_is_the_guides_formula) {
  Image line(Shape::line, 4, 1, 1);
  line.modes(Address::clamp, Filter::linear, false);
  EXPECT_EQ(line.at(1.5f), 1);  // the middle of texel 1
  EXPECT_EQ(line.at(2), 1.5f);  // between 1 and 2
  EXPECT_EQ(line.at(1.75f), 1.25f);
  EXPECT_EQ(line.at(0), 0);  // half of it is texel -1, which is 0 again
  EXPECT_EQ(line.at(4), 3);
  Image plane(Shape::plane, 2, 2, 1);
  plane.modes(Address::clamp, Filter::linear, false);
  EXPECT_EQ(plane.at(1, 1), 1.5f);           // (0 + 1 + 2 + 3) / 4
  EXPECT_EQ(plane.at(0.75f, 1.25f), 1.75f);  // a = 1/4, b = 3/4: 0*3/16 + 1*1/16 + 2*9/16 + 3*3/16 = 28/16
  Image volume(Shape::volume, 2, 2, 2);
  volume.modes(Address::clamp, Filter::linear, false);
  EXPECT_EQ(volume.at(1, 1, 1), 3.5f);  // the mean of 0 to 7
}

TEST(texture, weights_have_eight_bits_behind_the_point) {
  Image line(Shape::line, 2, 1, 1);
  line.texels = {0, 256};
  line.modes(Address::clamp, Filter::linear, false);
  EXPECT_EQ(line.at(0.5f + 1 / 256.0f), 1);
  EXPECT_EQ(line.at(0.5f + 1.4f / 256.0f), 1);
  EXPECT_EQ(line.at(0.5f + 1.6f / 256.0f), 2);
  EXPECT_EQ(line.at(0.5f + 255.6f / 256.0f), 256);  // 1.0 can be written
}

TEST(texture, address_modes) {
  Image line(Shape::line, 4, 1, 1);
  line.modes(Address::wrap, Filter::point, true);
  EXPECT_EQ(line.at(0.3f), 1);
  EXPECT_EQ(line.at(1.3f), 1);
  EXPECT_EQ(line.at(-0.1f), 3);
  line.modes(Address::mirror, Filter::point, true);
  EXPECT_EQ(line.at(1.1f), 3);   // 1 - 0.1
  EXPECT_EQ(line.at(-0.1f), 0);  // floor is odd: 1 - 0.9
  EXPECT_EQ(line.at(2.3f), 1);
  line.modes(Address::clamp, Filter::point, true);
  EXPECT_EQ(line.at(1.3f), 3);
  line.modes(Address::border, Filter::point, true);
  line.texture.sampler.border = {std::bit_cast<uint32_t>(9.5f), 0, 0, 0};
  EXPECT_EQ(line.at(1), 9.5f);
  EXPECT_EQ(line.at(-0.01f), 9.5f);
  EXPECT_EQ(line.at(0.99f), 3);
  // Half of the border and half of texel 0.
  line.modes(Address::border, Filter::linear, true);
  EXPECT_EQ(line.at(0), 4.75f);
  // Wrapping filters join the last texel with the first.
  line.modes(Address::wrap, Filter::linear, true);
  EXPECT_EQ(line.at(0), 1.5f);
  // Neither wraps without normalised coordinates.
  line.modes(Address::wrap, Filter::point, false);
  EXPECT_EQ(line.at(5), 3);
}

TEST(texture, texels_of_weight_nothing_are_not_read) {
  Image line(Shape::line, 2, 1, 1);
  line.texels = {1, INFINITY};
  line.modes(Address::clamp, Filter::linear, false);
  EXPECT_EQ(line.at(0.5f), 1);
}

TEST(texture, layers_are_clamped_and_not_filtered) {
  Image layers(Shape::plane, 2, 2, 3, true);
  layers.modes(Address::clamp, Filter::linear, false);
  EXPECT_EQ(layers.at(0.5f, 0.5f, 0, 1), 4);
  EXPECT_EQ(layers.at(0.5f, 0.5f, 0, 7), 8);
}

TEST(texture, formats_are_read_as_the_guide_says) {
  const auto read = [](Format format, std::vector<uint8_t> bytes, Reading reading) {
    return decode(format, reading, reinterpret_cast<const std::byte*>(bytes.data()));
  };
  EXPECT_EQ(read({Channel::u8, 4}, {1, 2, 3, 255}, {}), (Texel{1, 2, 3, 255}));
  EXPECT_EQ(read({Channel::s8, 2}, {0xff, 0x80}, {}), (Texel{0xffffffffu, 0xffffff80u, 0, 1}));
  EXPECT_EQ(read({Channel::s16, 1}, {0xfe, 0xff}, {}), (Texel{0xfffffffeu, 0, 0, 1}));
  EXPECT_EQ(number(read({Channel::u8, 1}, {255}, {true, false})[0]), 1);
  EXPECT_EQ(number(read({Channel::u8, 1}, {51}, {true, false})[0]), 0.2f);
  EXPECT_EQ(number(read({Channel::s8, 1}, {0x80}, {true, false})[0]), -1);
  EXPECT_EQ(number(read({Channel::s8, 1}, {127}, {true, false})[0]), 1);
  EXPECT_EQ(number(read({Channel::u16, 1}, {0xff, 0xff}, {true, false})[0]), 1);
  EXPECT_EQ(read({Channel::u32, 1}, {1, 0, 0, 0}, {true, false})[0], 1u);  // 32-bit integers stay integers
  EXPECT_EQ(number(read({Channel::f16, 1}, {0x00, 0x3e}, {})[0]), 1.5f);
  EXPECT_EQ(number(read({Channel::f16, 1}, {0x01, 0x00}, {})[0]), 0x1p-24f);
  // sRGB 188/255 is nearly linear 1/2; the fourth channel is linear anyway.
  const Texel srgb = read({Channel::u8, 4}, {188, 0, 255, 188}, {true, true});
  EXPECT_NEAR(number(srgb[0]), 0.5029f, 1e-4);
  EXPECT_EQ(number(srgb[2]), 1);
  EXPECT_EQ(number(srgb[3]), 188 / 255.0f);
}

TEST(texture, half_floats_round_to_the_nearest_even) {
  EXPECT_EQ(float_to_half(1), 0x3c00);
  EXPECT_EQ(float_to_half(1 + 0x1p-11f), 0x3c00);
  EXPECT_EQ(float_to_half(1 + 3 * 0x1p-11f), 0x3c02);
  EXPECT_EQ(float_to_half(65519), 0x7bff);
  EXPECT_EQ(float_to_half(65520), 0x7c00);
  EXPECT_EQ(float_to_half(0x1p-25f), 0);
  EXPECT_EQ(float_to_half(-0x1.8p-24f), 0x8002);
  for (uint32_t h = 0; h < 0x7c00; ++h) EXPECT_EQ(float_to_half(half_to_float(static_cast<uint16_t>(h))), h);
}

TEST(texture, formatted_stores_are_the_inverse_of_fetches) {
  for (const Channel channel : {Channel::u8, Channel::s8, Channel::u16, Channel::s16, Channel::unorm8, Channel::snorm8,
                                Channel::unorm16, Channel::snorm16, Channel::f16, Channel::f32, Channel::u32}) {
    const Format format{channel, 2};
    std::byte from[8] = {std::byte{3}, std::byte{61}, std::byte{5}, std::byte{62},
                         std::byte{7}, std::byte{63}, std::byte{9}, std::byte{64}};
    std::byte to[8] = {};
    encode(format, decode(format, {}, from), to);
    EXPECT_EQ(std::memcmp(from, to, texel_bytes(format)), 0) << static_cast<int>(channel);
  }
}

TEST(texture, gather_begins_at_the_lower_left) {
  Image plane(Shape::plane, 3, 3, 1);
  plane.modes(Address::clamp, Filter::point, false);
  Request request;
  request.shape = Shape::plane;
  request.at = {1, 2, 0};  // between columns 0 and 1, rows 1 and 2
  const Texel four = gather(plane.texture, request, 0);
  EXPECT_EQ(number(four[0]), 6);
  EXPECT_EQ(number(four[1]), 7);
  EXPECT_EQ(number(four[2]), 4);
  EXPECT_EQ(number(four[3]), 3);
}

TEST(texture, faces_of_cubes_are_those_of_the_guides_table) {
  // x, y, z; face; s, t worked by hand from (s/m + 1) / 2 and (t/m + 1) / 2
  const auto expect = [](std::array<float, 3> d, uint32_t face, float s, float t) {
    const CubePlace place = cube_place(d);
    EXPECT_EQ(place.face, face);
    EXPECT_EQ(place.s, s);
    EXPECT_EQ(place.t, t);
  };
  expect({2, 1, 0.5f}, 0, 0.375f, 0.25f);   // s = -z, t = -y
  expect({-2, 1, 0.5f}, 1, 0.625f, 0.25f);  // s = z, t = -y
  expect({1, 2, 0.5f}, 2, 0.75f, 0.625f);   // s = x, t = z
  expect({1, -2, 0.5f}, 3, 0.75f, 0.375f);  // s = x, t = -z
  expect({1, 0.5f, 2}, 4, 0.75f, 0.375f);   // s = x, t = -y
  expect({1, 0.5f, -2}, 5, 0.25f, 0.375f);  // s = -x, t = -y
  expect({1, 1, 1}, 0, 0, 0);               // equal: x first
}

TEST(texture, seamless_cubes_are_filtered_across_edges) {
  Image cube(Shape::cube, 1, 1, 6);
  cube.modes(Address::clamp, Filter::linear, true);
  // Halfway between the middle of face 0 and its edge with face 4 (s = 0): a quarter beyond.
  EXPECT_EQ(cube.at(1, 0, 0.5f), 0);
  cube.texture.sampler.seamless_cube = true;
  EXPECT_EQ(cube.at(1, 0, 0), 0);
  EXPECT_EQ(cube.at(1, 0, 0.5f), 1);  // 3/4 of face 0 and 1/4 of face 4
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(cube.at(nan, 0, 1))) << "a place that is none, but texels that there are";
}

TEST(texture, levels_of_mipmaps) {
  Image large(Shape::line, 4, 1, 1), small(Shape::line, 2, 1, 1), smallest(Shape::line, 1, 1, 1);
  small.texels = {100, 100};
  smallest.texels = {200};
  large.texels = {0, 0, 0, 0};
  large.modes(Address::clamp, Filter::point, true);
  large.texture.levels.push_back(small.texture.levels[0]);
  large.texture.levels.push_back(smallest.texture.levels[0]);
  Sampler& sampler = large.texture.sampler;
  sampler.level_max = 10;
  const auto at = [&](float lod) {
    Request request;
    request.at = {0.5f, 0, 0};
    request.has_lod = true;
    request.lod = lod;
    return number(fetch(large.texture, request)[0]);
  };
  EXPECT_EQ(at(0.4f), 0);
  EXPECT_EQ(at(0.5f), 100);
  EXPECT_EQ(at(7), 200);
  EXPECT_EQ(at(-3), 0);
  sampler.mip_filter = Filter::linear;
  EXPECT_EQ(at(0.25f), 25);
  EXPECT_EQ(at(1.5f), 150);
  EXPECT_EQ(at(2), 200);
  sampler.level_bias = 0.5f;
  EXPECT_EQ(at(0.25f), 75);
  sampler.level_max = 0.25f;
  EXPECT_EQ(at(1), 25);
  sampler.level_max = 10;
  sampler.level_min = 1;
  EXPECT_EQ(at(0), 100);
  EXPECT_EQ(large.at(0.5f), 0) << "without a level of detail it is the first level";
}

TEST(texture, gradients_choose_the_level_by_the_longer_one) {
  Image plane(Shape::plane, 8, 8, 1);
  plane.modes(Address::clamp, Filter::point, true);
  Request request;
  request.shape = Shape::plane;
  EXPECT_EQ(level_of_detail(plane.texture, request, {0.25f, 0, 0}, {0, 0.125f, 0}), 1);  // two texels, one texel
  EXPECT_EQ(level_of_detail(plane.texture, request, {0, 0, 0}, {0.375f, 0.5f, 0}), std::log2(5.0f));
  Image cube(Shape::cube, 8, 8, 6);
  cube.modes(Address::clamp, Filter::point, true);
  request.shape = Shape::cube;
  request.at = {1, 0, 0};
  EXPECT_EQ(level_of_detail(cube.texture, request, {0, 0.5f, 0}, {0, 0, 0}), 1);  // a quarter of the face: two texels
}

TEST(texture, buffers_are_zero_outside) {
  Image line(Shape::line, 4, 1, 1);
  line.texture.is_buffer = true;
  Request request;
  request.by_number = true;
  const auto at = [&](int x) {
    request.texel = {x, 0, 0};
    return number(fetch(line.texture, request)[0]);
  };
  EXPECT_EQ(at(3), 3);
  EXPECT_EQ(at(4), 0);
  EXPECT_EQ(at(-1), 0);
}

/// One axis at a time, in double, straight from the formulas; weights rounded as promised.
double reference(const Image& image, const std::array<double, 3>& x, unsigned axes, Address mode) {
  const Level& level = image.texture.levels[0];
  const uint32_t size[3] = {level.width, level.height, level.depth};
  const auto texel = [&](std::array<int64_t, 3> i) {
    for (unsigned k = 0; k < axes; ++k) {
      const int64_t n = size[k];
      if (mode == Address::wrap) i[k] = ((i[k] % n) + n) % n;
      if (mode == Address::clamp || mode == Address::mirror) i[k] = std::min(std::max<int64_t>(i[k], 0), n - 1);
      if (i[k] < 0 || i[k] >= n) return 0.0;
    }
    return static_cast<double>(image.texels[static_cast<size_t>((i[2] * size[1] + i[1]) * size[0] + i[0])]);
  };
  double sum = 0;
  for (unsigned corner = 0; corner < (1u << axes); ++corner) {
    double weight = 1;
    std::array<int64_t, 3> i{};
    for (unsigned k = 0; k < axes; ++k) {
      const double b = x[k] - 0.5, low = std::floor(b), a = std::floor((b - low) * 256 + 0.5) / 256;
      weight *= corner >> k & 1 ? a : 1 - a;
      i[k] = static_cast<int64_t>(low) + (corner >> k & 1);
    }
    sum += weight * texel(i);
  }
  return sum;
}

TEST(texture, random_filters_agree_with_a_slow_reference) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> somewhere(-1.5f, 2.5f), value(-10, 10);
  const Shape shapes[] = {Shape::line, Shape::plane, Shape::volume};
  for (int round = 0; round < 3000; ++round) {
    const auto axes = static_cast<unsigned>(1 + random() % 3);
    uint32_t size[3] = {1, 1, 1};
    for (unsigned k = 0; k < axes; ++k) size[k] = 1 + random() % 7;
    Image image(shapes[axes - 1], size[0], size[1], size[2]);
    for (float& t : image.texels) t = value(random);
    const Address mode = random() % 2 ? Address::clamp : Address::border;
    image.modes(mode, Filter::linear, false);
    std::array<float, 3> at{};
    std::array<double, 3> exact{};
    for (unsigned k = 0; k < axes; ++k) exact[k] = at[k] = somewhere(random) * static_cast<float>(size[k]);
    EXPECT_EQ(image.at(at[0], at[1], at[2]), static_cast<float>(reference(image, exact, axes, mode))) << round;
    image.modes(Address::wrap, Filter::linear, true);
    for (unsigned k = 0; k < axes; ++k) {
      at[k] = somewhere(random);
      exact[k] = (at[k] - std::floor(at[k])) * static_cast<float>(size[k]);
    }
    EXPECT_EQ(image.at(at[0], at[1], at[2]), static_cast<float>(reference(image, exact, axes, Address::wrap))) << round;
  }
}

TEST(surface, x_counts_bytes_and_what_is_outside_traps_clamps_or_is_nothing) {
  Image plane(Shape::plane, 4, 2, 1);
  plane.texture.is_surface = true;
  const uint64_t base = plane.texture.levels[0].address;
  using Kind = SurfacePlace::Kind;
  SurfaceRequest request{Shape::plane, true, {4, 1, 0}, 0, 4};
  EXPECT_EQ(place(plane.texture, request, Outside::trap).address, base + 16 + 4);
  request.at = {14, 0, 0};
  EXPECT_EQ(place(plane.texture, request, Outside::trap).kind, Kind::trap) << "the access ends outside";
  request.at = {2, 0, 0};
  EXPECT_EQ(place(plane.texture, request, Outside::trap).kind, Kind::misaligned);
  request.at = {-4, 5, 0};
  EXPECT_EQ(place(plane.texture, request, Outside::zero).kind, Kind::nothing);
  EXPECT_EQ(place(plane.texture, request, Outside::clamp).address, base + 16);
  request.at = {100, -5, 0};
  EXPECT_EQ(place(plane.texture, request, Outside::clamp).address, base + 12);
  request.in_bytes = false;
  request.at = {3, 0, 0};
  EXPECT_EQ(place(plane.texture, request, Outside::trap).address, base + 12);
}

}  // namespace
}  // namespace bankshot::texture

// Images as they are stored, 24 bits of red, green and blue a pixel, and the 12-bit greys that are made of them: which of the
// 4,096 greys occur decides which words of a histogram are voted for.
#pragma once

#include "natural_image.hpp"

struct Rgb {
  uint8_t red = 0, green = 0, blue = 0;
};
using ImageRgb = ImageOf<Rgb>;

/// The greys in colour, encoded in 8 bits a channel: a channel is 255 times the root of its share of white, much like sRGB.
/// Before that red and blue are moved apart by a tint of up to a quarter of the grey, value noise on lattices of 64 and 16
/// pixels, the same for neighbours as the surface of a thing is. No noise is added: that of the greys is in all channels. All
/// in whole numbers: a seed gives the same image on every machine.
inline ImageRgb in_colour(const Image12& greys, uint32_t seed) {
  Random random = seeded(seed + 0x5eed);
  std::vector<int> tint(greys.pixels.size());
  for (int cell : {64, 16})
    add_noise(tint, greys.width, greys.height, cell, 1, [&] { return static_cast<int>(random.below(257)) - 128; });
  std::vector<uint8_t> encoded(4096);
  for (int grey = 0, root = 0; grey < 4096; ++grey) {
    while ((root + 1) * (root + 1) * 4095 <= grey * 255 * 255) ++root;
    encoded[size_t(grey)] = static_cast<uint8_t>(root);
  }
  const auto channel = [&](int grey, int move) {
    return encoded[size_t(std::clamp(grey + grey * move / 1024, 0, 4095))];
  };
  ImageRgb image{greys.width, greys.height, std::vector<Rgb>(greys.pixels.size())};
  for (size_t i = 0; i < greys.pixels.size(); ++i) {
    const int grey = greys.pixels[i];
    image.pixels[i] = {channel(grey, tint[i]), channel(grey, 0), channel(grey, -tint[i])};
  }
  return image;
}

/// Greys of 12 bits by the weights of Rec. ITU-R BT.601, 77, 150 and 29 of 256.
/// @param rounded  to 8 bits first, with zeros behind: of 4,096 greys every sixteenth occurs, and no other
inline Image12 in_grey(const ImageRgb& image, bool rounded) {
  Image12 greys{image.width, image.height, std::vector<uint16_t>(image.pixels.size())};
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    const Rgb& pixel = image.pixels[i];
    const int sum = 77 * pixel.red + 150 * pixel.green + 29 * pixel.blue;
    greys.pixels[i] = static_cast<uint16_t>(rounded ? (sum >> 8) << 4 : sum >> 4);
  }
  return greys;
}

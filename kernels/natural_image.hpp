// Images of 12 bits made from a seed that are like photographs where histograms are concerned: neighbours are alike, there
// are edges, and dark greys are more frequent than bright ones.
#pragma once

#include <algorithm>

#include "image.hpp"

using Image12 = ImageOf<uint16_t>;  // 0 black to 4,095 white

/// Discs of random greys laid over each other, the last in front ("dead leaves", Lee, Mumford and Huang: Occlusion models for
/// natural images, 2001): radii of 3 to 5, 6 to 11 … pixels up to the image's longer side, each four times rarer than the one
/// before, so that all cover the same area, which makes statistics the same at all scales; until every pixel is covered 8
/// times on average.
/// A grey is the product of two uniform ones, so that half of them are below 19 % of white, as in images linear in light.
inline std::vector<int> dead_leaves(int width, int height, Random& random) {
  const int longest = std::max(width, height);
  std::vector<int> greys(size_t(width) * height, 1024);
  for (int64_t uncovered = int64_t{8} * width * height; uncovered > 0;) {
    int radius = 3;
    while (4 * radius <= longest && random.below(4) == 0) radius *= 2;
    radius += static_cast<int>(random.below(radius));
    const int grey = static_cast<int>(random.below(4096) * random.below(4096) >> 12);
    // Centres lie up to the largest radius beyond the border, so that the border is like the middle.
    const int centre_x = static_cast<int>(random.below(width + 2 * longest)) - longest;
    const int centre_y = static_cast<int>(random.below(height + 2 * longest)) - longest;
    for (int y = std::max(0, centre_y - radius); y < std::min(height, centre_y + radius + 1); ++y)
      for (int x = std::max(0, centre_x - radius); x < std::min(width, centre_x + radius + 1); ++x)
        if ((x - centre_x) * (x - centre_x) + (y - centre_y) * (y - centre_y) <= radius * radius) {
          greys[size_t(y) * width + x] = grey;
          --uncovered;
        }
  }
  return greys;
}

/// Dead leaves with a texture of up to an eighth of their grey at scales of 2, 4 … 64 pixels, each as strong as the others
/// (the 1/f amplitudes of natural images), seen through optics that blur 3 by 3 pixels, with a sensor's noise of -8 to 8 of
/// 4,095. All in whole numbers: a seed gives the same image on every machine.
inline Image12 natural_image(int width, int height, uint32_t seed, int noise = 8) {
  Random random = seeded(seed);
  std::vector<int> greys = dead_leaves(width, height, random), texture(greys.size());
  for (int cell = 2; cell <= 64; cell *= 2)
    add_noise(texture, width, height, cell, 1, [&] { return static_cast<int>(random.below(2 * 256 + 1)) - 256; });
  for (size_t i = 0; i < greys.size(); ++i) greys[i] += greys[i] * texture[i] / (6 * 256 * 8);
  Image12 image{width, height, std::vector<uint16_t>(greys.size())};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int sum = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          sum += greys[size_t(std::clamp(y + dy, 0, height - 1)) * width + std::clamp(x + dx, 0, width - 1)];
      const int grey = sum / 9 + static_cast<int>(random.below(2 * noise + 1)) - noise;
      image.pixels[size_t(y) * width + x] = static_cast<uint16_t>(std::clamp(grey, 0, 4095));
    }
  return image;
}

/// How alike pixels are that lie `distance` apart in a row: the correlation of their greys.
inline double correlation(const Image12& image, int distance) {
  double n = 0, a = 0, b = 0, aa = 0, ab = 0, bb = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x + distance < image.width; ++x) {
      const uint16_t* pixel = &image.pixels[size_t(y) * image.width + x];
      const double left = pixel[0], right = pixel[distance];
      n += 1, a += left, b += right, aa += left * left, ab += left * right, bb += right * right;
    }
  const double spread = (n * aa - a * a) * (n * bb - b * b);
  return spread > 0 ? (n * ab - a * b) / std::sqrt(spread) : 1;
}

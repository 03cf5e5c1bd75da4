// The edge pixels that hough.cu votes with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "../image.hpp"

/// An image with straight edges: `lines` random lines through its middle half, at each of which brightness changes between
/// dark and bright, and one pixel in 256 of any grey as noise. In whole numbers, except for the normals of the lines, which
/// are integers once they are rounded: a seed gives the same image on every machine.
inline Image image_of_lines(int width, int height, int lines, uint32_t seed) {
  Random random = seeded(seed);
  struct Line {
    int normal_x, normal_y, distance;
  };
  std::vector<Line> all;
  for (int i = 0; i < lines; ++i) {
    const double angle = random.below(3600) * 3.14159265358979323846 / 1800;
    const int x = width / 4 + static_cast<int>(random.below(width / 2 + 1));
    const int y = height / 4 + static_cast<int>(random.below(height / 2 + 1));
    Line line{static_cast<int>(std::lround(std::cos(angle) * 1024)),
              static_cast<int>(std::lround(std::sin(angle) * 1024)), 0};
    line.distance = line.normal_x * x + line.normal_y * y;
    all.push_back(line);
  }
  Image image{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      bool bright = false;
      for (const Line& line : all) bright ^= line.normal_x * x + line.normal_y * y > line.distance;
      const bool noise = random.below(256) == 0;
      image.pixels.push_back(static_cast<uint8_t>(noise ? random.below(256) : bright ? 192 : 64));
    }
  return image;
}

/// The pixels, row by row, that differ from their right or their lower neighbour by `threshold` or more: x + 65536 y each.
inline std::vector<unsigned> edge_pixels(const Image& image, int threshold) {
  std::vector<unsigned> edges;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const uint8_t* pixel = &image.pixels[size_t(y) * image.width + x];
      const int right = x + 1 < image.width ? std::abs(pixel[1] - pixel[0]) : 0;
      const int down = y + 1 < image.height ? std::abs(pixel[image.width] - pixel[0]) : 0;
      if (std::max(right, down) >= threshold)
        edges.push_back(static_cast<unsigned>(y) << 16 | static_cast<unsigned>(x));
    }
  return edges;
}

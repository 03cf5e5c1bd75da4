// Images for programs whose conflicts depend on their data: made from a seed, or read from a file.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "check.hpp"

template <class Pixel>
struct ImageOf {
  int width = 0, height = 0;
  std::vector<Pixel> pixels;  // row by row, 0 is black
};
using Image = ImageOf<uint8_t>;  // 255 is white

/// Adds "value noise" of one scale: random values on a lattice, bilinear between its points.
/// @param cell   pixels between lattice points
/// @param value  of the next point
template <class Value>
void add_noise(std::vector<int>& to, int width, int height, int cell, int weight, Value value) {
  const int columns = width / cell + 2, rows = height / cell + 2;
  std::vector<int> lattice(size_t(columns) * rows);
  for (int& point : lattice) point = value();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int* corner = &lattice[size_t(y / cell) * columns + x / cell];
      const int right = x % cell, down = y % cell;
      const int upper = corner[0] * (cell - right) + corner[1] * right;
      const int lower = corner[columns] * (cell - right) + corner[columns + 1] * right;
      to[size_t(y) * width + x] += weight * ((upper * (cell - down) + lower * down) / (cell * cell));
    }
}

/// An image in which near pixels are alike, as in photographs: value noise on lattices of 64, 32, 16, 8 and 4 pixels with the
/// weights 16, 8, 4, 2 and 1, which gives each scale half the contrast of the next larger one. The result is stretched
/// about the middle by two and cut off at black and white, and a grain of -2 to 2 is added to each pixel. All in whole
/// numbers: a seed gives the same image on every machine.
/// @param grain   another one: -grain to grain
/// @param finest  the last lattice: with 8 or more the image is smoother
inline Image made_image(int width, int height, uint32_t seed, int grain = 2, int finest = 4) {
  Image image{width, height, std::vector<uint8_t>(size_t(width) * height)};
  Random random = seeded(seed);
  std::vector<int> sum(image.pixels.size());
  int weights = 0;
  for (int cell = 64, weight = 16; cell >= finest; cell /= 2, weight /= 2) {
    add_noise(sum, width, height, cell, weight, [&] { return static_cast<int>(random.below(256)); });
    weights += weight;
  }
  for (size_t i = 0; i < sum.size(); ++i) {
    const int value = (sum[i] / weights - 128) * 2 + 128 + static_cast<int>(random.below(2 * grain + 1)) - grain;
    image.pixels[i] = static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
  }
  return image;
}

/// Reads a grey image in the format PGM (P5 or P2, 8 or 16 bits a pixel); ends the program with status 2 if it is none.
/// @param white  what the file's white becomes; other values in proportion, rounded down
template <class Pixel = uint8_t>
ImageOf<Pixel> read_pgm(const char* path, unsigned white = 255) {
  const auto refuse = [&](const char* reason) {
    std::fprintf(stderr, "%s: %s; give a grey PGM image (P5 or P2) of at most 16 bits\n", path, reason);
    std::exit(2);
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("cannot be read");
  if (std::filesystem::is_directory(path)) refuse("is a folder");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const bool binary = text.rfind("P5", 0) == 0;
  if (!binary && text.rfind("P2", 0) != 0) refuse("does not start with P5 or P2");
  size_t at = 2;
  const auto number = [&](unsigned most) {  // after blanks and comments, which reach from # to the end of the line
    for (bool comment = false; at < text.size() && (comment || text[at] == '#' || std::isspace(uint8_t(text[at])));
         ++at)
      comment = text[at] != '\n' && (comment || text[at] == '#');
    unsigned value = 0;
    const size_t start = at;
    for (; at < text.size() && std::isdigit(uint8_t(text[at])); ++at)
      if ((value = value * 10 + (text[at] - '0')) > most) refuse("has a number that is too large");
    if (at == start) refuse("ends early or is not a PGM image");
    return value;
  };
  ImageOf<Pixel> image;
  image.width = static_cast<int>(number(1 << 14));
  image.height = static_cast<int>(number(1 << 14));
  const unsigned most = number(65535), bytes = most > 255 ? 2 : 1;
  if (!image.width || !image.height || !most) refuse("is empty");
  const size_t count = size_t(image.width) * image.height;
  ++at;  // one blank ends the head of P5
  if (binary && (at > text.size() || text.size() - at < count * bytes)) refuse("ends early");
  for (size_t i = 0; i < count; ++i) {
    unsigned value = 0;
    if (binary) {
      for (unsigned k = 0; k < bytes; ++k) value = value << 8 | uint8_t(text[at++]);
      if (value > most) refuse("has a number that is too large");
    } else {
      value = number(most);
    }
    image.pixels.push_back(static_cast<Pixel>(value * white / most));
  }
  return image;
}

// The discrete cosine transform of an image of 16-bit integers in blocks of 8x8 pixels, forward and back again, in
// fixed-point arithmetic. A CTA of 8x4x4 threads holds 4x4 blocks in a tile of 32x32 pixels, two to a word. Half of the
// threads fill the tile and write it back, a word at a time; every thread transforms first one row of a block, which it
// reads and writes as four words, then one column, as eight 16-bit numbers, in place.
//   default   16 words a row: lanes that transform rows are 16 words apart (the eight rows of a block) and 4 words apart
//             (the blocks), so that eight of them meet in one of 8 banks and a warp in eight of 32. Nothing else conflicts.
//   --padded  17 words a row: no conflicts of eight lanes with 8 banks. With 32 banks rows are still 2-way, as they are for
//             any odd number of words a row, and of each warp that fills or writes back one lane meets another.
//   dct_short [width, a multiple of 32: 128] [height, a multiple of 32: width] [--padded]
#include "../check.hpp"

#include <algorithm>

constexpr int side = 8, blocks_across = 4;
constexpr int tile_side = side * blocks_across, row_words = tile_side / 2;
constexpr int block_threads = side * blocks_across * blocks_across;

// Numbers are in units of 2^-basis_bits (the basis) and 2^-fraction_bits (coefficients, of which none exceeds 1,024).
// What rounding adds up to in a round trip is less than half a pixel, what the rounded basis adds is less still:
// a pixel comes back with an error of 1 at most.
constexpr int basis_bits = 14, fraction_bits = 4, largest_error = 1;

// basis[k][n] = c(k) cos((2 n + 1) k pi / 16): its rows are orthonormal, and those of even k are even about the middle.
__constant__ int basis[side][side];

/// The whole number nearest to number / 2^shift.
template <int shift>
__device__ int divided(int number) {
  return (number + (1 << (shift - 1))) >> shift;
}

/// Transforms eight numbers in place and divides them by 2^shift.
template <bool forward, int shift>
__device__ void transform(int (&value)[side]) {
  constexpr int half = side / 2;
  int result[side];
  if (forward) {
    for (int k = 0; k < side; ++k) {
      result[k] = 0;
      for (int n = 0; n < half; ++n)
        result[k] += basis[k][n] * (k % 2 ? value[n] - value[side - 1 - n] : value[n] + value[side - 1 - n]);
    }
  } else {
    for (int n = 0; n < half; ++n) {
      int even = 0, odd = 0;
      for (int k = 0; k < side; k += 2) {
        even += basis[k][n] * value[k];
        odd += basis[k + 1][n] * value[k + 1];
      }
      result[n] = even + odd;
      result[side - 1 - n] = even - odd;
    }
  }
  for (int i = 0; i < side; ++i) value[i] = divided<shift>(result[i]);
}

/// Transforms a row of eight pixels in four words, the first of a pair in the low half of its word.
template <bool forward, int shift>
__device__ void transform_row(int* words) {
  int value[side];
  for (int i = 0; i < side / 2; ++i) {
    const int pair = words[i];
    value[2 * i] = static_cast<short>(pair);
    value[2 * i + 1] = pair >> 16;
  }
  transform<forward, shift>(value);
  for (int i = 0; i < side / 2; ++i) words[i] = (value[2 * i] & 0xffff) | (value[2 * i + 1] << 16);
}

/// Transforms a column of eight pixels, `stride` apart.
template <bool forward, int shift>
__device__ void transform_column(short* pixels, int stride) {
  int value[side];
  for (int i = 0; i < side; ++i) value[i] = pixels[i * stride];
  transform<forward, shift>(value);
  for (int i = 0; i < side; ++i) pixels[i * stride] = static_cast<short>(value[i]);
}

/// Transforms one tile of an image of two pixels a word.
/// @param width  of the image in words
template <bool forward, int pitch>
__device__ void transform_tile(int (&tile)[tile_side][pitch], const int* in, int* out, int width) {
  constexpr int first_shift = forward ? basis_bits - fraction_bits : basis_bits;
  constexpr int second_shift = forward ? basis_bits : basis_bits + fraction_bits;
  constexpr int copying_threads = block_threads / 2, copied_rows = copying_threads / row_words;

  const int thread = threadIdx.x + side * (threadIdx.y + blocks_across * threadIdx.z);
  const int word = thread % row_words, line = thread / row_words;  // what a copying thread copies first
  const int place = (blockIdx.y * tile_side + line) * width + blockIdx.x * row_words + word;
  if (thread < copying_threads)
    for (int i = 0; i < side; ++i) tile[line + i * copied_rows][word] = in[place + i * copied_rows * width];
  __syncthreads();
  const int column = threadIdx.y * side, row = threadIdx.z * side;  // where the thread's block starts in the tile
  transform_row<forward, first_shift>(&tile[row + threadIdx.x][column / 2]);
  __syncthreads();
  transform_column<forward, second_shift>(reinterpret_cast<short*>(tile[row]) + column + threadIdx.x, 2 * pitch);
  __syncthreads();
  if (thread < copying_threads)
    for (int i = 0; i < side; ++i) out[place + i * copied_rows * width] = tile[line + i * copied_rows][word];
}

__global__ void dct_short_forward(const int* in, int* out, int width) {
  __shared__ int tile[tile_side][row_words];
  transform_tile<true>(tile, in, out, width);
}

__global__ void dct_short_inverse(const int* in, int* out, int width) {
  __shared__ int tile[tile_side][row_words];
  transform_tile<false>(tile, in, out, width);
}

__global__ void dct_short_padded_forward(const int* in, int* out, int width) {
  __shared__ int tile[tile_side][row_words + 1];
  transform_tile<true>(tile, in, out, width);
}

__global__ void dct_short_padded_inverse(const int* in, int* out, int width) {
  __shared__ int tile[tile_side][row_words + 1];
  transform_tile<false>(tile, in, out, width);
}

template <class Number>
using Basis = Number[side][side];

/// All rows of blocks (step 1) or all columns (step: the width) transformed by the definition.
/// @param finish  what becomes of each sum
template <class Number, class Finish>
std::vector<Number> transformed(const std::vector<Number>& in, int width, int step, const Basis<Number>& by,
                                bool forward, Finish finish) {
  std::vector<Number> out(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const int place = static_cast<int>((step == 1 ? i : i / width) % side);
    Number sum = 0;
    for (int n = 0; n < side; ++n)
      sum += (forward ? by[place][n] : by[n][place]) * in[i - size_t(place) * step + size_t(n) * step];
    out[i] = finish(sum);
  }
  return out;
}

/// What dct_short_forward or _inverse must give, to the last bit.
std::vector<int> reference(const std::vector<int>& in, int width, const Basis<int>& rounded, bool forward) {
  const auto shifted_by = [](int shift) { return [shift](int sum) { return (sum + (1 << (shift - 1))) >> shift; }; };
  const int first = forward ? basis_bits - fraction_bits : basis_bits;
  const int second = forward ? basis_bits : basis_bits + fraction_bits;
  const std::vector<int> rows = transformed(in, width, 1, rounded, forward, shifted_by(first));
  return transformed(rows, width, width, rounded, forward, shifted_by(second));
}

/// Pixels two to a word, and back.
std::vector<int> packed(const std::vector<int>& pixels) {
  std::vector<int> words(pixels.size() / 2);
  for (size_t i = 0; i < words.size(); ++i) {
    const uint32_t low = static_cast<uint16_t>(pixels[2 * i]), high = static_cast<uint16_t>(pixels[2 * i + 1]);
    words[i] = static_cast<int>(high << 16 | low);
  }
  return words;
}

std::vector<int> unpacked(const std::vector<int>& words) {
  std::vector<int> pixels;
  pixels.reserve(2 * words.size());
  for (int word : words) {
    pixels.push_back(static_cast<int16_t>(word));
    pixels.push_back(word >> 16);
  }
  return pixels;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--padded"}, 2);
  const int width = arguments.number(0, 128), height = arguments.number(1, width);
  if (width % tile_side || height % tile_side)
    refuse_arguments("the image does not consist of tiles", "width and height must be multiples of 32");
  Basis<double> exact;
  Basis<int> rounded;
  for (int k = 0; k < side; ++k)
    for (int n = 0; n < side; ++n) {
      exact[k][n] = (k ? 0.5 : std::sqrt(0.125)) * std::cos((2 * n + 1) * k * std::acos(-1.0) / 16);
      rounded[k][n] = static_cast<int>(std::lround(exact[k][n] * (1 << basis_bits)));
    }
  std::vector<int> image(size_t(width) * height);
  Random random;
  for (int& pixel : image) pixel = static_cast<int>(random.below(256)) - 128;

  CUDA_CHECK(cudaMemcpyToSymbol(basis, rounded, sizeof rounded));
  const std::vector<int> words = packed(image);
  DeviceArray<int> device_image(words), coefficients(words.size()), back(words.size());
  const dim3 grid(width / tile_side, height / tile_side), block(side, blocks_across, blocks_across);
  const bool padded = arguments.flag("--padded");
  const auto forward = padded ? dct_short_padded_forward : dct_short_forward;
  const auto inverse = padded ? dct_short_padded_inverse : dct_short_inverse;
  forward<<<grid, block>>>(device_image.get(), coefficients.get(), width / 2);
  inverse<<<grid, block>>>(coefficients.get(), back.get(), width / 2);
  finish_kernel();

  // Both kernels must give what the same arithmetic gives on the CPU; that this is the transform is another question.
  std::vector<int> measured = unpacked(coefficients.to_host());
  const std::vector<int> returned = unpacked(back.to_host());
  std::vector<int> expected = reference(image, width, rounded, true);
  const std::vector<int> expected_back = reference(expected, width, rounded, false);

  const auto as_is = [](double sum) { return sum; };
  const std::vector<double> pixels(image.begin(), image.end()),
      rows = transformed(pixels, width, 1, exact, true, as_is);
  const std::vector<double> transform = transformed(rows, width, width, exact, true, as_is);
  double coefficient_error = 0;
  int pixel_error = 0;
  for (size_t i = 0; i < image.size(); ++i) {
    coefficient_error = std::max(coefficient_error, std::fabs(measured[i] / double(1 << fraction_bits) - transform[i]));
    pixel_error = std::max(pixel_error, std::abs(returned[i] - image[i]));
  }
  std::printf("largest error of a coefficient %.3f, of a pixel that came back %d\n", coefficient_error, pixel_error);
  if (!(coefficient_error <= 0.5) || pixel_error > largest_error) {
    std::printf("FAIL dct_short: at most 0.5 and %d are right\n", largest_error);
    return 1;
  }
  measured.insert(measured.end(), returned.begin(), returned.end());
  expected.insert(expected.end(), expected_back.begin(), expected_back.end());
  return verdict("dct_short", measured, expected);
}

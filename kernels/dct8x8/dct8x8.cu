// The discrete cosine transform of an image in blocks of 8x8 pixels, forward and back again. A CTA of 8x4x2 threads holds
// 4x2 blocks in a tile of 32x16 words; in each block, a thread transforms first one row, then one column of eight words in
// place.
//   default   lanes that transform rows are 32 words apart (the eight rows of a block) and 8 words apart (the blocks): a
//             warp meets in four of 32 banks, eight lanes in one of 8. Columns have no conflicts.
//   --padded  33 words a row: no conflicts, neither of 32 lanes with 32 banks nor of eight lanes with 8
//   dct8x8 [width, a multiple of 32: 128] [height, a multiple of 16: width] [--padded]
#include "../check.hpp"

constexpr int side = 8, blocks_x = 4, blocks_y = 2;
constexpr int tile_width = side * blocks_x, tile_height = side * blocks_y;

// basis[k][n] = c(k) cos((2 n + 1) k pi / 16): its rows are orthonormal, and those of even k are even about the middle.
__constant__ float basis[side][side];

/// Transforms eight words, `stride` apart, in place.
template <bool forward>
__device__ void transform(float* vector, int stride) {
  constexpr int half = side / 2;
  float value[side], result[side];
  for (int n = 0; n < side; ++n) value[n] = vector[n * stride];
  if (forward) {
    for (int k = 0; k < side; ++k) {
      result[k] = 0;
      for (int n = 0; n < half; ++n)
        result[k] += basis[k][n] * (k % 2 ? value[n] - value[side - 1 - n] : value[n] + value[side - 1 - n]);
    }
  } else {
    for (int n = 0; n < half; ++n) {
      float even = 0, odd = 0;
      for (int k = 0; k < side; k += 2) {
        even += basis[k][n] * value[k];
        odd += basis[k + 1][n] * value[k + 1];
      }
      result[n] = even + odd;
      result[side - 1 - n] = even - odd;
    }
  }
  for (int n = 0; n < side; ++n) vector[n * stride] = result[n];
}

template <bool forward, int pitch>
__device__ void transform_blocks(float (&tile)[tile_height][pitch], const float* in, float* out, int width) {
  const int column = threadIdx.y * side, row = threadIdx.z * side;  // where the thread's block starts in the tile
  const int x = blockIdx.x * tile_width + column + threadIdx.x, y = blockIdx.y * tile_height + row;
  for (int i = 0; i < side; ++i) tile[row + i][column + threadIdx.x] = in[(y + i) * width + x];
  __syncthreads();
  transform<forward>(&tile[row + threadIdx.x][column], 1);
  __syncthreads();
  transform<forward>(&tile[row][column + threadIdx.x], pitch);
  __syncthreads();
  for (int i = 0; i < side; ++i) out[(y + i) * width + x] = tile[row + i][column + threadIdx.x];
}

__global__ void dct8x8_forward(const float* in, float* out, int width) {
  __shared__ float tile[tile_height][tile_width];
  transform_blocks<true>(tile, in, out, width);
}

__global__ void dct8x8_inverse(const float* in, float* out, int width) {
  __shared__ float tile[tile_height][tile_width];
  transform_blocks<false>(tile, in, out, width);
}

__global__ void dct8x8_padded_forward(const float* in, float* out, int width) {
  __shared__ float tile[tile_height][tile_width + 1];
  transform_blocks<true>(tile, in, out, width);
}

__global__ void dct8x8_padded_inverse(const float* in, float* out, int width) {
  __shared__ float tile[tile_height][tile_width + 1];
  transform_blocks<false>(tile, in, out, width);
}

/// The forward transform by its definition, rows and then columns, in double precision.
std::vector<float> reference(const std::vector<float>& in, int width, int height, const double (&exact)[side][side]) {
  std::vector<double> rows(in.size());
  std::vector<float> out(in.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int n = 0; n < side; ++n)
        rows[size_t(y) * width + x] += exact[x % side][n] * in[size_t(y) * width + x - x % side + n];
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int n = 0; n < side; ++n) sum += exact[y % side][n] * rows[size_t(y - y % side + n) * width + x];
      out[size_t(y) * width + x] = static_cast<float>(sum);
    }
  return out;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--padded"}, 2);
  const int width = arguments.number(0, 128), height = arguments.number(1, width);
  if (width % tile_width || height % tile_height) {
    std::fprintf(stderr, "the width must be a multiple of %d, the height of %d\n", tile_width, tile_height);
    return 2;
  }
  double exact[side][side];
  float rounded[side][side];
  for (int k = 0; k < side; ++k)
    for (int n = 0; n < side; ++n) {
      exact[k][n] = (k ? 0.5 : std::sqrt(0.125)) * std::cos((2 * n + 1) * k * std::acos(-1.0) / 16);
      rounded[k][n] = static_cast<float>(exact[k][n]);
    }
  std::vector<float> in(size_t(width) * height);
  Random random;
  for (float& pixel : in) pixel = static_cast<float>(random.below(256)) - 128;

  CUDA_CHECK(cudaMemcpyToSymbol(basis, rounded, sizeof rounded));
  DeviceArray<float> image(in), coefficients(in.size()), back(in.size());
  const dim3 grid(width / tile_width, height / tile_height), block(side, blocks_x, blocks_y);
  const bool padded = arguments.flag("--padded");
  const auto forward = padded ? dct8x8_padded_forward : dct8x8_forward;
  const auto inverse = padded ? dct8x8_padded_inverse : dct8x8_inverse;
  forward<<<grid, block>>>(image.get(), coefficients.get(), width);
  inverse<<<grid, block>>>(coefficients.get(), back.get(), width);
  finish_kernel();

  // The coefficients against the CPU's, and what came back against the image itself.
  std::vector<float> measured = coefficients.to_host(), expected = reference(in, width, height, exact);
  for (float pixel : back.to_host()) measured.push_back(pixel);
  expected.insert(expected.end(), in.begin(), in.end());
  return verdict("dct8x8", measured, expected, 1e-3);
}

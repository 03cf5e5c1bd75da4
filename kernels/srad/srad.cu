// Speckle-reducing anisotropic diffusion: smooths an image where it is even and spares its edges. Each step finds the
// diffusion coefficient of every pixel, then moves every pixel by them. Tiles are 16x16, and the pixels beside a tile
// are kept where they are in their own tiles: a warp reads two whole rows in every direction, and has no conflicts.
//   srad [side, a multiple of 16: 64] [steps: 2]
#include <utility>

#include "../check.hpp"

constexpr int tile_side = 16;
constexpr float lambda = 0.5f;

/// The diffusion coefficient of a pixel, between 0 and 1, from its differences to its four neighbours.
/// @param speckle  the square of the coefficient of variation in an even part of the image
__host__ __device__ inline float coefficient(float pixel, float north, float south, float west, float east,
                                             float speckle) {
  const float gradient = (north * north + south * south + west * west + east * east) / (pixel * pixel);
  const float laplacian = (north + south + west + east) / pixel;
  const float scale = 1 + 0.25f * laplacian;
  const float variation = (0.5f * gradient - laplacian * laplacian / 16) / (scale * scale);
  const float value = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));
  return value < 0 ? 0 : value > 1 ? 1 : value;
}

/// A tile and the pixels beside it; at the edge of the image, the edge once more.
struct Tile {
  float pixel[tile_side][tile_side];
  // Row 15 of the tile above and row 0 of the one below; column 15 of the tile to the left and 0 of the one to the right.
  float vertical[tile_side][tile_side];
  float horizontal[tile_side][tile_side];

  __device__ void load(const float* image, int side) {
    const int column = threadIdx.x, row = threadIdx.y, last = tile_side - 1;
    const int x = blockIdx.x * tile_side + column, y = blockIdx.y * tile_side + row;
    pixel[row][column] = image[y * side + x];
    if (row == 0) vertical[last][column] = image[(y ? y - 1 : y) * side + x];
    if (row == last) vertical[0][column] = image[(y + 1 < side ? y + 1 : y) * side + x];
    if (column == 0) horizontal[row][last] = image[y * side + (x ? x - 1 : x)];
    if (column == last) horizontal[row][0] = image[y * side + (x + 1 < side ? x + 1 : x)];
  }
  __device__ float above() const {
    return (threadIdx.y == 0 ? vertical : pixel)[(threadIdx.y - 1) % tile_side][threadIdx.x];
  }
  __device__ float below() const {
    return (threadIdx.y == tile_side - 1 ? vertical : pixel)[(threadIdx.y + 1) % tile_side][threadIdx.x];
  }
  __device__ float left() const {
    return (threadIdx.x == 0 ? horizontal : pixel)[threadIdx.y][(threadIdx.x - 1) % tile_side];
  }
  __device__ float right() const {
    return (threadIdx.x == tile_side - 1 ? horizontal : pixel)[threadIdx.y][(threadIdx.x + 1) % tile_side];
  }
};

__global__ void srad_coefficients(const float* image, float* coefficients, int side, float speckle) {
  __shared__ Tile tile;
  tile.load(image, side);
  __syncthreads();
  const float pixel = tile.pixel[threadIdx.y][threadIdx.x];
  coefficients[(blockIdx.y * tile_side + threadIdx.y) * side + blockIdx.x * tile_side + threadIdx.x] = coefficient(
      pixel, tile.above() - pixel, tile.below() - pixel, tile.left() - pixel, tile.right() - pixel, speckle);
}

__global__ void srad_update(const float* image, const float* coefficients, float* out, int side) {
  __shared__ Tile tile, flow;
  tile.load(image, side);
  flow.load(coefficients, side);
  __syncthreads();
  const float pixel = tile.pixel[threadIdx.y][threadIdx.x], own = flow.pixel[threadIdx.y][threadIdx.x];
  const float divergence = own * (tile.above() - pixel) + flow.below() * (tile.below() - pixel) +
                           own * (tile.left() - pixel) + flow.right() * (tile.right() - pixel);
  out[(blockIdx.y * tile_side + threadIdx.y) * side + blockIdx.x * tile_side + threadIdx.x] =
      pixel + 0.25f * lambda * divergence;
}

/// The square of the coefficient of variation in the upper left 16x16 pixels, taken to be even.
float speckle_of(const std::vector<float>& image, int side) {
  float sum = 0, squares = 0;
  for (int y = 0; y < tile_side; ++y)
    for (int x = 0; x < tile_side; ++x) {
      const float pixel = image[size_t(y) * side + x];
      sum += pixel;
      squares += pixel * pixel;
    }
  const float pixels = tile_side * tile_side, mean = sum / pixels;
  return (squares / pixels - mean * mean) / (mean * mean);
}

std::vector<float> srad_on_cpu(std::vector<float> image, int side, int steps) {
  auto at = [side](const std::vector<float>& values, int y, int x) {
    y = y < 0 ? 0 : y < side ? y : side - 1;
    x = x < 0 ? 0 : x < side ? x : side - 1;
    return values[size_t(y) * side + x];
  };
  for (int step = 0; step < steps; ++step) {
    const float speckle = speckle_of(image, side);
    std::vector<float> flow(image.size()), next(image.size());
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const float pixel = at(image, y, x);
        flow[size_t(y) * side + x] = coefficient(pixel, at(image, y - 1, x) - pixel, at(image, y + 1, x) - pixel,
                                                 at(image, y, x - 1) - pixel, at(image, y, x + 1) - pixel, speckle);
      }
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const float pixel = at(image, y, x), own = at(flow, y, x);
        next[size_t(y) * side + x] =
            pixel + 0.25f * lambda *
                        (own * (at(image, y - 1, x) - pixel) + at(flow, y + 1, x) * (at(image, y + 1, x) - pixel) +
                         own * (at(image, y, x - 1) - pixel) + at(flow, y, x + 1) * (at(image, y, x + 1) - pixel));
      }
    image = next;
  }
  return image;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int side = arguments.number(0, 64), steps = arguments.number(1, 2);
  if (side % tile_side) {
    std::fprintf(stderr, "the side must be a multiple of %d\n", tile_side);
    return 2;
  }
  std::vector<float> image(size_t(side) * side);
  Random random;
  for (float& pixel : image) pixel = 1 + static_cast<float>(random.below(256)) / 256;
  const dim3 grid(side / tile_side, side / tile_side), block(tile_side, tile_side);
  DeviceArray<float> device_image(image), coefficients(image.size()), out(image.size());
  float *from = device_image.get(), *to = out.get();
  for (int step = 0; step < steps; ++step) {
    const std::vector<float> now = (step % 2 ? out : device_image).to_host();
    srad_coefficients<<<grid, block>>>(from, coefficients.get(), side, speckle_of(now, side));
    srad_update<<<grid, block>>>(from, coefficients.get(), to, side);
    finish_kernel();
    std::swap(from, to);
  }
  return verdict("srad", (steps % 2 ? out : device_image).to_host(), srad_on_cpu(image, side, steps), 1e-4);
}

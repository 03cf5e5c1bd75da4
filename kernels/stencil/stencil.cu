// A 5x5 convolution of an image, with the weights in constant memory and a tile with its halo in dynamic shared memory.
//   stencil [width: 512] [height: width]
#include "../check.hpp"

constexpr int radius = 2, filter_side = 2 * radius + 1, tile_width = 32, tile_height = 8;

__constant__ float weights[filter_side * filter_side];

__global__ void convolve(const float* in, float* out, int width, int height) {
  extern __shared__ float tile[];
  const int row_words = tile_width + 2 * radius;
  const int left = blockIdx.x * tile_width - radius, top = blockIdx.y * tile_height - radius;
  for (int y = threadIdx.y; y < tile_height + 2 * radius; y += tile_height)
    for (int x = threadIdx.x; x < row_words; x += tile_width) {
      const int from_x = left + x, from_y = top + y;
      const bool inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height;
      tile[y * row_words + x] = inside ? in[from_y * width + from_x] : 0.0f;
    }
  __syncthreads();
  const int x = blockIdx.x * tile_width + threadIdx.x, y = blockIdx.y * tile_height + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = 0; dy < filter_side; ++dy)
    for (int dx = 0; dx < filter_side; ++dx)
      sum += weights[dy * filter_side + dx] * tile[(threadIdx.y + dy) * row_words + threadIdx.x + dx];
  out[y * width + x] = sum;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int width = arguments.number(0, 512), height = arguments.number(1, width);
  // Binomial weights times 256 and whole pixels: every sum is exact.
  const int binomial[filter_side] = {1, 4, 6, 4, 1};
  float filter[filter_side * filter_side];
  for (int i = 0; i < filter_side * filter_side; ++i)
    filter[i] = static_cast<float>(binomial[i / filter_side] * binomial[i % filter_side]);
  std::vector<float> in(size_t(width) * height), expected(in.size());
  Random random;
  for (float& pixel : in) pixel = static_cast<float>(random.below(256));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx)
          if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
            expected[size_t(y) * width + x] +=
                filter[(dy + radius) * filter_side + dx + radius] * in[size_t(y + dy) * width + x + dx];
  CUDA_CHECK(cudaMemcpyToSymbol(weights, filter, sizeof filter));
  DeviceArray<float> device_in(in), out(in.size());
  const dim3 block(tile_width, tile_height);
  const dim3 grid((width + tile_width - 1) / tile_width, (height + tile_height - 1) / tile_height);
  const size_t tile_bytes = sizeof(float) * (tile_width + 2 * radius) * (tile_height + 2 * radius);
  convolve<<<grid, block, tile_bytes>>>(device_in.get(), out.get(), width, height);
  finish_kernel();
  return verdict("stencil", out.to_host(), expected);
}

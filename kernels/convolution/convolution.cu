// A separable convolution of an image with a 5x5 binomial filter, as two kernels with tiles in shared memory: first along
// the rows, then along the columns. The tiles have no padding:
//   conv_rows     a warp covers two rows of the tile, 160 words apart: a multiple of the banks, so both meet in 16 banks
//   conv_columns  neighbouring lanes read neighbouring columns, which are stored 80 words apart: they meet in 4 banks
//   convolution [width: 128] [height: width]
#include "../check.hpp"

constexpr int radius = 2, taps = 2 * radius + 1;
// Each thread computes `results` pixels, a CTA's width (height) apart; one more such step on each side holds the halo.
constexpr int results = 8, steps = results + 2;
constexpr int rows_width = 16, rows_height = 4;
constexpr int columns_width = 16, columns_height = 8;

__constant__ float weights[taps];

__global__ void conv_rows(const float* in, float* out, int width, int height) {
  __shared__ float tile[rows_height][steps * rows_width];
  const int first = (static_cast<int>(blockIdx.x) * results - 1) * rows_width + threadIdx.x;
  const int y = blockIdx.y * rows_height + threadIdx.y;
  for (int step = 0; step < steps; ++step) {
    const int x = first + step * rows_width;
    float pixel = 0;
    if (y < height && x >= 0 && x < width) pixel = in[y * width + x];
    tile[threadIdx.y][threadIdx.x + step * rows_width] = pixel;
  }
  __syncthreads();
  for (int step = 1; step <= results; ++step) {
    float sum = 0;
    for (int tap = -radius; tap <= radius; ++tap)
      sum += weights[radius + tap] * tile[threadIdx.y][threadIdx.x + step * rows_width + tap];
    const int x = first + step * rows_width;
    if (y < height && x < width) out[y * width + x] = sum;
  }
}

__global__ void conv_columns(const float* in, float* out, int width, int height) {
  __shared__ float tile[columns_width][steps * columns_height];  // a row of the array is a column of the image
  const int first = (static_cast<int>(blockIdx.y) * results - 1) * columns_height + threadIdx.y;
  const int x = blockIdx.x * columns_width + threadIdx.x;
  for (int step = 0; step < steps; ++step) {
    const int y = first + step * columns_height;
    float pixel = 0;
    if (x < width && y >= 0 && y < height) pixel = in[y * width + x];
    tile[threadIdx.x][threadIdx.y + step * columns_height] = pixel;
  }
  __syncthreads();
  for (int step = 1; step <= results; ++step) {
    float sum = 0;
    for (int tap = -radius; tap <= radius; ++tap)
      sum += weights[radius + tap] * tile[threadIdx.x][threadIdx.y + step * columns_height + tap];
    const int y = first + step * columns_height;
    if (x < width && y < height) out[y * width + x] = sum;
  }
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int width = arguments.number(0, 128), height = arguments.number(1, width);
  // Whole weights and whole pixels: every sum is exact.
  const float filter[taps] = {1, 4, 6, 4, 1};
  std::vector<float> in(size_t(width) * height), rows(in.size()), expected(in.size());
  Random random;
  for (float& pixel : in) pixel = static_cast<float>(random.below(256));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int tap = -radius; tap <= radius; ++tap)
        if (x + tap >= 0 && x + tap < width)
          rows[size_t(y) * width + x] += filter[tap + radius] * in[size_t(y) * width + x + tap];
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int tap = -radius; tap <= radius; ++tap)
        if (y + tap >= 0 && y + tap < height)
          expected[size_t(y) * width + x] += filter[tap + radius] * rows[size_t(y + tap) * width + x];

  CUDA_CHECK(cudaMemcpyToSymbol(weights, filter, sizeof filter));
  DeviceArray<float> device_in(in), between(in.size()), out(in.size());
  const auto ceiling = [](int size, int part) { return (size + part - 1) / part; };
  conv_rows<<<dim3(ceiling(width, results * rows_width), ceiling(height, rows_height)),
              dim3(rows_width, rows_height)>>>(device_in.get(), between.get(), width, height);
  conv_columns<<<dim3(ceiling(width, columns_width), ceiling(height, results * columns_height)),
                 dim3(columns_width, columns_height)>>>(between.get(), out.get(), width, height);
  finish_kernel();
  return verdict("convolution", out.to_host(), expected);
}

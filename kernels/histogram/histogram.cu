// A 256-bin histogram of an image: each CTA counts in shared memory with atomics, then adds its counts to the result.
// Neighbouring pixels are alike, as in photographs, so that lanes of a warp meet on one word.
//   histogram [pixels: 1000000] [--flat: pixels without likeness]
#include "../check.hpp"

constexpr int bins = 256;

__global__ void histogram(const unsigned char* pixels, unsigned* counts, int n) {
  __shared__ unsigned local[bins];
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[pixels[i]], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd(&counts[bin], local[bin]);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int n = arguments.number(0, 1'000'000), block = 256, grid = 64;
  std::vector<unsigned char> pixels(n);
  std::vector<unsigned> expected(bins);
  Random random;
  const bool flat = arguments.flag("--flat");
  int brightness = 128;
  for (int i = 0; i < n; ++i) {
    brightness += static_cast<int>(random.below(17)) - 8;
    brightness = brightness < 0 ? 0 : brightness > 255 ? 255 : brightness;
    pixels[i] = static_cast<unsigned char>(flat ? random.below(bins) : brightness);
    ++expected[pixels[i]];
  }
  DeviceArray<unsigned char> device_pixels(pixels);
  DeviceArray<unsigned> counts(bins);
  counts.fill_zero();
  histogram<<<grid, block>>>(device_pixels.get(), counts.get(), n);
  finish_kernel();
  return verdict("histogram", counts.to_host(), expected);
}

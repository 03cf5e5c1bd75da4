// Histograms of 64 and of 256 bins of an image, voted into 32 copies in shared memory, one a lane: lanes of a warp never
// meet on one word, but on one bank wherever two pixels fall into bins that are a multiple of 32 apart, since copies start
// at multiples of 64 (256) words. At the end, each CTA adds its copies up.
//   voting_histogram [width: 1024] [height: width] [--seed=N: 1, which image to make] [--pgm=FILE: read it instead]
#include "../check.hpp"
#include "../image.hpp"

constexpr int replication = 32, block_threads = 256, grid = 8;

template <int bins>
__device__ void vote(unsigned (&copies)[replication][bins], const uint8_t* pixels, unsigned* counts, int n) {
  unsigned* words = &copies[0][0];
  for (int i = threadIdx.x; i < replication * bins; i += block_threads) words[i] = 0;
  __syncthreads();
  unsigned* copy = copies[threadIdx.x % replication];
  for (int i = blockIdx.x * block_threads + threadIdx.x; i < n; i += gridDim.x * block_threads)
    atomicAdd(&copy[pixels[i] / (256 / bins)], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += block_threads) {
    unsigned sum = 0;
    for (int i = 0; i < replication; ++i) sum += copies[i][bin];
    atomicAdd(&counts[bin], sum);
  }
}

__global__ void hist64(const uint8_t* pixels, unsigned* counts, int n) {
  __shared__ unsigned copies[replication][64];
  vote(copies, pixels, counts, n);
}

__global__ void hist256(const uint8_t* pixels, unsigned* counts, int n) {
  __shared__ unsigned copies[replication][256];
  vote(copies, pixels, counts, n);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const char* file = arguments.option("--pgm=");
  const int width = arguments.number(0, 1024), height = arguments.number(1, width);
  const Image image = file ? read_pgm(file) : made_image(width, height, arguments.number("--seed=", 1));
  // Both histograms in one array, that of 64 bins first.
  std::vector<unsigned> expected(64 + 256);
  for (uint8_t pixel : image.pixels) {
    ++expected[pixel / 4];
    ++expected[64 + pixel];
  }
  const int n = static_cast<int>(image.pixels.size());
  DeviceArray<uint8_t> pixels(image.pixels);
  DeviceArray<unsigned> counts(expected.size());
  counts.fill_zero();
  hist64<<<grid, block_threads>>>(pixels.get(), counts.get(), n);
  hist256<<<grid, block_threads>>>(pixels.get(), counts.get() + 64, n);
  finish_kernel();
  return verdict("voting_histogram", counts.to_host(), expected);
}

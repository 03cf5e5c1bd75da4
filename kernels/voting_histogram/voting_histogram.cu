// Histograms of 64 and of 256 bins of an image, voted into 32 copies in shared memory, one a lane: lanes of a warp never
// meet on one word, but on one bank wherever two pixels fall into bins that are a multiple of 32 apart, since copies start
// at multiples of 64 (256) words. At the end, each CTA adds its copies up.
//   voting_histogram [width: 1024] [height: width] [--seed=N: 1, which image to make] [--pgm=FILE: read it instead]
//                    [--grid=N: 8 CTAs] [--threads=N: 256 of a CTA] [--words: a thread loads four neighbouring pixels at once]
//                    [--grain=N: 2, noise of the made image, from -2 to 2 of 255] [--finest=N: 4, pixels of its smallest scale]
//                    [--natural=arguments.number("--natural=", 0, 0): an image of overlapping discs as of 8 bits, noise of its 12 bits from -arguments.number("--natural=", 0, 0) to arguments.number("--natural=", 0, 0)]
#include "../check.hpp"
#include "../natural_image.hpp"

constexpr int replication = 32;

/// @param words  four pixels each, of which there are `n`
template <int bins>
__device__ void vote_words(unsigned* copy, const uint32_t* words, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const uint32_t four = words[i];
    for (int pixel = 0; pixel < 32; pixel += 8) atomicAdd(&copy[(four >> pixel & 255) / (256 / bins)], 1u);
  }
}

template <int bins>
__device__ void vote(unsigned (&copies)[replication][bins], const uint8_t* pixels, unsigned* counts, int n,
                     bool by_words) {
  unsigned* words = &copies[0][0];
  for (int i = threadIdx.x; i < replication * bins; i += blockDim.x) words[i] = 0;
  __syncthreads();
  unsigned* copy = copies[threadIdx.x % replication];
  if (by_words) {
    vote_words<bins>(copy, reinterpret_cast<const uint32_t*>(pixels), n);
  } else {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      atomicAdd(&copy[pixels[i] / (256 / bins)], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned sum = 0;
    for (int i = 0; i < replication; ++i) sum += copies[i][bin];
    atomicAdd(&counts[bin], sum);
  }
}

__global__ void hist64(const uint8_t* pixels, unsigned* counts, int n, bool by_words) {
  __shared__ unsigned copies[replication][64];
  vote(copies, pixels, counts, n, by_words);
}

__global__ void hist256(const uint8_t* pixels, unsigned* counts, int n, bool by_words) {
  __shared__ unsigned copies[replication][256];
  vote(copies, pixels, counts, n, by_words);
}

/// The upper 8 of 12 bits.
static Image of_8_bits(const Image12& image) {
  Image upper{image.width, image.height, {}};
  for (uint16_t pixel : image.pixels) upper.pixels.push_back(static_cast<uint8_t>(pixel >> 4));
  return upper;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--seed=", "--pgm=", "--grid=", "--threads=", "--words", "--grain=", "--finest=", "--natural="}, 2);
  const char* file = arguments.option("--pgm=");
  const int width = arguments.number(0, 1024), height = arguments.number(1, width);
  const int grid = arguments.number("--grid=", 8), threads = arguments.number("--threads=", 256);
  const bool by_words = arguments.flag("--words");
  const int seed = arguments.number("--seed=", 1);
  const int grain = arguments.number("--grain=", 2, 0), finest = arguments.number("--finest=", 4, 4);
  const int noise = arguments.number("--natural=", 0, 0);
  if (grain > 255 || noise > 4095)
    refuse_arguments("the noise is more than white", "give --grain=0 to 255, --natural=0 to 4095");
  if (finest > 64) refuse_arguments("the largest scale has 64 pixels", "give --finest=4 to 64");
  const Image image = file                             ? read_pgm(file)
                      : arguments.option("--natural=") ? of_8_bits(natural_image(width, height, seed, noise))
                                                       : made_image(width, height, seed, grain, finest);
  if (threads > 1024 || grid > 1 << 16)
    refuse_arguments("a CTA has at most 1,024 threads, a grid here 65,536 CTAs", "give smaller --threads or --grid");
  if (by_words && image.pixels.size() % 4 != 0)
    refuse_arguments("the pixels are not a multiple of four", "leave out --words");
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
  hist64<<<grid, threads>>>(pixels.get(), counts.get(), n, by_words);
  hist256<<<grid, threads>>>(pixels.get(), counts.get() + 64, n, by_words);
  finish_kernel();
  return verdict("voting_histogram", counts.to_host(), expected);
}

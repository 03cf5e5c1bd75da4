// A histogram of a 12-bit image, voted into copies in shared memory: what Performance Modeling of Atomic Additions on GPU
// Scratchpad Memory (TPDS 2013), section 4.2, and Simulation and Architecture Improvements of Atomic Operations on GPU
// Scratchpad Memory (ICCD 2013), section V, measure, for 32 to 4,096 bins and 1 to 256 copies as far as 48 KB reach.
// Neighbouring threads take neighbouring pixels; at the end each CTA adds its copies up.
//   histogram_copies [width: 192] [height: width * 2 / 3] [--bins=N: 256] [--copies=R: 1] [--block: mapping; else cyclic]
//                    [--pad=P: 0 words between copies] [--stretch: the copies of a bin are neighbours] [--grid=N: 16 CTAs]
//                    [--threads=N: 1024 of a CTA] [--seed=N: 1] [--pgm=FILE: not a made image] [--print: its statistics]
//                    [--levels=N: 4096 greys, spread over the 12 bits: 256 is what an image of 8 bits becomes]
//                    [--noise=N: 8, from -8 to 8 of 4,095, of the made image]
//                    [--rgb=sum or --rgb=rounded: the greys of a picture in 24-bit colour, the weighted sum of its channels in
//                    12 bits, or in 8 bits with zeros behind]
#include "../colour_image.hpp"
#include "../replication.hpp"

/// @param pixels  12 bits each
/// @param shift   what makes a bin of a pixel
__global__ void histogram_copies(const uint16_t* pixels, int n, int shift, Copies of, unsigned* counts) {
  extern __shared__ unsigned space[];
  for (int i = threadIdx.x; i < of.span(); i += blockDim.x) space[i] = 0;
  __syncthreads();
  unsigned* copy = space + of.start(threadIdx.x, blockDim.x);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&copy[(pixels[i] >> shift) * of.of_bin], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < of.words; bin += blockDim.x) atomicAdd(&counts[bin], sum_of_copies(space, bin, of));
}

/// What decides about conflicts: how alike neighbours are, and how many of a warp's lanes meet on its fullest bin.
static void print_statistics(const Image12& image, int shift) {
  std::printf("image %dx%d: correlation of pixels 1, 2, 8, 32 apart", image.width, image.height);
  for (int distance : {1, 2, 8, 32}) std::printf(" %.3f", correlation(image, distance));
  double fullest = 0;
  size_t warps = image.pixels.size() / 32;
  for (size_t warp = 0; warp < warps; ++warp) {
    std::vector<int> votes(4096);
    int most = 0;
    for (size_t i = 0; i < 32; ++i) most = std::max(most, ++votes[image.pixels[warp * 32 + i] >> shift]);
    fullest += most;
  }
  std::printf("; lanes of a warp on its fullest bin %.2f\n", warps ? fullest / warps : 0.0);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--bins=", "--copies=", "--block", "--pad=", "--stretch",
                   "--grid=", "--threads=", "--seed=", "--pgm=", "--print", "--levels=", "--noise=", "--rgb="},
                  2);
  const int width = arguments.number(0, 192), height = arguments.number(1, (width * 2 + 2) / 3);
  const int bins = arguments.number("--bins=", 256), threads = arguments.number("--threads=", 1024);
  const int grid = arguments.number("--grid=", 16), seed = arguments.number("--seed=", 1);
  const int levels = arguments.number("--levels=", 4096), noise = arguments.number("--noise=", 8, 0);
  if (bins & (bins - 1) || bins > 4096)
    refuse_arguments("12 bits make 1, 2, 4 … 4,096 bins", "give one of these as --bins");
  if (threads > 1024 || grid > 1 << 16) refuse_arguments("too much", "give up to 1,024 --threads, 65,536 CTAs");
  if (width > 1 << 14 || height > 1 << 14)
    refuse_arguments("the image is too large", "give up to 16,384 pixels a side");
  if (noise > 4095) refuse_arguments("12 bits are 4,096 greys", "give --noise=0 to 4095");
  if (levels < 2 || levels > 4096) refuse_arguments("12 bits are 4,096 greys", "give --levels=2 to 4096");
  const std::string rgb = arguments.option("--rgb=") ? arguments.option("--rgb=") : "";
  if (arguments.option("--rgb=") && rgb != "sum" && rgb != "rounded")
    refuse_arguments("there are two ways from colour to grey", "give --rgb=sum or --rgb=rounded");
  const Copies of = read_copies(arguments, bins, 1, threads);
  int shift = 12;
  while (4096 >> shift < bins) --shift;

  const char* file = arguments.option("--pgm=");
  Image12 image = file ? read_pgm<uint16_t>(file, 4095) : natural_image(width, height, seed, noise);
  if (!rgb.empty()) image = in_grey(in_colour(image, seed), rgb == "rounded");
  for (uint16_t& pixel : image.pixels) pixel = static_cast<uint16_t>(pixel * levels / 4096 * 4095 / (levels - 1));
  if (!file) std::printf("seed %d\n", seed);
  if (arguments.flag("--print")) print_statistics(image, shift);
  std::vector<unsigned> expected(bins);
  for (uint16_t pixel : image.pixels) ++expected[pixel >> shift];

  DeviceArray<uint16_t> pixels(image.pixels);
  DeviceArray<unsigned> counts(bins);
  counts.fill_zero();
  histogram_copies<<<grid, threads, of.span() * sizeof(unsigned)>>>(pixels.get(), static_cast<int>(image.pixels.size()),
                                                                    shift, of, counts.get());
  finish_kernel();
  return verdict("histogram_copies", counts.to_host(), expected);
}

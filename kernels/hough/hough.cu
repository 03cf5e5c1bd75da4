// The voting step of the Hough transform for lines, after section V of Simulation and Architecture Improvements of Atomic
// Operations on GPU Scratchpad Memory (ICCD 2013): each edge pixel votes, for each angle theta, for the line through it that
// has the distance rho = x cos(theta) + y sin(theta) from the origin, here the middle of the image. Neighbouring threads take
// neighbouring entries of an array of edge pixels. A CTA has the copies of some angles' part of the vote space in shared
// memory, bin = theta * distances + rho; with the defaults six copies fill its 48 KB.
//   hough [width: 640] [height: 480] [--angles=N: 30 in half a turn] [--distances=N: 1024, a pixel each]
//         [--angles-of-cta=N: 2] [--copies=R: 1] [--block] [--pad=P: 0] [--stretch] [--threads=N: 512 of a CTA]
//         [--lines=N: 12] [--seed=N: 1] [--pgm=FILE: not a made image] [--threshold=N: 64, of edges]
#include "../replication.hpp"
#include "edges.hpp"

constexpr int fraction = 14;  // sines are in units of 2^-14, so that CPU and GPU agree

struct Space {
  int middle_x, middle_y, distances;
};

/// @param pixel      x + 65536 y
/// @param direction  cosine and sine
__host__ __device__ inline int distance_bin(unsigned pixel, int2 direction, const Space& space) {
  const int x = static_cast<int>(pixel & 0xffff) - space.middle_x, y = static_cast<int>(pixel >> 16) - space.middle_y;
  return ((x * direction.x + y * direction.y) >> fraction) + space.distances / 2;
}

/// @param directions  by angle
/// @param angles      of all CTAs
/// @param votes       by angle and distance
__global__ void hough(const unsigned* edges, int n, const int2* directions, int angles, Space space, Copies of,
                      unsigned* votes) {
  extern __shared__ unsigned words[];
  for (int i = threadIdx.x; i < of.span(); i += blockDim.x) words[i] = 0;
  __syncthreads();
  unsigned* copy = words + of.start(threadIdx.x, blockDim.x);
  const int angles_of_cta = of.words / space.distances, first = blockIdx.x * angles_of_cta;
  const int last = min(first + angles_of_cta, angles);
  for (int angle = first; angle < last; ++angle) {
    const int2 direction = directions[angle];
    const int bins = (angle - first) * space.distances;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      atomicAdd(&copy[(bins + distance_bin(edges[i], direction, space)) * of.of_bin], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < (last - first) * space.distances; bin += blockDim.x)
    votes[first * space.distances + bin] = sum_of_copies(words, bin, of);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--angles=", "--distances=", "--angles-of-cta=", "--copies=", "--block", "--pad=", "--stretch",
                   "--threads=", "--lines=", "--seed=", "--pgm=", "--threshold="},
                  2);
  const int width = arguments.number(0, 640), height = arguments.number(1, 480);
  const int angles = arguments.number("--angles=", 30), distances = arguments.number("--distances=", 1024);
  const int angles_of_cta = arguments.number("--angles-of-cta=", 2), threads = arguments.number("--threads=", 512);
  const int lines = arguments.number("--lines=", 12), seed = arguments.number("--seed=", 1);
  const int threshold = arguments.number("--threshold=", 64);
  if (width > 1 << 14 || height > 1 << 14)
    refuse_arguments("the image is too large", "give up to 16,384 pixels a side");
  if (threads > 1024 || angles > 1 << 16) refuse_arguments("too much", "give up to 1,024 --threads, 65,536 --angles");
  if (distances > shared_words || angles_of_cta > shared_words)
    refuse_arguments("the vote space of a CTA is beyond 48 KB", "give fewer --distances or --angles-of-cta");
  const Copies of = read_copies(arguments, distances * angles_of_cta, 1, threads);

  const char* file = arguments.option("--pgm=");
  const Image image = file ? read_pgm(file) : image_of_lines(width, height, lines, seed);
  const Space space{image.width / 2, image.height / 2, distances};
  if (std::hypot(space.middle_x, space.middle_y) + 2 > distances / 2)
    refuse_arguments("there are fewer distances than the diagonal has pixels", "give more --distances");
  std::vector<unsigned> edges = edge_pixels(image, threshold);
  std::vector<int2> directions;
  for (int angle = 0; angle < angles; ++angle) {
    const double theta = angle * 3.14159265358979323846 / angles;
    directions.push_back({static_cast<int>(std::lround(std::cos(theta) * (1 << fraction))),
                          static_cast<int>(std::lround(std::sin(theta) * (1 << fraction)))});
  }
  std::vector<unsigned> expected(size_t(angles) * distances);
  for (int angle = 0; angle < angles; ++angle)
    for (unsigned edge : edges) ++expected[size_t(angle) * distances + distance_bin(edge, directions[angle], space)];

  const int n = static_cast<int>(edges.size());
  if (!file) std::printf("seed %d\n", seed);
  std::printf("%d edge pixels of %dx%d\n", n, image.width, image.height);
  edges.push_back(0);  // an array of no pixels is none
  DeviceArray<unsigned> device_edges(edges), votes(expected.size());
  DeviceArray<int2> device_directions(directions);
  hough<<<(angles + angles_of_cta - 1) / angles_of_cta, threads, of.span() * sizeof(unsigned)>>>(
      device_edges.get(), n, device_directions.get(), angles, space, of, votes.get());
  finish_kernel();
  return verdict("hough", votes.to_host(), expected);
}

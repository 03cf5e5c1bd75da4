// One iteration of k-means in shared memory, after the benchmark KM of Hardware Support for Local Memory Transactions
// on GPU Architectures, section 5.1.2: a random point of three whole coordinates a thread. A thread looks for the
// centre closest to its point, of several the first; then one transaction adds the three coordinates to that centre's
// three sums. Points are counted by an atomic addition outside, so that a transaction touches nothing but those three
// words, which lie in one bank, as the paper has it: coordinate d of centre k is word (k / 32 * 3 + d) * 32 + k % 32.
// Sums and counts are what is computed; the new centres are their quotients. Each CTA has points and sums of its own;
// all have the same centres.
//   tx_kmeans [centres: 16, up to 256]
//             [--version=transactions|serial|coarse|fine|atomics: how sums are changed (critical_section.hpp)]
//             [--ctas=N: 1] [--threads=N: 256 of a CTA, at most] [--seed=N: 1]
#include "../critical_section.hpp"

constexpr int dimensions = 3;
constexpr int banks = 32;

/// The word of a centre's coordinate.
__host__ __device__ inline int word_of(int centre, int d) {
  return (centre / banks * dimensions + d) * banks + centre % banks;
}

/// Words of all coordinates: full rows of 32.
__host__ __device__ inline int words_of(int centres) { return (centres + banks - 1) / banks * dimensions * banks; }

struct Point {
  int at[dimensions];
};

/// @param coordinates  of centres, as word_of has them
__host__ __device__ inline int closest(const Point& point, const int* coordinates, int centres) {
  int best = 0, least = 1 << 30;
  for (int centre = 0; centre < centres; ++centre) {
    int distance = 0;
    for (int d = 0; d < dimensions; ++d) {
      const int difference = point.at[d] - coordinates[word_of(centre, d)];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = centre;
    }
  }
  return best;
}

template <class Version>
__device__ void add(Version, int* sums, int* locks, int centre, const Point& point) {
  Version::run(locks, centre, centre, [&] {
    for (int d = 0; d < dimensions; ++d) {
      volatile int* sum = &sums[word_of(centre, d)];
      *sum = *sum + point.at[d];
    }
  });
}

__device__ void add(Atomics, int* sums, int*, int centre, const Point& point) {
  for (int d = 0; d < dimensions; ++d) atomicAdd(&sums[word_of(centre, d)], point.at[d]);
}

/// Shared memory: sums, then the centres, counts and locks.
/// @param points   coordinates: a row of all threads for each dimension
/// @param results  sums and counts of each CTA
template <class Version>
__global__ void tx_kmeans(const int* points, const int* coordinates, int centres, int* results) {
  extern __shared__ int words[];
  const int size = words_of(centres);
  int *old = words + size, *counts = old + size, *locks = counts + centres;
  for (int i = threadIdx.x; i < 2 * size + centres + Version::locks(centres); i += blockDim.x)
    words[i] = i >= size && i < 2 * size ? coordinates[i - size] : 0;
  __syncthreads();
  Point point;
  for (int d = 0; d < dimensions; ++d) point.at[d] = points[(d * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x];
  const int centre = closest(point, old, centres);
  atomicAdd(&counts[centre], 1);
  add(Version{}, words, locks, centre, point);
  __syncthreads();
  int* result = results + blockIdx.x * (size + centres);
  for (int i = threadIdx.x; i < size; i += blockDim.x) result[i] = words[i];
  for (int i = threadIdx.x; i < centres; i += blockDim.x) result[size + i] = counts[i];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--version=", "--ctas=", "--threads=", "--seed="}, 1);
  const int centres = arguments.number(0, 16), seed = arguments.number("--seed=", 1), size = words_of(centres);
  const Grid grid = read_grid(arguments);
  if (centres > 256) refuse_arguments("too many centres", "give up to 256");

  Random random = seeded(seed);
  std::vector<int> points(size_t(dimensions) * grid.all()), coordinates(size);
  for (int& coordinate : points) coordinate = static_cast<int>(random.below(1024));
  for (int& coordinate : coordinates) coordinate = static_cast<int>(random.below(1024));
  std::vector<int> expected;
  for (int cta = 0; cta < grid.ctas; ++cta) {
    std::vector<int> result(size + centres);
    for (int thread = cta * grid.threads; thread < (cta + 1) * grid.threads; ++thread) {
      Point point;
      for (int d = 0; d < dimensions; ++d) point.at[d] = points[d * grid.all() + thread];
      const int centre = closest(point, coordinates.data(), centres);
      for (int d = 0; d < dimensions; ++d) result[word_of(centre, d)] += point.at[d];
      ++result[size + centre];
    }
    expected.insert(expected.end(), result.begin(), result.end());
  }

  DeviceArray<int> device_points(points), device_coordinates(coordinates), results(expected.size());
  with_version<Transactions, Serial, Coarse, Fine, Atomics>(arguments, [&](auto version) {
    using Version = decltype(version);
    const size_t bytes = (2 * size + centres + Version::locks(centres)) * sizeof(int);
    tx_kmeans<Version>
        <<<grid.ctas, grid.threads, bytes>>>(device_points.get(), device_coordinates.get(), centres, results.get());
  });
  finish_kernel();
  std::printf("seed %d\n", seed);
  return verdict("tx_kmeans", results.to_host(), expected);
}

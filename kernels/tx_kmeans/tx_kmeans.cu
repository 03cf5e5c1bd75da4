// One iteration of k-means in shared memory, after the benchmark KM of Hardware Support for Local Memory Transactions
// on GPU Architectures, section 5.1.2: a random point of three whole coordinates a thread. A thread looks for the
// centre closest to its point, of several the first; then one transaction adds the three coordinates to that centre's
// three sums. Points are counted by an atomic addition outside, so that a transaction touches nothing but those three
// words. They lie in one bank: "each one of the K 3-dimensional centers is stored in a single bank" (section 5.2.2). This
// can be read in two ways. Each centre has a bank: coordinate d of the sum of centre k is word
// (k / 32 * 3 + d) * 32 + k % 32. With --one-bank all centres have the same bank: it is word (3 * k + d) * 32.
// Sums and counts are what is computed; the new centres are their quotients. Each CTA has points and sums of its own; all
// have the same centres.
//   tx_kmeans [centres: 16, up to 256]
//             [--version=transactions|serial|coarse|fine|atomics: how sums are changed (critical_section.hpp)]
//             [--one-bank: all sums in bank 0; up to 64 centres]
//             [--ctas=N: 1] [--threads=N: 256 of a CTA, at most] [--seed=N: 1]
#include "../critical_section.hpp"

constexpr int dimensions = 3;
constexpr int banks = 32;

/// Where three coordinates of each centre are, those of one centre in the same bank.
template <bool one_bank>  // of all centres
struct Layout {
  int centres;

  __host__ __device__ int rows() const { return (one_bank ? centres : (centres + banks - 1) / banks) * dimensions; }
  /// Full rows of all banks.
  __host__ __device__ int words() const { return rows() * banks; }
  __host__ __device__ int word(int centre, int d) const {
    const int row = one_bank ? centre : centre / banks, bank = one_bank ? 0 : centre % banks;
    return (row * dimensions + d) * banks + bank;
  }
};

struct Point {
  int at[dimensions];
};

__host__ __device__ inline int closest(const Point& point, const int* coordinates, const Layout<false>& old) {
  int best = 0, least = 1 << 30;
  for (int centre = 0; centre < old.centres; ++centre) {
    int distance = 0;
    for (int d = 0; d < dimensions; ++d) {
      const int difference = point.at[d] - coordinates[old.word(centre, d)];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = centre;
    }
  }
  return best;
}

template <class Version, class L>
__device__ void add(Version, int* sums, int* locks, const L& layout, int centre, const Point& point) {
  Version::run(locks, centre, centre, [&] {
    for (int d = 0; d < dimensions; ++d) {
      volatile int* sum = &sums[layout.word(centre, d)];
      *sum = *sum + point.at[d];
    }
  });
}

template <class L>
__device__ void add(Atomics, int* sums, int*, const L& layout, int centre, const Point& point) {
  for (int d = 0; d < dimensions; ++d) atomicAdd(&sums[layout.word(centre, d)], point.at[d]);
}

/// Shared memory: sums, then the centres, counts and locks.
/// @param points       coordinates: a row of all threads for each dimension
/// @param coordinates  of the centres, each in a bank of its own
/// @param results      sums and counts of each CTA
template <class Version, class L>
__global__ void tx_kmeans(const int* points, const int* coordinates, L layout, int* results) {
  extern __shared__ int words[];
  const Layout<false> of_old{layout.centres};
  const int size = layout.words(), centres = layout.centres;
  int *old = words + size, *counts = old + of_old.words(), *locks = counts + centres;
  for (int i = threadIdx.x; i < size + of_old.words() + centres + Version::locks(centres); i += blockDim.x)
    words[i] = i >= size && i < size + of_old.words() ? coordinates[i - size] : 0;
  __syncthreads();
  Point point;
  for (int d = 0; d < dimensions; ++d) point.at[d] = points[(d * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x];
  const int centre = closest(point, old, of_old);
  atomicAdd(&counts[centre], 1);
  add(Version{}, words, locks, layout, centre, point);
  __syncthreads();
  int* result = results + blockIdx.x * (size + centres);
  for (int i = threadIdx.x; i < size; i += blockDim.x) result[i] = words[i];
  for (int i = threadIdx.x; i < centres; i += blockDim.x) result[size + i] = counts[i];
}

/// @param layout  of the sums
template <class L>
int run(const Arguments& arguments, const L& layout) {
  const int centres = layout.centres, size = layout.words(), seed = arguments.number("--seed=", 1);
  const Layout<false> of_old{centres};
  const Grid grid = read_grid(arguments);

  Random random = seeded(seed);
  std::vector<int> points(size_t(dimensions) * grid.all()), coordinates(of_old.words());
  for (int& coordinate : points) coordinate = static_cast<int>(random.below(1024));
  for (int& coordinate : coordinates) coordinate = static_cast<int>(random.below(1024));
  std::vector<int> expected;
  for (int cta = 0; cta < grid.ctas; ++cta) {
    std::vector<int> result(size + centres);
    for (int thread = cta * grid.threads; thread < (cta + 1) * grid.threads; ++thread) {
      Point point;
      for (int d = 0; d < dimensions; ++d) point.at[d] = points[d * grid.all() + thread];
      const int centre = closest(point, coordinates.data(), of_old);
      for (int d = 0; d < dimensions; ++d) result[layout.word(centre, d)] += point.at[d];
      ++result[size + centre];
    }
    expected.insert(expected.end(), result.begin(), result.end());
  }

  DeviceArray<int> device_points(points), device_coordinates(coordinates), results(expected.size());
  with_version<Transactions, Serial, Coarse, Fine, Atomics>(arguments, [&](auto version) {
    using Version = decltype(version);
    const size_t bytes = (size + of_old.words() + centres + Version::locks(centres)) * sizeof(int);
    tx_kmeans<Version>
        <<<grid.ctas, grid.threads, bytes>>>(device_points.get(), device_coordinates.get(), layout, results.get());
  });
  finish_kernel();
  std::printf("seed %d\n", seed);
  return verdict("tx_kmeans", results.to_host(), expected);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--version=", "--one-bank", "--ctas=", "--threads=", "--seed="}, 1);
  const int centres = arguments.number(0, 16);
  if (centres > 256) refuse_arguments("too many centres", "give up to 256");
  if (!arguments.flag("--one-bank")) return run(arguments, Layout<false>{centres});
  // Of 64 KB in 32 banks, transactions leave 227 words of each to their users.
  if (centres > 64) refuse_arguments("too many centres for one bank", "give up to 64");
  return run(arguments, Layout<true>{centres});
}

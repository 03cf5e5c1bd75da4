// The centroid updating step of k-means, after Performance Modeling of Atomic Additions on GPU Scratchpad Memory (TPDS 2013),
// section 4.1: objects, each with its nearest cluster, are counted and their components added up by cluster. Counts and each
// component have a vote space in shared memory; the copies of a space follow each other, then those of the next space. Sums
// are what is computed; centroids are their quotients. Values are whole and so small that every sum is exact in 32-bit
// floating point, whatever the order.
//   kmeans_update [objects: 16384] [--clusters=K: 128] [--components=N: 2, up to 16] [--float: components are float]
//                 [--copies=R: 1] [--block: mapping; else cyclic] [--pad=P: 0] [--stretch] [--grid=N: 16 CTAs]
//                 [--threads=N: 1024 of a CTA] [--runs=N: 1, objects in a row of one cluster on average] [--seed=N: 1]
#include <algorithm>

#include "../replication.hpp"

/// @param cluster     of each object
/// @param components  by component and object
/// @param counts      objects by cluster
/// @param sums        by component and cluster
template <class T>
__global__ void kmeans_update(const int* cluster, const T* components, int objects, int dimensions, Copies of,
                              unsigned* counts, T* sums) {
  static_assert(sizeof(T) == sizeof(unsigned), "spaces are of words");
  extern __shared__ unsigned words[];
  for (int i = threadIdx.x; i < of.span(1 + dimensions); i += blockDim.x) words[i] = 0;  // which is 0 in float, too
  __syncthreads();
  const int start = of.start(threadIdx.x, blockDim.x);
  T* spaces = reinterpret_cast<T*>(words + of.stride());
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < objects; i += gridDim.x * blockDim.x) {
    const int word = start + cluster[i] * of.of_bin;
    atomicAdd(&words[word], 1u);
    for (int d = 0; d < dimensions; ++d) atomicAdd(&spaces[d * of.stride() + word], components[d * objects + i]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < of.words * (1 + dimensions); i += blockDim.x) {
    const int bin = i % of.words, d = i / of.words - 1;
    if (d < 0) {
      atomicAdd(&counts[bin], sum_of_copies(words, bin, of));
    } else {
      atomicAdd(&sums[d * of.words + bin], sum_of_copies(spaces + d * of.stride(), bin, of));
    }
  }
}

struct Input {
  int dimensions, grid, threads;
  Copies of;
  std::vector<int> cluster;  // by object
  std::vector<int> values;   // by component and object
};

/// @return counts by cluster, then sums by component and cluster
template <class T>
std::vector<double> update(const Input& input) {
  const int objects = static_cast<int>(input.cluster.size()), clusters = input.of.words;
  DeviceArray<int> cluster(input.cluster);
  DeviceArray<T> components(std::vector<T>(input.values.begin(), input.values.end()));
  DeviceArray<unsigned> counts(clusters);
  DeviceArray<T> sums(size_t(input.dimensions) * clusters);
  counts.fill_zero();
  sums.fill_zero();
  const size_t bytes = input.of.span(1 + input.dimensions) * sizeof(unsigned);
  kmeans_update<T><<<input.grid, input.threads, bytes>>>(cluster.get(), components.get(), objects, input.dimensions,
                                                         input.of, counts.get(), sums.get());
  finish_kernel();
  std::vector<double> result;
  for (unsigned count : counts.to_host()) result.push_back(count);
  for (T sum : sums.to_host()) result.push_back(static_cast<double>(sum));
  return result;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--clusters=", "--components=", "--float", "--copies=", "--block", "--pad=", "--stretch",
                   "--grid=", "--threads=", "--runs=", "--seed="},
                  1);
  const int objects = arguments.number(0, 16384), clusters = arguments.number("--clusters=", 128);
  const int runs = arguments.number("--runs=", 1), seed = arguments.number("--seed=", 1);
  Input input{arguments.number("--components=", 2),
              arguments.number("--grid=", 16),
              arguments.number("--threads=", 1024),
              {},
              {},
              {}};
  if (objects > 1 << 22) refuse_arguments("sums of so many objects are not exact", "give up to 4,194,304 objects");
  if (input.threads > 1024 || input.grid > 1 << 16 || input.dimensions > 16)
    refuse_arguments("too much", "give up to 1,024 --threads, 65,536 CTAs, 16 --components");
  input.of = read_copies(arguments, clusters, 1 + input.dimensions, input.threads);

  // Values from 0 to a limit such that all together are below 2^24, but at most 63.
  const int limit = std::min(63, ((1 << 24) - 1) / objects);
  std::vector<double> expected(size_t(1 + input.dimensions) * clusters);
  input.cluster.resize(objects);
  input.values.resize(size_t(objects) * input.dimensions);
  Random random = seeded(seed);
  int cluster = 0;
  for (int i = 0; i < objects; ++i) {
    if (i == 0 || random.below(runs) == 0) cluster = static_cast<int>(random.below(clusters));
    input.cluster[i] = cluster;
    ++expected[cluster];
    for (int d = 0; d < input.dimensions; ++d) {
      const int value = input.values[size_t(d) * objects + i] = static_cast<int>(random.below(limit + 1));
      expected[size_t(1 + d) * clusters + cluster] += value;
    }
  }
  std::printf("seed %d\n", seed);
  return verdict("kmeans_update", arguments.flag("--float") ? update<float>(input) : update<unsigned>(input), expected);
}

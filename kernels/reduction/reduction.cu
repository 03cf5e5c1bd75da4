// The sum of an array, by a tree in shared memory: each CTA sums 256 elements, and the CPU adds the CTAs' sums.
//   default       the tree's nodes are 2, 4, 8… words apart: the stride doubles at each level, and so do the conflicts
//   --sequential  the nodes of a level are neighbours: no conflicts
//   reduction [elements: 262144] [--sequential]
#include "../check.hpp"

constexpr int block_threads = 256;

__global__ void reduce_strided(const int* in, int* sums, int n) {
  __shared__ int node[block_threads];
  int i = blockIdx.x * block_threads + threadIdx.x;
  node[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int stride = 1; stride < block_threads; stride *= 2) {
    int index = 2 * stride * threadIdx.x;
    if (index < block_threads) node[index] += node[index + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = node[0];
}

__global__ void reduce_sequential(const int* in, int* sums, int n) {
  __shared__ int node[block_threads];
  int i = blockIdx.x * block_threads + threadIdx.x;
  node[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = block_threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) node[threadIdx.x] += node[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = node[0];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int n = arguments.number(0, 1 << 18), grid = (n + block_threads - 1) / block_threads;
  std::vector<int> in(n);
  Random random;
  for (int& value : in) value = static_cast<int>(random.below(2001)) - 1000;
  std::vector<int> expected(grid);
  for (int i = 0; i < n; ++i) expected[i / block_threads] += in[i];
  DeviceArray<int> device_in(in), sums(grid);
  if (arguments.flag("--sequential"))
    reduce_sequential<<<grid, block_threads>>>(device_in.get(), sums.get(), n);
  else
    reduce_strided<<<grid, block_threads>>>(device_in.get(), sums.get(), n);
  finish_kernel();
  std::vector<int> partial = sums.to_host();
  long long total = 0;
  for (int sum : partial) total += sum;
  std::printf("sum %lld\n", total);
  return verdict("reduction", partial, expected);
}

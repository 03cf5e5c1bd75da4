// Sorts integers by Batcher's bitonic network: steps within 1024 elements in shared memory, the others in global
// memory.
//   bitonic_sort [elements, a power of two from 1024: 65536]
#include <algorithm>

#include "../check.hpp"

constexpr int block_threads = 512, block_elements = 2 * block_threads;

/// One comparator: puts the smaller value first where the run of `length` elements is to ascend.
__device__ void compare(int& a, int& b, bool ascending) {
  if ((a > b) == ascending) {
    int larger = a;
    a = b;
    b = larger;
  }
}

/// The steps of all merges up to runs of last_length whose comparators span at most half a block.
__global__ void sort_in_shared(int* data, int first_length, int last_length) {
  __shared__ int local[block_elements];
  const int thread = threadIdx.x, base = blockIdx.x * block_elements;
  local[thread] = data[base + thread];
  local[thread + block_threads] = data[base + thread + block_threads];
  for (int length = first_length; length <= last_length; length *= 2) {
    const int widest = length < block_elements ? length / 2 : block_threads;
    for (int span = widest; span > 0; span /= 2) {
      __syncthreads();
      const int low = 2 * thread - (thread & (span - 1));
      compare(local[low], local[low + span], ((base + low) & length) == 0);
    }
  }
  __syncthreads();
  data[base + thread] = local[thread];
  data[base + thread + block_threads] = local[thread + block_threads];
}

/// One step of the merge to runs of `length`, with comparators that span more than a block.
__global__ void merge_step(int* data, int length, int span) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int low = 2 * thread - (thread & (span - 1));
  compare(data[low], data[low + span], (low & length) == 0);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int n = arguments.number(0, 1 << 16);
  if (n < block_elements || (n & (n - 1))) {
    std::fprintf(stderr, "the number of elements must be a power of two, at least %d\n", block_elements);
    return 2;
  }
  std::vector<int> in(n);
  Random random;
  for (int& value : in) value = static_cast<int>(random.next());
  std::vector<int> expected(in);
  std::sort(expected.begin(), expected.end());
  DeviceArray<int> data(in);
  const int grid = n / block_elements;
  sort_in_shared<<<grid, block_threads>>>(data.get(), 2, block_elements);
  for (int length = 2 * block_elements; length <= n; length *= 2) {
    for (int span = length / 2; span >= block_elements; span /= 2)
      merge_step<<<n / 2 / block_threads, block_threads>>>(data.get(), length, span);
    sort_in_shared<<<grid, block_threads>>>(data.get(), length, length);
  }
  finish_kernel();
  return verdict("bitonic_sort", data.to_host(), expected);
}

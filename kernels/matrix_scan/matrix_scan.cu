// Exclusive prefix sums by matrices: a CTA lays 2,048 elements out as 256 rows of eight words in shared memory, and each
// thread sums its row; the sums of the rows are scanned between the lanes of each warp, those of the warps by the first;
// then each thread writes the prefix sums of its row. Threads of a warp are 8 words apart and meet in four banks.
// The sums of the CTAs are scanned in the same way, and added.
//   matrix_scan [elements: 65536]
#include "../check.hpp"

constexpr int row_words = 8, block_threads = 256, block_elements = row_words * block_threads;
constexpr int warp_lanes = 32, warps = block_threads / warp_lanes;
constexpr unsigned everyone = 0xffffffffu;

/// The sum of the values of this and all lower lanes.
__device__ int sum_up_to_lane(int value) {
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    const int before = __shfl_up_sync(everyone, value, distance);
    if (threadIdx.x % warp_lanes >= distance) value += before;
  }
  return value;
}

__global__ void matrix_scan(const int* in, int* out, int* block_sums, int n) {
  __shared__ int matrix[block_threads][row_words];
  __shared__ int warp_sums[warps];
  const int thread = threadIdx.x, lane = thread % warp_lanes, warp = thread / warp_lanes;
  const int first = blockIdx.x * block_elements;
  int* words = &matrix[0][0];
  for (int i = thread; i < block_elements; i += block_threads) words[i] = first + i < n ? in[first + i] : 0;
  __syncthreads();
  int value[row_words], row_sum = 0;
  for (int i = 0; i < row_words; ++i) row_sum += value[i] = matrix[thread][i];
  const int sum = sum_up_to_lane(row_sum);
  if (lane == warp_lanes - 1) warp_sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const int before = sum_up_to_lane(lane < warps ? warp_sums[lane] : 0);
    if (lane < warps) warp_sums[lane] = before;
  }
  __syncthreads();
  int before = sum - row_sum + (warp ? warp_sums[warp - 1] : 0);
  for (int i = 0; i < row_words; ++i) {
    matrix[thread][i] = before;
    before += value[i];
  }
  if (thread == block_threads - 1) block_sums[blockIdx.x] = before;
  __syncthreads();
  for (int i = thread; i < block_elements; i += block_threads)
    if (first + i < n) out[first + i] = words[i];
}

__global__ void add_block_sums(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += scanned_sums[i / block_elements];
}

/// Scans n elements, calling itself for the sums of the CTAs.
void scan(const int* in, int* out, int n) {
  const int grid = (n + block_elements - 1) / block_elements;
  DeviceArray<int> sums(grid), scanned(grid);
  matrix_scan<<<grid, block_threads>>>(in, out, sums.get(), n);
  if (grid > 1) {
    scan(sums.get(), scanned.get(), grid);
    add_block_sums<<<(n + block_threads - 1) / block_threads, block_threads>>>(out, scanned.get(), n);
  }
  finish_kernel();
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int n = arguments.number(0, 1 << 16);
  std::vector<int> in(n), expected(n);
  Random random;
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = static_cast<int>(random.below(16));
    expected[i] = static_cast<int>(sum);
    sum += in[i];
  }
  DeviceArray<int> device_in(in), out(n);
  scan(device_in.get(), out.get(), n);
  return verdict("matrix_scan", out.to_host(), expected);
}

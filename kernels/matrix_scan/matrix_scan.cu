// Exclusive prefix sums by matrices: a warp lays 256 elements out as a matrix of 32 rows of eight words in shared memory.
// Each lane sums its row, the sums are scanned between the lanes, and each lane reads its row again and writes its prefix
// sums. Lanes are 8 words apart and meet in four banks. The sums of the matrices are scanned in the same way, and added.
//   matrix_scan [elements: 65536]
#include "../check.hpp"

constexpr int row_words = 8, warp_lanes = 32, matrix_words = row_words * warp_lanes;
constexpr int warps = 8, block_threads = warps * warp_lanes, block_elements = warps * matrix_words;
constexpr unsigned everyone = 0xffffffffu;

__global__ void matrix_scan(const int* in, int* out, int* sums, int n) {
  __shared__ int words[block_elements];
  const int thread = threadIdx.x, lane = thread % warp_lanes, first = blockIdx.x * block_elements;
  int* row = &words[thread * row_words];
  for (int i = thread; i < block_elements; i += block_threads) words[i] = first + i < n ? in[first + i] : 0;
  __syncthreads();
  int row_sum = 0;
  for (int i = 0; i < row_words; ++i) row_sum += row[i];
  int sum = row_sum;  // of this and all rows above
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    const int above = __shfl_up_sync(everyone, sum, distance);
    if (lane >= distance) sum += above;
  }
  __syncwarp();  // keeps the compiler from holding the row in registers, which published scans of this kind do not
  int prefix = sum - row_sum;
  for (int i = 0; i < row_words; ++i) {
    const int value = row[i];
    row[i] = prefix;
    prefix += value;
  }
  const int matrix = (blockIdx.x * block_threads + thread) / warp_lanes;
  if (lane == warp_lanes - 1 && matrix * matrix_words < n) sums[matrix] = prefix;
  __syncthreads();
  for (int i = thread; i < block_elements; i += block_threads)
    if (first + i < n) out[first + i] = words[i];
}

__global__ void add_sums(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += scanned_sums[i / matrix_words];
}

/// Scans n elements, calling itself for the sums of the matrices.
void scan(const int* in, int* out, int n) {
  const auto ceiling = [](int size, int part) { return (size + part - 1) / part; };
  const int matrices = ceiling(n, matrix_words);
  DeviceArray<int> sums(matrices), scanned(matrices);
  matrix_scan<<<ceiling(n, block_elements), block_threads>>>(in, out, sums.get(), n);
  if (matrices > 1) {
    scan(sums.get(), scanned.get(), matrices);
    add_sums<<<ceiling(n, block_threads), block_threads>>>(out, scanned.get(), n);
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

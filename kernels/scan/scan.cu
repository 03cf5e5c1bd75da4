// Exclusive prefix sums, after Blelloch: up and down a tree in shared memory, 512 elements a CTA. The sums of the CTAs
// are scanned in the same way, and added. The tree's strides are powers of two, so that its accesses conflict.
//   scan [elements: 262144] [--padded: one word of padding after each 32, no conflicts]
#include "../check.hpp"

constexpr int block_threads = 256, block_elements = 2 * block_threads;

template <bool padded>
__device__ int slot(int i) {
  return padded ? i + i / 32 : i;
}

template <bool padded>
__global__ void scan_blocks(const int* in, int* out, int* block_sums, int n) {
  __shared__ int node[block_elements + (padded ? block_elements / 32 : 0)];
  const int thread = threadIdx.x, first = blockIdx.x * block_elements;
  for (int i = thread; i < block_elements; i += block_threads)
    node[slot<padded>(i)] = first + i < n ? in[first + i] : 0;
  int stride = 1;
  for (int active = block_threads; active > 0; active /= 2, stride *= 2) {
    __syncthreads();
    if (thread < active)
      node[slot<padded>(stride * (2 * thread + 2) - 1)] += node[slot<padded>(stride * (2 * thread + 1) - 1)];
  }
  if (thread == 0) {
    int& root = node[slot<padded>(block_elements - 1)];
    block_sums[blockIdx.x] = root;
    root = 0;
  }
  for (int active = 1; active <= block_threads; active *= 2) {
    stride /= 2;
    __syncthreads();
    if (thread < active) {
      int& left = node[slot<padded>(stride * (2 * thread + 1) - 1)];
      int& right = node[slot<padded>(stride * (2 * thread + 2) - 1)];
      int sum = left;
      left = right;
      right += sum;
    }
  }
  __syncthreads();
  for (int i = thread; i < block_elements; i += block_threads)
    if (first + i < n) out[first + i] = node[slot<padded>(i)];
}

__global__ void add_block_sums(int* out, const int* scanned_sums, int n) {
  for (int i = threadIdx.x; i < block_elements; i += blockDim.x) {
    int index = blockIdx.x * block_elements + i;
    if (index < n) out[index] += scanned_sums[blockIdx.x];
  }
}

/// Scans n elements, calling itself for the sums of the CTAs.
void scan(const int* in, int* out, int n, bool padded) {
  const int grid = (n + block_elements - 1) / block_elements;
  DeviceArray<int> sums(grid), scanned(grid);
  if (padded)
    scan_blocks<true><<<grid, block_threads>>>(in, out, sums.get(), n);
  else
    scan_blocks<false><<<grid, block_threads>>>(in, out, sums.get(), n);
  if (grid > 1) {
    scan(sums.get(), scanned.get(), grid, padded);
    add_block_sums<<<grid, block_threads>>>(out, scanned.get(), n);
  }
  finish_kernel();
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int n = arguments.number(0, 1 << 18);
  std::vector<int> in(n), expected(n);
  Random random;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = static_cast<int>(random.below(16));
    expected[i] = sum;
    sum += in[i];
  }
  DeviceArray<int> device_in(in), out(n);
  scan(device_in.get(), out.get(), n, arguments.flag("--padded"));
  return verdict("scan", out.to_host(), expected);
}

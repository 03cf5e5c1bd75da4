// Steps that numbers take to 1 by halving or tripling: loops of very different lengths in the lanes of a warp, and a branch in
// each step. Nothing but divergence; no memory in the loop.
//   collatz [numbers: 100000]
#include "../check.hpp"

__host__ __device__ int steps(uint64_t n) {
  int count = 0;
  while (n != 1) {
    if (n % 2 == 0) {
      n /= 2;
    } else {
      n = 3 * n + 1;
      if (n % 4 == 0) {  // two at once
        n /= 2;
        ++count;
      }
    }
    ++count;
  }
  return count;
}

__global__ void collatz(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = steps(i + 1);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({}, 1);
  const int n = arguments.number(0, 100'000), block = 256;
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = steps(i + 1);
  DeviceArray<int> out(n);
  collatz<<<(n + block - 1) / block, block>>>(out.get(), n);
  finish_kernel();
  return verdict("collatz", out.to_host(), expected);
}

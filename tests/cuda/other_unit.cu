// A second translation unit with a variable and a kernel of the same names as in symbols.cu.
#include <cuda_runtime.h>

static __device__ int same_name = 100;

static __global__ void use() { same_name += 1; }

int run_other_unit() {
  use<<<1, 1>>>();
  int value = 0;
  if (cudaMemcpyFromSymbol(&value, same_name, sizeof value) != cudaSuccess) return -1;
  return value;
}

// Leaves what its rewritten self does not leave, the time, in nothing but memory that it registered: bankshot fix must
// see it.
#include <cstdlib>

__global__ void with_conflicts(long long* when) {
  __shared__ int tile[32][32];
  for (int i = 0; i < 32; ++i) tile[threadIdx.x][i] = i;
  __syncthreads();
  if (tile[31][threadIdx.x] == 0) *when = clock64();
}

int main() {
  auto* when = static_cast<long long*>(std::aligned_alloc(4096, 4096));
  for (int i = 0; i < 512; ++i) when[i] = 0;
  cudaHostRegister(when, 4096, cudaHostRegisterMapped);
  long long* seen_by_kernels = nullptr;
  cudaHostGetDevicePointer(reinterpret_cast<void**>(&seen_by_kernels), when, 0);
  with_conflicts<<<1, 32>>>(seen_by_kernels);
  cudaHostUnregister(when);
  std::free(when);
}

// The four kernels as CUDA, for Bankshot and GPGPU-Sim, and as HIP, for HIP-CPU (g++ -x c++, BENCH_HIP defined): the
// device code is that of kernels/.
//   gpu vector_add|transpose|histogram|matmul SIZE WARM_SECONDS SECONDS
#ifdef BENCH_HIP
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
#define hipLaunchKernelGGL(kernel, groups, group, shared, stream, ...) \
  kernel<<<groups, group, shared, stream>>>(__VA_ARGS__)
#define hipMalloc cudaMalloc
#define hipMemcpy cudaMemcpy
#define hipMemset cudaMemset
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipSuccess cudaSuccess
#endif

#include "problem.hpp"

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void transpose(const float* in, float* out, int side) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  if (x < side && y < side) tile[threadIdx.y][threadIdx.x] = in[y * side + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  if (x < side && y < side) out[y * side + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void histogram(const unsigned char* pixels, unsigned* counts, int n) {
  __shared__ unsigned local[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[pixels[i]], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&counts[bin], local[bin]);
}

__global__ void matmul(const float* a, const float* b, float* c, int side) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int t = 0; t < side; t += 16) {
    tile_a[threadIdx.y][threadIdx.x] = a[y * side + t + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * side + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[y * side + x] = sum;
}

/// Ends the program if a call failed.
template <class Status>
void check(Status status) {
  if (status == hipSuccess) return;
  std::fprintf(stderr, "a call of the runtime failed with status %d\n", static_cast<int>(status));
  std::exit(1);
}

void* device_array(size_t bytes) {
  void* array = nullptr;
  check(hipMalloc(&array, bytes));
  return array;
}

int main(int argc, char** argv) {
  const Request request = read_request(argc, argv);
  const Problem& problem = request.problem;
  std::vector<void*> in;
  for (const Bytes& input : problem.inputs) {
    in.push_back(device_array(input.size()));
    check(hipMemcpy(in.back(), input.data(), input.size(), hipMemcpyHostToDevice));
  }
  void* out = device_array(problem.expected.size());
  const dim3 groups(problem.groups.x, problem.groups.y), group(problem.group.x, problem.group.y);
  const auto* a = static_cast<const float*>(in.front());
  const auto* b = static_cast<const float*>(in.back());
  auto* result = static_cast<float*>(out);

  time_launches(
      request, [&] { check(hipMemset(out, 0, problem.expected.size())); },
      [&] {
        if (problem.name == "vector_add")
          hipLaunchKernelGGL(vector_add, groups, group, 0, 0, a, b, result, problem.size);
        else if (problem.name == "transpose")
          hipLaunchKernelGGL(transpose, groups, group, 0, 0, a, result, problem.size);
        else if (problem.name == "histogram")
          hipLaunchKernelGGL(histogram, groups, group, 0, 0, static_cast<const unsigned char*>(in.front()),
                             static_cast<unsigned*>(out), problem.size);
        else
          hipLaunchKernelGGL(matmul, groups, group, 0, 0, a, b, result, problem.size);
        check(hipDeviceSynchronize());
      });

  Bytes measured(problem.expected.size());
  check(hipMemcpy(measured.data(), out, measured.size(), hipMemcpyDeviceToHost));
  return verdict(problem, measured);
}

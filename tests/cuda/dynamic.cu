// Kernels that launch kernels: -rdc=true.
#include <string>

#include "check.hpp"

__device__ int order[64], position;
__device__ void note(int what) { order[atomicAdd(&position, 1)] = what; }

__global__ void leaf(int what, int* sums) {
  extern __shared__ int room[];
  room[threadIdx.x] = int(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    note(what);
    int all = 0;
    for (unsigned k = 0; k < blockDim.x; ++k) all += room[k];
    atomicAdd(&sums[what], all);
  }
}
__global__ void middle(int what, int* sums) {
  note(100 + what);
  leaf<<<2, 16, 64>>>(what, sums);
  leaf<<<1, 8, 32, cudaStreamTailLaunch>>>(what + 20, sums);
}
__global__ void top(int* sums) {
  middle<<<1, 1, 0, cudaStreamTailLaunch>>>(3, sums);
  middle<<<1, 1>>>(1, sums);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  middle<<<1, 1, 0, stream>>>(2, sums);
  cudaStreamDestroy(stream);
  if (cudaGetLastError() == cudaSuccess) note(0);
}

/// Sorts by recursion, as the sample of the toolkit does.
__global__ void quick(int* data, int left, int right) {
  int l = left, r = right;
  const int pivot = data[(left + right) / 2];
  while (l <= r) {
    while (data[l] < pivot) ++l;
    while (data[r] > pivot) --r;
    if (l <= r) {
      const int t = data[l];
      data[l++] = data[r];
      data[r--] = t;
    }
  }
  if (left < r) quick<<<1, 1>>>(data, left, r);
  if (l < right) quick<<<1, 1>>>(data, l, right);
}
/// Copies come in their turn among the launches.
__global__ void add(int* data, int by) { data[threadIdx.x] += by; }
__global__ void in_order(int* data) {
  add<<<1, 8>>>(data, 5);
  cudaMemcpyAsync(data + 8, data, 8 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
  add<<<1, 8>>>(data, 5);
  cudaMemsetAsync(data + 16, 0x11, 4 * sizeof(int), 0);
  int* mine = nullptr;
  if (cudaMalloc(&mine, 64) == cudaSuccess) {
    mine[1] = 3;
    data[20] = mine[1];
    cudaFree(mine);
  }
}
__global__ void says(const char** said) {
  said[0] = cudaGetErrorString(cudaErrorInvalidValue);
  said[1] = cudaGetErrorName(cudaErrorMemoryAllocation);
  said[2] = cudaGetErrorString(static_cast<cudaError_t>(12345));
}
__global__ void reads(const char** said, char* text) {
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 32; ++i) {
      text[k * 32 + i] = said[k][i];
      if (said[k][i] == 0) break;
    }
}
__global__ void copies(char* to, const char* from, size_t bytes) {
  cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, 0);
}
__global__ void fills(char* to, size_t bytes) { cudaMemsetAsync(to, 1, bytes, 0); }

/// The error that a kernel's copy or fill leaves; the device is as new afterwards.
template <class Launch>
static cudaError_t after(Launch launch) {
  launch();
  const cudaError_t status = cudaDeviceSynchronize();
  OK(cudaDeviceReset());
  cudaGetLastError();
  return status;
}

static void addresses_that_are_none() {
  char* data = nullptr;
  char on_host[64] = {};
  const auto fresh = [&] { OK(cudaMalloc(&data, 64)); };
  fresh();
  EXPECT_EQ(after([&] { copies<<<1, 1>>>(data + 32, data, 32); }), cudaSuccess);
  fresh();
  EXPECT_EQ(after([&] { copies<<<1, 1>>>(nullptr, data, 0); }), cudaSuccess);  // nothing to copy
  for (char* wild :
       {static_cast<char*>(nullptr), reinterpret_cast<char*>(0x10), on_host, reinterpret_cast<char*>(~size_t{0})}) {
    fresh();
    EXPECT_EQ(after([&] { copies<<<1, 1>>>(wild, data, 8); }), cudaErrorIllegalAddress);
    fresh();
    EXPECT_EQ(after([&] { copies<<<1, 1>>>(data, wild, 8); }), cudaErrorIllegalAddress);
    EXPECT_EQ(after([&] { fills<<<1, 1>>>(wild, 8); }), cudaErrorIllegalAddress);
  }
  fresh();
  EXPECT_EQ(after([&] { copies<<<1, 1>>>(data + 32, data, 33); }), cudaErrorIllegalAddress);
  fresh();
  EXPECT_EQ(after([&] { copies<<<1, 1>>>(data, data, ~size_t{0}); }), cudaErrorIllegalAddress);
  fresh();
  OK(cudaFree(data));
  EXPECT_EQ(after([&] { fills<<<1, 1>>>(data, 8); }), cudaErrorIllegalAddress);
  for (const char byte : on_host) EXPECT_EQ(byte, 0);
}

__global__ void wrong() { leaf<<<1, 4096>>>(0, nullptr); }

int main() {
  int* sums;
  OK(cudaMallocManaged(&sums, 64 * sizeof(int)));
  for (int i = 0; i < 64; ++i) sums[i] = 0;
  top<<<1, 1>>>(sums);
  OK(cudaDeviceSynchronize());
  int seen[64], count = 0;
  OK(cudaMemcpyFromSymbol(seen, order, sizeof seen));
  OK(cudaMemcpyFromSymbol(&count, position, sizeof count));
  const int wanted[] = {0, 101, 1, 1, 21, 102, 2, 2, 22, 103, 3, 3, 23};
  EXPECT_EQ(count, 13);
  for (int i = 0; i < 13; ++i) EXPECT_EQ(seen[i], wanted[i]);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(sums[i], 2 * 120);
    EXPECT_EQ(sums[20 + i], 28);
  }

  constexpr int kCount = 500;
  int* data;
  OK(cudaMallocManaged(&data, kCount * sizeof(int)));
  unsigned x = 1;
  for (int i = 0; i < kCount; ++i) data[i] = int((x = x * 1664525u + 1013904223u) >> 8);
  quick<<<1, 1>>>(data, 0, kCount - 1);
  OK(cudaDeviceSynchronize());
  for (int i = 1; i < kCount; ++i) EXPECT(data[i - 1] <= data[i]);

  for (int i = 0; i < 21; ++i) data[i] = i;
  in_order<<<1, 1>>>(data);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(data[i], i + 10);
    EXPECT_EQ(data[8 + i], i + 5);
  }
  for (int i = 16; i < 20; ++i) EXPECT_EQ(data[i], 0x11111111);
  EXPECT_EQ(data[20], 3);

  const char** said;
  char* text;
  OK(cudaMallocManaged(&said, 3 * sizeof *said));
  OK(cudaMallocManaged(&text, 3 * 32));
  says<<<1, 1>>>(said);
  reads<<<1, 1>>>(said, text);
  OK(cudaDeviceSynchronize());
  EXPECT(std::string(text) == cudaGetErrorString(cudaErrorInvalidValue));
  EXPECT(std::string(text + 32) == "cudaErrorMemoryAllocation");
  EXPECT(std::string(text + 64) == "unrecognized error code");
  OK(cudaFree(text));
  OK(cudaFree(said));
  addresses_that_are_none();

  wrong<<<1, 1>>>();
  EXPECT(cudaDeviceSynchronize() != cudaSuccess);
  return finish("dynamic");
}

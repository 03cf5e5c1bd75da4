// Two units of device code, linked: -rdc=true.
#include "check.hpp"
#include "linked.hpp"

static __device__ int own = 1;  // linked_b.cu has one too
__device__ float (*chosen)(float) = squared;

__global__ void use(float* out) {
  extern __shared__ float room[];
  room[threadIdx.x] = twice(out[threadIdx.x]) * scales[threadIdx.x & 1];
  __syncthreads();
  out[threadIdx.x] = plus_one(room[threadIdx.x ^ 1]);
  atomicAdd(&counter, own);
  if (threadIdx.x == 0) noted = 17;
}

__global__ void call(float* out) {
  __shared__ long long room[8];
  const Shape* shape = threadIdx.x == 0 ? make_square(room, 3) : nullptr;
  if (shape) out[0] = shape->area();
  out[1 + threadIdx.x] = chosen(float(threadIdx.x));
}

int main() {
  float* values;
  OK(cudaMallocManaged(&values, 64 * sizeof(float)));
  for (int i = 0; i < 32; ++i) values[i] = float(i);
  const float by[2] = {1, 10};
  OK(cudaMemcpyToSymbol(scales, by, sizeof by));
  use<<<1, 32, 32 * sizeof(float)>>>(values);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(values[0], 1 * 2 * 10 + 1);
  EXPECT_EQ(values[7], 6 * 2 * 1 + 1);
  EXPECT_EQ(noted, 17);

  int* counted;
  OK(cudaMallocManaged(&counted, 2 * sizeof(int)));
  count<<<1, 1>>>(counted);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(counted[0], 32);
  EXPECT_EQ(counted[1], 100);
  int now = 0;
  OK(cudaMemcpyFromSymbol(&now, counter, sizeof now));
  EXPECT_EQ(now, 132);
  OK(cudaMemcpyFromSymbol(&now, own, sizeof now));
  EXPECT_EQ(now, 1);

  call<<<1, 8>>>(values);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(values[0], 9);
  EXPECT_EQ(values[1 + 7], 49);
  return finish("device_linked");
}

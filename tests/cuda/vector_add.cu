// The smallest real program; also built with every compression of the fat binary.
#include <vector>

#include "check.hpp"

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

/// Loads the kernel, but does not launch it.
int ask_for_attributes() {
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, vector_add));
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  return finish("vector_add");
}

int main(int count, char**) {
  if (count > 1) return ask_for_attributes();
  const int n = 1000;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
  float *da, *db, *dc;
  OK(cudaMalloc(&da, n * sizeof(float)));
  OK(cudaMalloc(&db, n * sizeof(float)));
  OK(cudaMalloc(&dc, n * sizeof(float)));
  OK(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  vector_add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT_EQ(c[i], 3 * i);
  OK(cudaFree(da));
  OK(cudaFree(db));
  OK(cudaFree(dc));
  return finish("vector_add");
}

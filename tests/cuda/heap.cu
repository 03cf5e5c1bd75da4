// malloc, free, new and delete in kernels.
#include <cstdlib>

#include "check.hpp"

struct Node {
  int value;
  Node* next;
};
struct Base {
  __device__ virtual int number() const = 0;
  __device__ virtual ~Base() {}
};
struct Derived : Base {
  int x;
  __device__ explicit Derived(int v) : x(v) {}
  __device__ int number() const override { return x * x; }
};

__device__ Node* lists[64];

/// Each thread makes a list of as many nodes as its number.
__global__ void make() {
  Node* first = nullptr;
  for (unsigned k = 0; k < threadIdx.x; ++k) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    node->value = int(k);
    node->next = first;
    first = node;
  }
  lists[threadIdx.x] = first;
}
/// … which live on until they are freed in another launch.
__global__ void sum(int* out) {
  int all = 0;
  for (Node* node = lists[threadIdx.x]; node;) {
    Node* next = node->next;
    all += node->value;
    free(node);
    node = next;
  }
  out[threadIdx.x] = all;
}
__global__ void objects(int* out) {
  Base* object = new Derived(int(threadIdx.x));
  int* array = new int[4]{1, 2, 3, 4};
  out[threadIdx.x] = object->number() + array[threadIdx.x & 3];
  delete object;
  delete[] array;
  free(nullptr);
}
__global__ void too_much(int* out) {
  void* all = malloc(size_t{1} << 20);
  out[threadIdx.x] = all != nullptr;
  free(all);
}
__global__ void misaligned(int* out) { out[threadIdx.x] = int(reinterpret_cast<size_t>(malloc(threadIdx.x + 1)) % 16); }
__global__ void frees_twice() {
  void* p = malloc(8);
  free(p);
  free(p);
}

int main() {
  int* out;
  OK(cudaMallocManaged(&out, 64 * sizeof(int)));
  make<<<1, 64>>>();
  sum<<<1, 64>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], i * (i - 1) / 2);
  objects<<<2, 32>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], i * i + 1 + i % 4);
  misaligned<<<1, 64>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], 0);

  size_t limit = 0;
  OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  EXPECT_EQ(limit, 8 << 20);
  too_much<<<1, 32>>>(out);
  OK(cudaDeviceSynchronize());
  int fit = 0;
  for (int i = 0; i < 32; ++i) fit += out[i];
  EXPECT(fit >= 6 && fit <= 8);  // of 1 MB each in 8 MB, which the lists and their traces use too
  frees_twice<<<1, 1>>>();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  return finish("heap");
}

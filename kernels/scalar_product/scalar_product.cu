// Scalar products of many pairs of vectors, one pair a CTA at a time: 1,024 partial sums in shared memory, added up a
// tree whose strides halve. Threads side by side read words side by side, so that there are no conflicts.
//   scalar_product [pairs: 16] [elements of a vector: 4096]
#include "../check.hpp"

constexpr int block_threads = 256, partial_sums = 1024;

__global__ void scalar_product(const float* a, const float* b, float* product, int pairs, int elements) {
  __shared__ float sum[partial_sums];
  for (int pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
    const float* x = a + size_t(pair) * elements;
    const float* y = b + size_t(pair) * elements;
    for (int i = threadIdx.x; i < partial_sums; i += block_threads) {
      float part = 0;
      for (int element = i; element < elements; element += partial_sums) part += x[element] * y[element];
      sum[i] = part;
    }
    for (int stride = partial_sums / 2; stride > 0; stride /= 2) {
      __syncthreads();
      for (int i = threadIdx.x; i < stride; i += block_threads) sum[i] += sum[i + stride];
    }
    if (threadIdx.x == 0) product[pair] = sum[0];
    __syncthreads();
  }
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int pairs = arguments.number(0, 16), elements = arguments.number(1, 4096);
  std::vector<float> a(size_t(pairs) * elements), b(a.size()), expected(pairs);
  Random random;  // small whole numbers: every sum is exact
  for (float& value : a) value = static_cast<float>(random.below(9)) - 4;
  for (float& value : b) value = static_cast<float>(random.below(9)) - 4;
  for (size_t i = 0; i < a.size(); ++i) expected[i / elements] += a[i] * b[i];
  DeviceArray<float> device_a(a), device_b(b), product(pairs);
  scalar_product<<<(pairs + 1) / 2, block_threads>>>(device_a.get(), device_b.get(), product.get(), pairs, elements);
  finish_kernel();
  return verdict("scalar_product", product.to_host(), expected);
}

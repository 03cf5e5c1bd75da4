// c = a + b, one element a thread: no shared memory, no divergence but at the end. The plainest kernel there is.
//   vector_add [elements: 1000000] [launches: 1]
#include "../check.hpp"

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int n = arguments.number(0, 1'000'000), launches = arguments.number(1, 1), block = 256;
  std::vector<float> a(n), b(n), expected(n);
  Random random;
  for (int i = 0; i < n; ++i) {
    a[i] = random.below(1000) * 0.25f;
    b[i] = random.below(1000) * 0.5f;
    expected[i] = a[i] + b[i];
  }
  DeviceArray<float> da(a), db(b), dc(n);
  for (int k = 0; k < launches; ++k) {
    vector_add<<<(n + block - 1) / block, block>>>(da.get(), db.get(), dc.get(), n);
    finish_kernel();
  }
  return verdict("vector_add", dc.to_host(), expected);
}

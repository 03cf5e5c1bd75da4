// Numbers of 128 bits, which nvcc divides by chains of sub.cc and subc whose carry it reads by addc.
#include <random>
#include <vector>

#include "check.hpp"

using Long = unsigned __int128;

struct Divided {
  Long quotient, remainder;
  __int128 signed_quotient, signed_remainder;
};

__host__ __device__ Divided divide(Long a, Long b) {
  const auto x = static_cast<__int128>(a), y = static_cast<__int128>(b | 2);  // neither 0 nor -1
  return {a / b, a % b, x / y, x % y};
}

__global__ void divide_all(const Long* a, const Long* b, Divided* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = divide(a[i], b[i]);
}

int main() {
  std::mt19937_64 random(1);
  // Of all lengths, so that quotients of all lengths come.
  const auto number = [&] {
    const Long all = static_cast<Long>(random()) << 64 | random();
    return all >> random() % 128;
  };
  const int n = 2000;
  Long *a, *b;
  Divided* out;
  OK(cudaMallocManaged(&a, n * sizeof(Long)));
  OK(cudaMallocManaged(&b, n * sizeof(Long)));
  OK(cudaMallocManaged(&out, n * sizeof(Divided)));
  for (int i = 0; i < n; ++i) {
    a[i] = number();
    b[i] = number() | 1;
  }
  divide_all<<<(n + 127) / 128, 128>>>(a, b, out, n);
  OK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const Divided is = divide(a[i], b[i]);
    wrong += out[i].quotient != is.quotient || out[i].remainder != is.remainder ||
             out[i].signed_quotient != is.signed_quotient || out[i].signed_remainder != is.signed_remainder;
  }
  EXPECT_EQ(wrong, 0);
  return finish("long_division");
}

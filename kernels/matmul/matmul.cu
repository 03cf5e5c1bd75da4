// C = A B of square matrices, by 16x16 tiles in shared memory: rows of A are broadcast, rows of B have no conflicts.
//   matmul [side, a multiple of 16: 512] [launches: 1]
#include "../check.hpp"

constexpr int tile_side = 16;

__global__ void matmul(const float* a, const float* b, float* c, int side) {
  __shared__ float tile_a[tile_side][tile_side];
  __shared__ float tile_b[tile_side][tile_side];
  int x = blockIdx.x * tile_side + threadIdx.x;
  int y = blockIdx.y * tile_side + threadIdx.y;
  float sum = 0;
  for (int t = 0; t < side; t += tile_side) {
    tile_a[threadIdx.y][threadIdx.x] = a[y * side + t + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * side + x];
    __syncthreads();
    for (int k = 0; k < tile_side; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[y * side + x] = sum;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int side = arguments.number(0, 512), launches = arguments.number(1, 1);
  if (side % tile_side) {
    std::fprintf(stderr, "the side must be a multiple of %d\n", tile_side);
    return 2;
  }
  // Small whole numbers: every sum is exact, in any order and with or without fused multiply-add.
  std::vector<float> a(size_t(side) * side), b(a.size()), expected(a.size());
  Random random;
  for (float& value : a) value = static_cast<float>(random.below(9)) - 4;
  for (float& value : b) value = static_cast<float>(random.below(9)) - 4;
  for (int y = 0; y < side; ++y)
    for (int k = 0; k < side; ++k)
      for (int x = 0; x < side; ++x)
        expected[size_t(y) * side + x] += a[size_t(y) * side + k] * b[size_t(k) * side + x];
  DeviceArray<float> da(a), db(b), dc(a.size());
  for (int k = 0; k < launches; ++k)
    matmul<<<dim3(side / tile_side, side / tile_side), dim3(tile_side, tile_side)>>>(da.get(), db.get(), dc.get(),
                                                                                     side);
  finish_kernel();
  return verdict("matmul", dc.to_host(), expected);
}

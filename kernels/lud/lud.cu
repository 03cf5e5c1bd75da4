// LU decomposition in place, without pivots, by 16x16 tiles: the tile on the diagonal, then its row and column of
// tiles, then all tiles below and to the right of it. Threads that each own a row of a tile read down its columns, 16
// words apart: 8 of 16 meet in a bank.
//   lud [side, a multiple of 16: 64]
#include "../check.hpp"

constexpr int tile_side = 16;

/// Decomposes the tile whose first element is (first, first). Thread t of 16 owns column t of U and row t of L.
__global__ void lud_1_diagonal(float* matrix, int side, int first) {
  __shared__ float tile[tile_side][tile_side];
  const int thread = threadIdx.x;
  float* corner = matrix + first * side + first;
  for (int row = 0; row < tile_side; ++row) tile[row][thread] = corner[row * side + thread];
  __syncthreads();
  for (int i = 0; i < tile_side - 1; ++i) {
    if (thread > i) {  // column i of L
      float rest = tile[thread][i];
      for (int k = 0; k < i; ++k) rest -= tile[thread][k] * tile[k][i];
      tile[thread][i] = rest / tile[i][i];
    }
    __syncthreads();
    if (thread > i) {  // row i + 1 of U
      float rest = tile[i + 1][thread];
      for (int k = 0; k <= i; ++k) rest -= tile[i + 1][k] * tile[k][thread];
      tile[i + 1][thread] = rest;
    }
    __syncthreads();
  }
  for (int row = 1; row < tile_side; ++row) corner[row * side + thread] = tile[row][thread];
}

/// Tile blockIdx.x + 1 to the right of the diagonal one becomes U (threads 0 to 15, a column each), and the one as far
/// below it L (threads 16 to 31, a row each).
__global__ void lud_2_perimeter(float* matrix, int side, int first) {
  __shared__ float diagonal[tile_side][tile_side];
  __shared__ float right[tile_side][tile_side];
  __shared__ float below[tile_side][tile_side];
  const int thread = threadIdx.x % tile_side;
  const int distance = (blockIdx.x + 1) * tile_side;
  const bool is_right = threadIdx.x < tile_side;
  float* corner = matrix + first * side + first;
  float* right_corner = corner + distance;
  float* below_corner = corner + distance * side;
  // Each half of the warp brings half of the diagonal tile, and all of its own. The loops that end the branches are not
  // unrolled: else a compiler can make one access of the last ones of both halves, which meet in the same banks.
  if (is_right) {
    for (int row = 0; row < tile_side / 2; ++row) diagonal[row][thread] = corner[row * side + thread];
#pragma unroll 1
    for (int row = 0; row < tile_side; ++row) right[row][thread] = right_corner[row * side + thread];
  } else {
    for (int row = tile_side / 2; row < tile_side; ++row) diagonal[row][thread] = corner[row * side + thread];
#pragma unroll 1
    for (int row = 0; row < tile_side; ++row) below[row][thread] = below_corner[row * side + thread];
  }
  __syncthreads();
  if (is_right) {
    for (int i = 1; i < tile_side; ++i) {
      float rest = right[i][thread];
      for (int k = 0; k < i; ++k) rest -= diagonal[i][k] * right[k][thread];
      right[i][thread] = rest;
    }
  } else {
    for (int i = 0; i < tile_side; ++i) {
      float rest = below[thread][i];
      for (int k = 0; k < i; ++k) rest -= below[thread][k] * diagonal[k][i];
      below[thread][i] = rest / diagonal[i][i];
    }
  }
  __syncthreads();
  if (is_right) {
#pragma unroll 1
    for (int row = 1; row < tile_side; ++row) right_corner[row * side + thread] = right[row][thread];
  } else {
#pragma unroll 1
    for (int row = 0; row < tile_side; ++row) below_corner[row * side + thread] = below[row][thread];
  }
}

/// Takes the product of its tiles of L and U from every tile below and to the right of the diagonal one.
__global__ void lud_internal(float* matrix, int side, int first) {
  __shared__ float right[tile_side][tile_side];
  __shared__ float below[tile_side][tile_side];
  const int x = first + (blockIdx.x + 1) * tile_side + threadIdx.x;
  const int y = first + (blockIdx.y + 1) * tile_side + threadIdx.y;
  right[threadIdx.y][threadIdx.x] = matrix[(first + threadIdx.y) * side + x];
  below[threadIdx.y][threadIdx.x] = matrix[y * side + first + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < tile_side; ++k) sum += below[threadIdx.y][k] * right[k][threadIdx.x];
  matrix[y * side + x] -= sum;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int side = arguments.number(0, 64);
  if (side % tile_side) {
    std::fprintf(stderr, "the side must be a multiple of %d\n", tile_side);
    return 2;
  }
  std::vector<float> matrix(size_t(side) * side);
  Random random;
  for (float& value : matrix) value = static_cast<float>(random.below(100)) / 100;
  for (int i = 0; i < side; ++i) matrix[size_t(i) * side + i] += static_cast<float>(side);  // pivots that are not small

  DeviceArray<float> device_matrix(matrix);
  for (int first = 0; first < side; first += tile_side) {
    const int rest = (side - first) / tile_side - 1;
    lud_1_diagonal<<<1, tile_side>>>(device_matrix.get(), side, first);
    if (rest == 0) break;
    lud_2_perimeter<<<rest, 2 * tile_side>>>(device_matrix.get(), side, first);
    lud_internal<<<dim3(rest, rest), dim3(tile_side, tile_side)>>>(device_matrix.get(), side, first);
  }
  finish_kernel();

  for (int k = 0; k < side; ++k)
    for (int y = k + 1; y < side; ++y) {
      const float factor = matrix[size_t(y) * side + k] /= matrix[size_t(k) * side + k];
      for (int x = k + 1; x < side; ++x) matrix[size_t(y) * side + x] -= factor * matrix[size_t(k) * side + x];
    }
  return verdict("lud", device_matrix.to_host(), matrix, 1e-4);
}

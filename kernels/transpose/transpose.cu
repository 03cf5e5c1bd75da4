// B = A^T of a square matrix, three ways:
//   default    through a 32x32 tile in shared memory: each column of the tile lies in one bank, so that reading it
//   takes
//              32 wavefronts where one would do. This is the program of `make demo`.
//   --padded   the same with a row of 33 words: no conflicts
//   --naive    without shared memory: the writes are scattered over global memory
//   transpose [side: 1024] [--padded | --naive]
#include "../check.hpp"

constexpr int tile_side = 32;

template <int row_words>
__global__ void transpose_tile(const float* in, float* out, int side) {
  __shared__ float tile[tile_side][row_words];
  int x = blockIdx.x * tile_side + threadIdx.x;
  int y = blockIdx.y * tile_side + threadIdx.y;
  if (x < side && y < side) tile[threadIdx.y][threadIdx.x] = in[y * side + x];
  __syncthreads();
  x = blockIdx.y * tile_side + threadIdx.x;
  y = blockIdx.x * tile_side + threadIdx.y;
  if (x < side && y < side) out[y * side + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_naive(const float* in, float* out, int side) {
  int x = blockIdx.x * tile_side + threadIdx.x;
  int y = blockIdx.y * tile_side + threadIdx.y;
  if (x < side && y < side) out[x * side + y] = in[y * side + x];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int side = arguments.number(0, 1024), tiles = (side + tile_side - 1) / tile_side;
  std::vector<float> in(size_t(side) * side), expected(in.size());
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      float value = static_cast<float>((y * 131 + x * 7) % 65521);
      in[size_t(y) * side + x] = value;
      expected[size_t(x) * side + y] = value;
    }
  DeviceArray<float> from(in), to(in.size());
  dim3 grid(tiles, tiles), block(tile_side, tile_side);
  if (arguments.flag("--naive"))
    transpose_naive<<<grid, block>>>(from.get(), to.get(), side);
  else if (arguments.flag("--padded"))
    transpose_tile<tile_side + 1><<<grid, block>>>(from.get(), to.get(), side);
  else
    transpose_tile<tile_side><<<grid, block>>>(from.get(), to.get(), side);
  finish_kernel();
  return verdict("transpose", to.to_host(), expected);
}

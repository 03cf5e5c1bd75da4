// B = A^T of a square matrix through a 16x16 tile without padding, a thread an element. A warp covers two rows of the
// tile: it writes 32 neighbouring words, and reads two columns, whose words are 16 apart and meet in four banks.
//   transpose16 [side: 256]
#include "../check.hpp"

constexpr int tile_side = 16;

__global__ void transpose16(const float* in, float* out, int side) {
  __shared__ float tile[tile_side][tile_side];
  int x = blockIdx.x * tile_side + threadIdx.x;
  int y = blockIdx.y * tile_side + threadIdx.y;
  if (x < side && y < side) tile[threadIdx.y][threadIdx.x] = in[y * side + x];
  __syncthreads();
  x = blockIdx.y * tile_side + threadIdx.x;
  y = blockIdx.x * tile_side + threadIdx.y;
  if (x < side && y < side) out[y * side + x] = tile[threadIdx.x][threadIdx.y];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int side = arguments.number(0, 256), tiles = (side + tile_side - 1) / tile_side;
  std::vector<float> in(size_t(side) * side), expected(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) expected[size_t(x) * side + y] = in[size_t(y) * side + x];
  DeviceArray<float> device_in(in), out(in.size());
  transpose16<<<dim3(tiles, tiles), dim3(tile_side, tile_side)>>>(device_in.get(), out.get(), side);
  finish_kernel();
  return verdict("transpose16", out.to_host(), expected);
}

// B = A^T of a square matrix through a 16x16 tile, a thread an element. A warp covers two rows of the tile: it writes two
// rows and reads two columns.
//   default   16 words a row: the warp writes 32 neighbouring words, but the words of a column meet in four of 32 banks,
//             and those of eight lanes in one of 8
//   --padded  17 words a row: no conflicts of eight lanes with 8 banks; with 32 banks, one lane in each access meets another
//   transpose16 [side: 256] [--padded]
#include "../check.hpp"

constexpr int tile_side = 16;

template <int pitch>
__device__ void transpose_tile(float (&tile)[tile_side][pitch], const float* in, float* out, int side) {
  int x = blockIdx.x * tile_side + threadIdx.x;
  int y = blockIdx.y * tile_side + threadIdx.y;
  if (x < side && y < side) tile[threadIdx.y][threadIdx.x] = in[y * side + x];
  __syncthreads();
  x = blockIdx.y * tile_side + threadIdx.x;
  y = blockIdx.x * tile_side + threadIdx.y;
  if (x < side && y < side) out[y * side + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose16(const float* in, float* out, int side) {
  __shared__ float tile[tile_side][tile_side];
  transpose_tile(tile, in, out, side);
}

__global__ void transpose16_padded(const float* in, float* out, int side) {
  __shared__ float tile[tile_side][tile_side + 1];
  transpose_tile(tile, in, out, side);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--padded"}, 1);
  const int side = arguments.number(0, 256), tiles = (side + tile_side - 1) / tile_side;
  std::vector<float> in(size_t(side) * side), expected(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) expected[size_t(x) * side + y] = in[size_t(y) * side + x];
  DeviceArray<float> device_in(in), out(in.size());
  const auto kernel = arguments.flag("--padded") ? transpose16_padded : transpose16;
  kernel<<<dim3(tiles, tiles), dim3(tile_side, tile_side)>>>(device_in.get(), out.get(), side);
  finish_kernel();
  return verdict("transpose16", out.to_host(), expected);
}

// C = A B of square matrices on tensor cores, f16 times f16 into f32: a block makes 32 x 32 results, each of its four warps 16 x 16
// of them, with ldmatrix and mma.m16n8k8 from tiles in shared memory:
//   default    rows of 16 and 32 halves without gaps: 8 lines of 16 bytes that ldmatrix reads in one pass lie on the same
//              banks, two (A) or four (B) on each
//   --padded   8 halves behind each row: no conflicts
//   tensor_gemm [side, a multiple of 32: 128] [--padded]
#include "../check.hpp"
#include "../half.hpp"

constexpr int tile_side = 32, tile_depth = 16;

/// Two matrices of 8 x 8 halves; lanes 0 to 15 give the address of a line each.
__device__ inline void load_two(uint32_t (&to)[2], const uint16_t* line) {
  asm volatile("{ .reg .u64 p; cvta.to.shared.u64 p, %2; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [p]; }"
               : "=r"(to[0]), "=r"(to[1])
               : "l"(line)
               : "memory");
}
__device__ inline void load_two_turned(uint32_t (&to)[2], const uint16_t* line) {
  asm volatile(
      "{ .reg .u64 p; cvta.to.shared.u64 p, %2; ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [p]; }"
      : "=r"(to[0]), "=r"(to[1])
      : "l"(line)
      : "memory");
}

/// sums += A B, 16 x 8 x 8
__device__ inline void multiply(float (&sums)[4], const uint32_t (&a)[2], uint32_t b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}

template <int gap>
__global__ void tensor_gemm(const uint16_t* a, const uint16_t* b, float* c, int side) {
  alignas(16) __shared__ uint16_t tile_a[tile_side][tile_depth + gap];
  alignas(16) __shared__ uint16_t tile_b[tile_depth][tile_side + gap];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int row = blockIdx.y * tile_side, column = blockIdx.x * tile_side;
  const int warp_row = warp / 2 * 16, warp_column = warp % 2 * 16;
  float sums[2][4] = {};
  for (int depth = 0; depth < side; depth += tile_depth) {
    // 512 halves of each: a thread copies 8. Eight lanes store to eight lines, as ldmatrix reads them.
    const int copied = thread % 64, ay = copied % 32, ax = copied / 32 * 8, by = copied % 16, bx = copied / 16 * 8;
    if (thread < 64)
      copy_line(&tile_a[ay][ax], &a[(row + ay) * side + depth + ax]);
    else
      copy_line(&tile_b[by][bx], &b[(depth + by) * side + column + bx]);
    __syncthreads();
    for (int k = 0; k < tile_depth; k += 8) {
      uint32_t from_a[2], from_b[2];
      load_two(from_a, &tile_a[warp_row + lane % 16][k]);
      load_two_turned(from_b, &tile_b[k + lane % 8][warp_column + lane / 8 % 2 * 8]);
      multiply(sums[0], from_a, from_b[0]);
      multiply(sums[1], from_a, from_b[1]);
    }
    __syncthreads();
  }
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 4; ++i) {
      const int y = row + warp_row + lane / 4 + i / 2 * 8, x = column + warp_column + half * 8 + lane % 4 * 2 + i % 2;
      c[y * side + x] = sums[half][i];
    }
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--padded"}, 1);
  const int side = arguments.number(0, 128);
  if (side % tile_side != 0) refuse_arguments("the side is no multiple of 32", "give 32, 64, 96 …");
  const size_t count = size_t(side) * side;
  const WholeHalves a(count, 7, 31), b(count, 11, 29);
  std::vector<float> expected(count);  // whole numbers: exact
  for (int row = 0; row < side; ++row)
    for (int k = 0; k < side; ++k)
      for (int column = 0; column < side; ++column)
        expected[size_t(row) * side + column] +=
            static_cast<float>(a.whole[size_t(row) * side + k] * b.whole[size_t(k) * side + column]);
  DeviceArray<uint16_t> from_a(a.halves), from_b(b.halves);
  DeviceArray<float> to(count);
  const dim3 grid(side / tile_side, side / tile_side);
  if (arguments.flag("--padded"))
    tensor_gemm<8><<<grid, 128>>>(from_a.get(), from_b.get(), to.get(), side);
  else
    tensor_gemm<0><<<grid, 128>>>(from_a.get(), from_b.get(), to.get(), side);
  finish_kernel();
  return verdict("tensor_gemm", to.to_host(), expected);
}

// C = A B^T of 64 x 64 matrices by wgmma, f16 into f32: 128 threads copy the matrices into shared memory, eight of them a row of
// 128 bytes, and one warpgroup multiplies. Matrix descriptors say how the tiles lie there:
//   default          no swizzle: cores of 8 rows of 16 bytes, so that the eight lanes of a row store into one row of banks
//   --swizzle=SPAN   rows of SPAN bytes (32, 64, 128) whose 16 bytes change places: 4, 2 and 1 of the lanes do
//   wgmma_tile [matrices: 4] [--swizzle=SPAN]
// Architecture: sm_90a
#include "../check.hpp"
#include "../half.hpp"

constexpr int side = 64, line = 8, lines = side / line;  // halves of 16 bytes, and how many a row has

/// Where a line of a tile lies, in bytes. @param span  0: no swizzle
template <int span>
__device__ int place(int row, int column) {
  if (span == 0) return column * (side * 16) + row * 16;
  constexpr int width = span == 0 ? 1 : span / 16;
  const int at = column / width * (side * span) + row * span + column % width * 16;
  return at ^ (at >> 7 & (width - 1)) << 4;
}

/// The descriptor of a tile from a line on. Source: PTX ISA, "Matrix descriptor".
template <int span>
__device__ uint64_t descriptor(const uint16_t* tile, int column) {
  uint64_t address = 0;
  asm("{ .reg .u64 p; cvta.to.shared.u64 p, %1; mov.u64 %0, p; }" : "=l"(address) : "l"(tile));
  constexpr int width = span == 0 ? 1 : span / 16;
  const uint64_t start = address + column / width * (side * (span == 0 ? 16 : span)) + column % width * 16;
  const uint64_t leading = span == 0 ? side * 16 : 16, stride = span == 0 ? 128 : 8 * span;
  const uint64_t mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
  return (start >> 4 & 0x3fff) | leading / 16 << 16 | stride / 16 << 32 | mode << 62;
}

/// d += a b, 64 x 64 x 16
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
      "%14, "
      "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b));
}

template <int span>
__global__ void wgmma_tile(const uint16_t* a, const uint16_t* b, float* c) {
  alignas(1024) __shared__ uint16_t tile_a[side * side];
  alignas(1024) __shared__ uint16_t tile_b[side * side];
  const int thread = threadIdx.x, matrix = blockIdx.x * side * side;
  for (int i = thread; i < side * lines; i += blockDim.x) {
    const int to = place<span>(i / lines, i % lines) / 2, from = matrix + i * line;
    copy_line(&tile_a[to], &a[from]);
    copy_line(&tile_b[to], &b[from]);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[32] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int column = 0; column < lines; column += 2)
    multiply(d, descriptor<span>(tile_a, column), descriptor<span>(tile_b, column));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 32; ++i) {
    const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + thread % 4 * 2 + i % 2;
    c[matrix + row * side + column] = d[i];
  }
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--swizzle="}, 1);
  const int matrices = arguments.number(0, 4), span = arguments.number("--swizzle=", 0, 0);
  if (span != 0 && span != 32 && span != 64 && span != 128)
    refuse_arguments("there is no such swizzle", "give --swizzle=32, 64, 128, or 0 for none");
  const size_t of_matrix = size_t(side) * side, count = of_matrix * matrices;
  const WholeHalves a(count, 7, 31), b(count, 11, 29);
  std::vector<float> expected(count);  // whole numbers: exact
  for (size_t i = 0; i < count; ++i) {
    const size_t first = i / of_matrix * of_matrix, row = i % of_matrix / side, column = i % side;
    for (int k = 0; k < side; ++k)
      expected[i] += static_cast<float>(a.whole[first + row * side + k] * b.whole[first + column * side + k]);
  }
  DeviceArray<uint16_t> from_a(a.halves), from_b(b.halves);
  DeviceArray<float> to(count);
  switch (span) {
    case 0: wgmma_tile<0><<<matrices, 128>>>(from_a.get(), from_b.get(), to.get()); break;
    case 32: wgmma_tile<32><<<matrices, 128>>>(from_a.get(), from_b.get(), to.get()); break;
    case 64: wgmma_tile<64><<<matrices, 128>>>(from_a.get(), from_b.get(), to.get()); break;
    default: wgmma_tile<128><<<matrices, 128>>>(from_a.get(), from_b.get(), to.get()); break;
  }
  finish_kernel();
  return verdict("wgmma_tile", to.to_host(), expected);
}

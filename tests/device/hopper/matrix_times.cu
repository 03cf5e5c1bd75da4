// Cycles of ldmatrix and stmatrix by the addresses of their rows.
//   matrix_times      prints rows (timing.hpp)
#include <string>

#include "matrix_access.hpp"
#include "timing.hpp"

using namespace hopper;

constexpr int kDynamic = 64 * 1024;

/// All warps execute the instruction `count` times; rows are `stride` bytes apart, exclusive-or'ed with their number
/// where `swizzled`. `step` is 0, unknown to the compiler, which would drop accesses to the same address. out: cycles.
template <int kInstruction>
__global__ void run(int count, uint32_t stride, bool swizzled, uint32_t step, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  const uint32_t base = aligned_base(dynamic), lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 60 * 1024 / 4; i += blockDim.x) store_shared(base + 4 * i, 0u);
  if (threadIdx.x == 0) *out = 0;
  __syncthreads();
  uint32_t offset = lane * stride;
  if (swizzled) offset ^= (offset >> 7 & 7) << 4;
  uint32_t at = base + offset, r[4] = {}, all = 0;
  const uint32_t start = clock32();
#pragma unroll 8
  for (int i = 0; i < count; ++i) {
    matrix_access<kInstruction>(at, r);
    at += step;
    if constexpr (kInstruction < kStore1) all ^= r[0] ^ r[1] ^ r[2] ^ r[3];  // else all loads but the last are dropped
  }
  if (all == 1) out[1] = all;
  __syncthreads();
  const uint32_t cycles = clock32() - start;
  atomicMax(out, cycles);
}

/// Each load's address depends on what the load before gave, 0.
template <int kInstruction>
__global__ void chain(int count, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  const uint32_t base = aligned_base(dynamic);
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) store_shared(base + 4 * i, 0u);
  __syncwarp();
  uint32_t at = base + threadIdx.x * 16, r[4] = {};
  const uint32_t start = clock32();
#pragma unroll 4
  for (int i = 0; i < count; ++i) {
    matrix_access<kInstruction>(at, r);
    at += r[0];
  }
  if (threadIdx.x == 0) *out = clock32() - start;
  if (at == 1) out[1] = at;
}

/// A store of rows and a load of the same, of one warp.
__global__ void round_trip(int count, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  const uint32_t base = aligned_base(dynamic), at = base + threadIdx.x * 16;
  uint32_t r[4] = {};
  const uint32_t start = clock32();
  for (int i = 0; i < count; ++i) {
    matrix_access<kStore4>(at, r);
    matrix_access<kLoad4>(at, r);
  }
  if (threadIdx.x == 0) *out = clock32() - start;
  if (r[0] == 1) out[1] = r[0];
}

template <class Launch>
double of_one(DeviceArray<uint32_t>& out, Launch launch) {
  const double few = median_cycles(out, [&](uint32_t* o) { launch(64, o); }),
               many = median_cycles(out, [&](uint32_t* o) { launch(320, o); });
  return (many - few) / 256;
}

template <int kInstruction>
void rows_of(DeviceArray<uint32_t>& out, const char* name) {
  allow_shared(run<kInstruction>, kDynamic);
  for (int warps : {1, 4, 16})
    for (uint32_t stride : {16u, 32u, 48u, 64u, 80u, 128u, 144u, 256u, 272u, 512u, 1024u})
      for (bool swizzled : {false, true}) {
        if (swizzled && stride != 128 && stride != 256) continue;
        if (warps == 4 && stride != 16 && stride != 128) continue;
        row("matrix instruction interval",
            std::string(name) + ", rows " + std::to_string(stride) + " B apart" + (swizzled ? ", swizzled" : "") +
                ", " + std::to_string(warps) + " warps",
            of_one(out, [&](int count, uint32_t* o) {
              run<kInstruction><<<1, 32 * warps, kDynamic>>>(count, stride, swizzled, 0, o);
            }) / warps);
      }
}

int main() {
  DeviceArray<uint32_t> out(4);
  allow_shared(chain<kLoad1>, kDynamic);
  allow_shared(chain<kLoad4>, kDynamic);
  allow_shared(chain<kLoad4T>, kDynamic);
  allow_shared(round_trip, kDynamic);
  row("ldmatrix latency", "x1",
      of_one(out, [&](int count, uint32_t* o) { chain<kLoad1><<<1, 32, kDynamic>>>(count, o); }));
  row("ldmatrix latency", "x4",
      of_one(out, [&](int count, uint32_t* o) { chain<kLoad4><<<1, 32, kDynamic>>>(count, o); }));
  row("ldmatrix latency", "x4.trans",
      of_one(out, [&](int count, uint32_t* o) { chain<kLoad4T><<<1, 32, kDynamic>>>(count, o); }));
  row("stmatrix and ldmatrix latency", "x4",
      of_one(out, [&](int count, uint32_t* o) { round_trip<<<1, 32, kDynamic>>>(count, o); }));
  rows_of<kStore4>(out, "stmatrix.x4");
  rows_of<kStore1>(out, "stmatrix.x1");
  rows_of<kStore2>(out, "stmatrix.x2");
  rows_of<kStore4T>(out, "stmatrix.x4.trans");
  rows_of<kStore1T>(out, "stmatrix.x1.trans");
  rows_of<kLoad1>(out, "ldmatrix.x1");
  rows_of<kLoad2>(out, "ldmatrix.x2");
  rows_of<kLoad4>(out, "ldmatrix.x4");
  rows_of<kLoad4T>(out, "ldmatrix.x4.trans");
  return 0;
}

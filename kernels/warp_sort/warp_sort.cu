// Sorts each 32 numbers by a bitonic network of shuffles: 15 exchanges a warp, again and again with other numbers. Nothing but
// registers that lanes exchange.
//   warp_sort [warps: 64] [rounds: 16]
#include "../check.hpp"

#include <algorithm>

constexpr int warp_lanes = 32;

__host__ __device__ inline uint32_t scrambled(uint32_t value) {
  value ^= value << 13;
  value ^= value >> 17;
  return value ^ value << 5;
}

__global__ void warp_sort(const uint32_t* in, uint32_t* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread % warp_lanes;
  uint32_t value = in[thread];
  for (int round = 0; round < rounds; ++round) {
    value = scrambled(value);
    for (int size = 2; size <= warp_lanes; size *= 2) {
      for (int distance = size / 2; distance > 0; distance /= 2) {
        const uint32_t other = __shfl_xor_sync(0xffffffffu, value, distance);
        const bool ascending = (lane & size) == 0, lower = (lane & distance) == 0;
        value = (value < other) == (ascending == lower) ? value : other;
      }
    }
  }
  out[thread] = value;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({}, 2);
  const int warps = arguments.number(0, 64), rounds = arguments.number(1, 16), n = warps * warp_lanes;
  std::vector<uint32_t> in(n);
  Random random;
  for (uint32_t& value : in) value = random.next();
  std::vector<uint32_t> expected = in;
  for (int warp = 0; warp < warps; ++warp) {
    const auto first = expected.begin() + warp * warp_lanes;
    for (int round = 0; round < rounds; ++round) {
      for (int lane = 0; lane < warp_lanes; ++lane) first[lane] = scrambled(first[lane]);
      std::sort(first, first + warp_lanes);
    }
  }
  DeviceArray<uint32_t> device_in(in), out(n);
  const int per_block = warps % 4 == 0 ? 4 : 1;
  warp_sort<<<warps / per_block, per_block * warp_lanes>>>(device_in.get(), out.get(), rounds);
  finish_kernel();
  return verdict("warp_sort", out.to_host(), expected);
}

// Shuffles, votes, ballots and matches between the lanes of a warp, each also by some lanes only.
//   warp_primitives [warps: 64]
#include "../check.hpp"

constexpr unsigned everyone = 0xffffffffu;
constexpr int warp_lanes = 32;
enum Result {
  rotated,
  xored,
  prefix_sum,
  total,
  multiples_of_3,
  any_odd,
  all_small,
  same_value,
  lower_half_sum,
  segment_leader,
  results
};

__global__ void warp_primitives(const int* in, int* out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread % warp_lanes;
  const int value = in[thread];
  int* result = out + thread * results;

  result[rotated] = __shfl_sync(everyone, value, lane + 1);
  result[xored] = __shfl_xor_sync(everyone, value, 5);

  int sum = value;
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    int before = __shfl_up_sync(everyone, sum, distance);
    if (lane >= distance) sum += before;
  }
  result[prefix_sum] = sum;

  int sum_all = value;
  for (int distance = warp_lanes / 2; distance > 0; distance /= 2)
    sum_all += __shfl_xor_sync(everyone, sum_all, distance);
  result[total] = sum_all;

  result[multiples_of_3] = static_cast<int>(__ballot_sync(everyone, value % 3 == 0));
  result[any_odd] = __any_sync(everyone, value & 1) != 0;
  result[all_small] = __all_sync(everyone, value < 15) != 0;
  result[same_value] = static_cast<int>(__match_any_sync(everyone, value));

  // Half a warp on its own.
  int half = -1;
  if (lane < 16) {
    half = value;
    for (int distance = 8; distance > 0; distance /= 2) half += __shfl_down_sync(0xffffu, half, distance, 16);
  }
  result[lower_half_sum] = half;

  // Segments of 8 lanes read their first.
  result[segment_leader] = __shfl_sync(everyone, value, 0, 8);
}

/// What one warp must get, by the definitions of the CUDA programming guide.
void reference(const int* in, int* out) {
  for (int lane = 0; lane < warp_lanes; ++lane) {
    int* result = out + lane * results;
    result[rotated] = in[(lane + 1) % warp_lanes];
    result[xored] = in[lane ^ 5];
    result[prefix_sum] = result[total] = result[multiples_of_3] = result[any_odd] = result[same_value] = 0;
    result[all_small] = 1;
    for (int other = 0; other < warp_lanes; ++other) {
      if (other <= lane) result[prefix_sum] += in[other];
      result[total] += in[other];
      if (in[other] % 3 == 0) result[multiples_of_3] |= static_cast<int>(1u << other);
      if (in[other] & 1) result[any_odd] = 1;
      if (in[other] >= 15) result[all_small] = 0;
      if (in[other] == in[lane]) result[same_value] |= static_cast<int>(1u << other);
    }
    // shfl_down beyond the segment gives the lane's own value back, so upper lanes hold multiples.
    result[lower_half_sum] = -1;
    result[segment_leader] = in[lane / 8 * 8];
  }
  int half[16];
  for (int lane = 0; lane < 16; ++lane) half[lane] = in[lane];
  for (int distance = 8; distance > 0; distance /= 2) {
    int before[16];
    std::memcpy(before, half, sizeof half);
    for (int lane = 0; lane < 16; ++lane) half[lane] += before[lane + distance < 16 ? lane + distance : lane];
  }
  for (int lane = 0; lane < 16; ++lane) out[lane * results + lower_half_sum] = half[lane];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int warps = arguments.number(0, 64), threads = warps * warp_lanes;
  std::vector<int> in(threads), expected(size_t(threads) * results);
  Random random;
  for (int i = 0; i < threads; ++i) in[i] = static_cast<int>(random.below(i / warp_lanes % 2 ? 20 : 15));
  for (int warp = 0; warp < warps; ++warp)
    reference(&in[warp * warp_lanes], &expected[size_t(warp) * warp_lanes * results]);
  DeviceArray<int> device_in(in), out(expected.size());
  warp_primitives<<<warps, warp_lanes>>>(device_in.get(), out.get());
  finish_kernel();
  return verdict("warp_primitives", out.to_host(), expected);
}

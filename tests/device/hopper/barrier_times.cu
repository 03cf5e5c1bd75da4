// Cycles of mbarriers, of the proxy fence beside them, and of setmaxnreg.
//   barrier_times     prints rows (timing.hpp)
#include <string>

#include "ptx.hpp"
#include "timing.hpp"

using namespace hopper;

enum Operation {
  kArrive,
  kArriveExpect,
  kTryWaitDone,
  kTestWait,
  kArriveAndWait,
  kFence,
  kFenceShared,
  kInit,
  kPingPong,
  kSyncthreads
};
/// kPingPong: warps 0 and 1 hand a phase to each other, in turn; the cycles are of both ways.
template <Operation kOperation>
__global__ void barrier_cost(int count, uint32_t* out) {
  __shared__ __align__(8) uint64_t barriers[2];
  const uint32_t one = shared_address(&barriers[0]), two = shared_address(&barriers[1]);
  if (threadIdx.x == 0) {
    barrier_init(one, kOperation == kPingPong                                ? 1
                      : kOperation == kArrive || kOperation == kArriveExpect ? 1000000 / 32 * 32
                                                                             : blockDim.x);
    barrier_init(two, 1);
  }
  __syncthreads();
  const uint32_t start = clock32();
#pragma unroll 4
  for (int i = 0; i < count; ++i) {
    if (kOperation == kArrive) barrier_arrive(one);
    if (kOperation == kArriveExpect) barrier_expect(one, 0);
    if (kOperation == kTryWaitDone) barrier_try(one, 1);
    if (kOperation == kTestWait) {
      uint32_t done;
      asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(one)
                   : "memory");
    }
    if (kOperation == kArriveAndWait) {
      barrier_arrive(one);
      while (!barrier_try(one, i & 1)) {
      }
    }
    if (kOperation == kFence) fence_async();
    if (kOperation == kFenceShared) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (kOperation == kInit) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(two) : "memory");
    if (kOperation == kSyncthreads) __syncthreads();
    if (kOperation == kPingPong && threadIdx.x % 32 == 0) {
      if (threadIdx.x == 0) {
        barrier_arrive(one);
        barrier_wait(two, i & 1);
      } else {
        barrier_wait(one, i & 1);
        barrier_arrive(two);
      }
    }
  }
  if (threadIdx.x == 0) *out = clock32() - start;
}
template <Operation kOperation>
void barrier_row(DeviceArray<uint32_t>& out, const char* name, int threads) {
  const double few = median_cycles(out, [&](uint32_t* o) { barrier_cost<kOperation><<<1, threads>>>(32, o); });
  const double many = median_cycles(out, [&](uint32_t* o) { barrier_cost<kOperation><<<1, threads>>>(288, o); });
  row(name, std::to_string(threads) + " threads", (many - few) / 256);
}

/// Warpgroup 0 gives registers back, warpgroups 1 and 2 ask for more: 3 x 168 = 40 + 2 x 232. out: cycles of one warp
/// of 0 and of 1.
__global__ void __launch_bounds__(384, 1) registers(uint32_t* out) {
  const uint32_t start = clock32();
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
    if (threadIdx.x == 0) out[0] = clock32() - start;
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");
    if (threadIdx.x == 128) out[1] = clock32() - start;
  }
}

int main() {
  DeviceArray<uint32_t> out(64);
  barrier_row<kArrive>(out, "mbarrier.arrive", 1);
  barrier_row<kArrive>(out, "mbarrier.arrive", 32);
  barrier_row<kArrive>(out, "mbarrier.arrive", 128);
  barrier_row<kArriveExpect>(out, "mbarrier.arrive.expect_tx", 1);
  barrier_row<kTryWaitDone>(out, "mbarrier.try_wait of a finished phase", 1);
  barrier_row<kTryWaitDone>(out, "mbarrier.try_wait of a finished phase", 32);
  barrier_row<kTryWaitDone>(out, "mbarrier.try_wait of a finished phase", 128);
  barrier_row<kTestWait>(out, "mbarrier.test_wait of a finished phase", 32);
  for (int threads : {1, 32, 128, 512}) barrier_row<kArriveAndWait>(out, "mbarrier.arrive and try_wait", threads);
  for (int threads : {32, 128, 512}) barrier_row<kSyncthreads>(out, "bar.sync", threads);
  barrier_row<kFence>(out, "fence.proxy.async", 32);
  barrier_row<kFence>(out, "fence.proxy.async", 128);
  barrier_row<kFenceShared>(out, "fence.proxy.async.shared::cta", 32);
  barrier_row<kFenceShared>(out, "fence.proxy.async.shared::cta", 128);
  barrier_row<kInit>(out, "mbarrier.init", 1);
  barrier_row<kPingPong>(out, "mbarrier hand-over and back, two warps", 64);
  for (int which : {0, 1}) {
    std::vector<double> cycles;
    for (int run = 0; run < 8; ++run) {
      registers<<<1, 384>>>(out.get());
      synchronize();
      cycles.push_back(out.download()[which]);
    }
    row(which ? "setmaxnreg.inc" : "setmaxnreg.dec",
        which ? "from 168 to 232 registers, beside a warpgroup that gives back" : "from 168 to 40 registers",
        median(cycles));
  }
  return 0;
}

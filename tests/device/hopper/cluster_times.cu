// Cycles of distributed shared memory and of cluster barriers.
//   cluster_times     prints rows (timing.hpp)
#include <string>

#include "ptx.hpp"
#include "timing.hpp"

using namespace hopper;

constexpr int kDynamic = 64 * 1024;

enum Access { kLoad, kLoadOwn, kLoadLocal, kAtomic, kExchange };
/// Lane 0 of block `reader` follows a chain of addresses in block `owner`. out: cycles of `count` accesses.
template <Access kAccess>
__global__ void chain(int reader, int owner, int count, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  const uint32_t base = aligned_base(dynamic), remote = map_to(base, owner);
  // Each word holds the address of the next in the cluster's window, 132 B further, or for atomics 0, which they leave.
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) {
    const uint32_t next = (i + 33) % 8192 * 4;
    store_shared(base + 4 * i,
                 kAccess == kAtomic || kAccess == kExchange ? 0u : (kAccess == kLoadLocal ? base : remote) + next);
  }
  cluster_sync();
  if (cluster_rank() == reader && threadIdx.x == 0) {
    uint32_t at = kAccess == kLoadLocal ? base : remote;
    const uint32_t start = clock32();
    for (int i = 0; i < count; ++i) {
      uint32_t value;
      if (kAccess == kLoadLocal)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(at) : "memory");
      else if (kAccess == kLoad || kAccess == kLoadOwn)
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(at) : "r"(at) : "memory");
      else if (kAccess == kAtomic)
        asm volatile("atom.shared::cluster.add.u32 %0, [%1], 0;" : "=r"(value) : "r"(at) : "memory");
      else
        asm volatile("atom.shared::cluster.exch.b32 %0, [%1], 0;" : "=r"(value) : "r"(at) : "memory");
      if (kAccess == kAtomic || kAccess == kExchange) at += value;
    }
    *out = clock32() - start;
    if (at == 1) out[1] = at;
  }
  cluster_sync();
}

enum Kind { kLoad4, kLoad8, kLoad16, kStore4, kStore16, kReduce4, kAtomic4, kAsync4, kAsync16 };
__host__ __device__ constexpr int width_of(int kind) {
  return kind == kLoad4 || kind == kStore4 || kind == kReduce4 || kind == kAtomic4 || kind == kAsync4 ? 4
         : kind == kLoad8                                                                             ? 8
                                                                                                      : 16;
}
/// All warps of each block access the next block's (or their own, as shared::cluster) memory; lanes are `stride` bytes
/// apart. `step` is 0, unknown to the compiler, which would drop accesses to the same address. out: cycles of block 0.
template <Kind kKind>
__global__ void stream(int distance, int count, uint32_t stride, int readers, uint32_t step, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barriers[32];  // of the warps that write here
  constexpr bool kAsync = kKind == kAsync4 || kKind == kAsync16;
  const uint32_t base = aligned_base(dynamic), own_barrier = shared_address(&barriers[threadIdx.x / 32]);
  uint32_t blocks;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  const uint32_t other = (cluster_rank() + distance) % blocks, remote = map_to(base, other),
                 remote_barrier = map_to(own_barrier, other);
  const bool waits = kAsync && static_cast<int>((cluster_rank() + blocks - distance % blocks) % blocks) < readers;
  for (int i = threadIdx.x; i < 32768 / 4; i += blockDim.x) store_shared(base + 4 * i, 0u);
  if (threadIdx.x % 32 == 0) {
    barrier_init(own_barrier, 1);
    if (waits) barrier_expect(own_barrier, count * 32 * width_of(kKind));
  }
  cluster_sync();
  uint32_t at = remote + (threadIdx.x % 32 * stride + threadIdx.x / 32 * 512) % 32768;
  uint32_t sum = 0;
  const uint32_t start = clock32();
  if (static_cast<int>(cluster_rank()) < readers) {
#pragma unroll 8
    for (int i = 0; i < count; ++i) {
      uint32_t x = 0, y = 0, z = 0, w = 0;
      if (kKind == kLoad4) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
      if (kKind == kLoad8)
        asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at) : "memory");
      if (kKind == kLoad16)
        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "r"(at)
                     : "memory");
      if (kKind == kStore4) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(i) : "memory");
      if (kKind == kStore16)
        asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(i) : "memory");
      if (kKind == kReduce4) asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(at) : "memory");
      if (kKind == kAtomic4) asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(x) : "r"(at) : "memory");
      if (kKind == kAsync4)
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(at), "r"(i),
                     "r"(remote_barrier)
                     : "memory");
      if (kKind == kAsync16)
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, [%2];" ::"r"(at),
            "r"(i), "r"(remote_barrier)
            : "memory");
      sum += x + y + z + w;
      at += step;
    }
  }
  if (sum == 0x12345) out[1] = sum;
  if (waits) barrier_wait(own_barrier, 0);
  cluster_sync();
  if (cluster_rank() == 0 && threadIdx.x == 0) *out = clock32() - start;
  cluster_sync();
}

/// `count` cluster barriers, with release and acquire of memory or without. out: cycles of block 0.
template <bool kRelaxed>
__global__ void barriers(int count, uint32_t* out) {
  cluster_sync();
  const uint32_t start = clock32();
  for (int i = 0; i < count; ++i) {
    if (kRelaxed)
      asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    else
      cluster_arrive();
    cluster_wait();
  }
  if (cluster_rank() == 0 && threadIdx.x == 0) *out = clock32() - start;
}
__global__ void map_cost(int count, uint32_t* out) {
  uint32_t at = threadIdx.x;
  const uint32_t start = clock32();
#pragma unroll 8
  for (int i = 0; i < count; ++i) at = map_to(at & 0xffff, 0);
  if (threadIdx.x == 0) *out = clock32() - start;
  if (at == 1) out[1] = at;
}
/// Block 0 sends a word to block 1 and gets one back, `count` times. kWay 0: st.async; 1: st.shared::cluster and a
/// remote arrive; 2: bulk copy of `bytes`. out: cycles of both ways.
template <int kWay>
__global__ void ping_pong(int count, uint32_t bytes, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t base = aligned_base(dynamic), rank = cluster_rank(), wait_on = shared_address(&barrier);
  const uint32_t remote = map_to(base, rank ^ 1), remote_barrier = map_to(wait_on, rank ^ 1);
  if (threadIdx.x == 0) barrier_init(wait_on, 1);
  fence_async();
  cluster_sync();
  const uint32_t start = clock32();
  if (threadIdx.x == 0 && rank < 2) {
    const auto send = [&] {
      if (kWay == 0)
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(remote),
                     "r"(count), "r"(remote_barrier)
                     : "memory");
      if (kWay == 1) {
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote), "r"(count) : "memory");
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote_barrier) : "memory");
      }
      if (kWay == 2) bulk_to_cluster(remote + 16384, base, bytes, remote_barrier);
    };
    for (int i = 0; i < count; ++i) {
      if (kWay != 1) barrier_expect(wait_on, kWay == 0 ? 4 : bytes);
      if (rank == 0) send();
      barrier_wait(wait_on, i & 1);
      if (rank == 1) send();
    }
  }
  if (rank == 0 && threadIdx.x == 0) *out = clock32() - start;
  cluster_sync();
}
/// Each block sends `count` pieces to the next; out: cycles until all of block 0 have come.
__global__ void bulk_stream(int count, uint32_t bytes, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barrier;
  uint32_t blocks;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  const uint32_t base = aligned_base(dynamic), other = (cluster_rank() + 1) % blocks,
                 wait_on = shared_address(&barrier);
  const uint32_t to = map_to(base + 32768, other), barrier_there = map_to(wait_on, other);
  if (threadIdx.x == 0) barrier_init(wait_on, 1), barrier_expect(wait_on, count * bytes);
  fence_async();
  cluster_sync();
  const uint32_t start = clock32();
  if (threadIdx.x == 0)
    for (int i = 0; i < count; ++i) bulk_to_cluster(to, base, bytes, barrier_there);
  barrier_wait(wait_on, 0);
  if (cluster_rank() == 0 && threadIdx.x == 0) *out = clock32() - start;
  cluster_sync();
}

/// A cluster of `blocks` blocks. More than 8, which a GPU may lack, are left out where it does: nothing runs.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), int blocks, int threads, Arguments... arguments) {
  allow_shared(kernel, kDynamic);
  if (blocks > 8) CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks, config.blockDim = threads, config.dynamicSmemBytes = kDynamic, config.attrs = &attribute,
  config.numAttrs = 1;
  int clusters = 0;
  if (blocks > 8 && (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) != cudaSuccess || clusters == 0)) {
    (void)cudaGetLastError();
    return;
  }
  CHECK(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

DeviceArray<uint32_t>* result;

/// Cycles of one more of something, from kernels that do it `few` and `many` times.
template <class Launch>
double of_one(int few, int many, Launch launch) {
  const double a = median_cycles(*result, [&](uint32_t* out) { launch(few, out); }),
               b = median_cycles(*result, [&](uint32_t* out) { launch(many, out); });
  return (b - a) / (many - few);
}

template <Kind kKind>
void streams(const char* name) {
  for (int blocks : {1, 2, 4, 8})
    for (uint32_t stride : {4u, 8u, 16u, 32u, 64u, 128u}) {
      if (stride < static_cast<uint32_t>(width_of(kKind)) ||
          (blocks != 2 && stride != static_cast<uint32_t>(width_of(kKind)) && stride != 128))
        continue;
      for (int warps : {1, 8, 32}) {
        if (warps == 8 && stride != static_cast<uint32_t>(width_of(kKind))) continue;
        const auto of = [&](int readers) {
          return of_one(32, 160,
                        [&](int count, uint32_t* out) {
                          launch(stream<kKind>, blocks, 32 * warps, 1, count, stride, readers, 0, out);
                        }) /
                 warps;
        };
        const std::string condition = std::string(name) + ", cluster of " + std::to_string(blocks) + ", lanes " +
                                      std::to_string(stride) + " B apart, " + std::to_string(warps) + " warps";
        row("DSMEM interval of a warp instruction", condition, of(blocks));
        if (blocks > 1 && stride == static_cast<uint32_t>(width_of(kKind)) && warps == 32)
          row("DSMEM interval of a warp instruction", condition + ", only block 0", of(1));
      }
    }
}

int main() {
  DeviceArray<uint32_t> out(64);
  result = &out;
  for (int threads : {32, 128, 1024})
    for (int blocks : {1, 2, 4, 8, 16}) {
      const std::string condition =
          "cluster of " + std::to_string(blocks) + ", " + std::to_string(threads) + " threads";
      row("cluster barrier", condition,
          of_one(16, 80, [&](int count, uint32_t* o) { launch(barriers<false>, blocks, threads, count, o); }));
      row("cluster barrier", condition + ", arrive.relaxed",
          of_one(16, 80, [&](int count, uint32_t* o) { launch(barriers<true>, blocks, threads, count, o); }));
    }
  row("mapa", "a chain", of_one(32, 160, [&](int count, uint32_t* o) { launch(map_cost, 2, 32, count, o); }));
  row("DSMEM latency", "ld.shared, own block",
      of_one(64, 320, [&](int count, uint32_t* o) { launch(chain<kLoadLocal>, 2, 32, 0, 0, count, o); }));
  row("DSMEM latency", "ld.shared::cluster, own block",
      of_one(64, 320, [&](int count, uint32_t* o) { launch(chain<kLoadOwn>, 2, 32, 0, 0, count, o); }));
  for (int blocks : {2, 4, 8, 16})
    for (int owner = 1; owner < blocks; ++owner)
      row("DSMEM latency",
          "ld.shared::cluster, cluster of " + std::to_string(blocks) + ", block 0 reads block " + std::to_string(owner),
          of_one(64, 320, [&](int count, uint32_t* o) { launch(chain<kLoad>, blocks, 32, 0, owner, count, o); }));
  row("DSMEM latency", "atom.shared::cluster.add.u32",
      of_one(64, 320, [&](int count, uint32_t* o) { launch(chain<kAtomic>, 2, 32, 0, 1, count, o); }));
  row("DSMEM latency", "atom.shared::cluster.exch.b32",
      of_one(64, 320, [&](int count, uint32_t* o) { launch(chain<kExchange>, 2, 32, 0, 1, count, o); }));
  row("DSMEM there and back", "st.async and mbarrier",
      of_one(16, 80, [&](int count, uint32_t* o) { launch(ping_pong<0>, 2, 32, count, 4, o); }));
  row("DSMEM there and back", "st and mbarrier.arrive",
      of_one(16, 80, [&](int count, uint32_t* o) { launch(ping_pong<1>, 2, 32, count, 4, o); }));
  for (uint32_t bytes : {16u, 128u, 1024u, 8192u})
    row("DSMEM there and back", "bulk copy, " + std::to_string(bytes) + " B",
        of_one(16, 80, [&](int count, uint32_t* o) { launch(ping_pong<2>, 2, 32, count, bytes, o); }));
  for (int blocks : {2, 4, 8})
    for (uint32_t bytes : {128u, 1024u, 8192u})
      row("DSMEM bulk copy bandwidth of an SM", std::to_string(bytes) + " B, cluster of " + std::to_string(blocks),
          bytes / of_one(8, 72, [&](int count, uint32_t* o) { launch(bulk_stream, blocks, 32, count, bytes, o); }),
          "B/cycle");
  streams<kLoad4>("ld.u32");
  streams<kLoad16>("ld.v4.u32");
  streams<kLoad8>("ld.v2.u32");
  streams<kStore4>("st.u32");
  streams<kStore16>("st.v4.u32");
  streams<kReduce4>("red.add.u32");
  streams<kAtomic4>("atom.add.u32");
  streams<kAsync4>("st.async.u32");
  streams<kAsync16>("st.async.v4.u32");
  return 0;
}

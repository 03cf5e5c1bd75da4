// Instructions of sm_90a that CUDA C++ has no name for. Addresses are those of the shared window, in bytes.
#pragma once
#include <cstdint>

namespace hopper {

__device__ inline uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

/// The first multiple of 1,024 B in the dynamic shared memory: the period of all swizzle modes.
__device__ inline uint32_t aligned_base(const void* dynamic) { return (shared_address(dynamic) + 1023) & ~1023u; }

template <class T>
__device__ inline void store_shared(uint32_t at, T value) {
  if constexpr (sizeof(T) == 1)
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(at), "r"(static_cast<uint32_t>(value)) : "memory");
  else if constexpr (sizeof(T) == 2)
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(at), "h"(static_cast<uint16_t>(value)) : "memory");
  else
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(static_cast<uint32_t>(value)) : "memory");
}
__device__ inline uint32_t load_shared(uint32_t at) {
  uint32_t value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
  return value;
}

__device__ inline uint32_t clock32() {
  uint32_t now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}

/// Makes a thread's ordinary accesses to memory visible to wgmma and bulk copies, and the other way round.
__device__ inline void fence_async() { asm volatile("fence.proxy.async;" ::: "memory"); }

// wgmma
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending = 0>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
enum Swizzle : uint32_t { kNone = 0, k128B = 1, k64B = 2, k32B = 3 };
/// Matrix descriptor of the PTX ISA. All but the base offset (0..7) and the mode in bytes, multiples of 16.
__host__ __device__ inline uint64_t descriptor(uint32_t start, uint32_t leading, uint32_t stride, uint32_t base_offset,
                                               uint32_t swizzle) {
  const auto field = [](uint32_t bytes) { return static_cast<uint64_t>((bytes >> 4) & 0x3fff); };
  return field(start) | field(leading) << 16 | field(stride) << 32 | static_cast<uint64_t>(base_offset & 7) << 49 |
         static_cast<uint64_t>(swizzle) << 62;
}

// mbarrier
__device__ inline void barrier_init(uint32_t barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void barrier_expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ inline void barrier_arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ inline bool barrier_try(uint32_t barrier, uint32_t parity) {
  uint32_t done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done != 0;
}
/// Waits for the phase of this parity. After some 10 ms without it the kernel traps, so that no mistake hangs the GPU.
__device__ inline void barrier_wait(uint32_t barrier, uint32_t parity) {
  for (const long long start = clock64(); !barrier_try(barrier, parity);)
    if (clock64() - start > 20'000'000) __trap();
}

// Clusters
__device__ inline uint32_t cluster_rank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ inline void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ inline void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}
/// The address, in the cluster's shared window, of what block `rank` has at `at`.
__device__ inline uint32_t map_to(uint32_t at, uint32_t rank) {
  uint32_t remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(at), "r"(rank));
  return remote;
}

// Bulk copies
__device__ inline void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ inline void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
__device__ inline void bulk_load(uint32_t to, const void* from, uint32_t bytes, uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
               : "memory");
}
__device__ inline void bulk_store(void* to, uint32_t from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
               "r"(from), "r"(bytes)
               : "memory");
}
__device__ inline void bulk_to_cluster(uint32_t to, uint32_t from, uint32_t bytes, uint32_t remote_barrier) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "r"(from), "r"(bytes), "r"(remote_barrier)
               : "memory");
}

}  // namespace hopper

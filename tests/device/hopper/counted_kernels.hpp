// Kernels for a profiler to count: each makes kCount of one thing, one warp, warpgroup or thread, in a block or a
// cluster of two.
#pragma once
#include "matrix_access.hpp"
#include "tensor_map.hpp"

namespace hopper {

constexpr int kCount = 16;

/// What of_warp() makes, besides the forms of ldmatrix and stmatrix.
enum What { kArrive = kMatrixAccesses, kTry, kExpect, kFence, kNothing };

/// A warp; rows `stride` bytes apart. `step` is 0, unknown to the compiler, which would drop accesses to the same
/// address.
template <int kWhat>
__global__ void of_warp(uint32_t stride, bool swizzled, uint32_t step, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t base = aligned_base(dynamic), wait_on = shared_address(&barrier);
  uint32_t offset = threadIdx.x * stride, r[4] = {threadIdx.x, stride, 3, 4};
  if (swizzled) offset ^= (offset >> 7 & 7) << 4;
  uint32_t at = base + offset, all = 0;
  if (threadIdx.x == 0) barrier_init(wait_on, 1000);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if constexpr (kWhat < kMatrixAccesses) matrix_access<kWhat>(at, r);
    if constexpr (kWhat == kArrive) barrier_arrive(wait_on);
    if constexpr (kWhat == kExpect) barrier_expect(wait_on, 0);
    if constexpr (kWhat == kTry) r[0] += barrier_try(wait_on, 1);
    if constexpr (kWhat == kFence) fence_async();
    at += step;
    all ^= r[0] ^ r[1] ^ r[2] ^ r[3];
  }
  out[threadIdx.x] = all;
}

/// A warpgroup; kCount times wgmma on one accumulator. kWay 0: descriptors, 1: A in registers, 2: B MN-major, 3: both
/// MN-major, 4: nothing.
template <class Form, int kWay>
__global__ void __launch_bounds__(128) of_warpgroup(uint64_t fields_a, uint64_t fields_b, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  const uint32_t base = aligned_base(dynamic);
  const uint64_t of_a = fields_a | descriptor(base, 0, 0, 0, 0), of_b = fields_b | descriptor(base + 32768, 0, 0, 0, 0);
  typename Form::D d[Form::kRegisters] = {};
  const uint32_t a[4] = {threadIdx.x, out[0], out[1], out[2]};
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if constexpr (kWay == 0) Form::ss(d, of_a, of_b, 1);
    if constexpr (kWay == 1) Form::rs(d, a, of_b, 1);
    if constexpr (kWay == 2) Form::template ss<0, 1>(d, of_a, of_b, 1);
    if constexpr (kWay == 3) Form::template ss<1, 1>(d, of_a, of_b, 1);
  }
  wgmma_commit();
  wgmma_wait();
  float sum = 0;
  for (int r = 0; r < Form::kRegisters; ++r) sum += static_cast<float>(d[r]);
  if (sum == 12345.0f) out[threadIdx.x] = 1;
}

enum Copy { kNoCopy, kTensorLoad, kTensorStore, kBulkLoad, kBulkStore, kReduceU32, kReduceF32 };
/// A thread makes kCount copies, one after the other.
template <Copy kCopy>
__global__ void of_thread(const __grid_constant__ CUtensorMap map, uint8_t* global, uint32_t bytes) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t base = aligned_base(dynamic), wait_on = shared_address(&barrier);
  barrier_init(wait_on, 1);
  fence_async();
  for (int i = 0; i < kCount; ++i) {
    if (kCopy == kTensorLoad || kCopy == kBulkLoad) {
      barrier_expect(wait_on, bytes);
      if (kCopy == kTensorLoad)
        tensor_load(base, &map, 2, Coordinates{{0, 0}}, wait_on);
      else
        bulk_load(base, global, bytes, wait_on);
      barrier_wait(wait_on, i & 1);
    } else if (kCopy != kNoCopy) {
      if (kCopy == kTensorStore) tensor_store(&map, 2, Coordinates{{0, 0}}, base);
      if (kCopy == kBulkStore) bulk_store(global, base, bytes);
      if (kCopy == kReduceU32)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(
                         __cvta_generic_to_global(global)),
                     "r"(base), "r"(bytes)
                     : "memory");
      if (kCopy == kReduceF32)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                         __cvta_generic_to_global(global)),
                     "r"(base), "r"(bytes)
                     : "memory");
      bulk_commit();
      bulk_wait();
    }
  }
}

enum Remote {
  kNoAccess,
  kRemoteLoad4,
  kRemoteLoad16,
  kRemoteStore4,
  kRemoteStore16,
  kRemoteReduce,
  kRemoteAtomic,
  kRemoteAsync,
  kRemoteCopy,
  kRemoteReduceCopy,
  kRemoteArrive
};
/// A warp of block 0 accesses block `owner` of a cluster of two; lanes `stride` bytes apart, or pieces of `stride`
/// bytes.
template <Remote kRemote>
__global__ void __cluster_dims__(2) of_cluster(uint32_t owner, uint32_t stride, uint32_t step, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barrier;
  constexpr bool kCopies = kRemote == kRemoteCopy || kRemote == kRemoteReduceCopy,
                 kWaits = kCopies || kRemote == kRemoteAsync;
  const uint32_t base = aligned_base(dynamic), wait_on = shared_address(&barrier), rank = cluster_rank();
  const uint32_t to = map_to(base, owner), remote_barrier = map_to(wait_on, owner);
  uint32_t at = to + threadIdx.x * stride;
  if (threadIdx.x == 0) {
    barrier_init(wait_on, kRemote == kRemoteArrive ? 1000 : 1);
    if (kWaits && rank == owner) barrier_expect(wait_on, kCount * (kCopies ? stride : 128));
  }
  fence_async();
  cluster_sync();
  uint32_t sum = 0;
  if (rank == 0) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      uint32_t x = 0, y = 0, z = 0, w = 0;
      if (kRemote == kRemoteLoad4) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
      if (kRemote == kRemoteLoad16)
        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "r"(at)
                     : "memory");
      if (kRemote == kRemoteStore4) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(i) : "memory");
      if (kRemote == kRemoteStore16)
        asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(i) : "memory");
      if (kRemote == kRemoteReduce) asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(at) : "memory");
      if (kRemote == kRemoteAtomic)
        asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(x) : "r"(at) : "memory");
      if (kRemote == kRemoteAsync)
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(at), "r"(i),
                     "r"(remote_barrier)
                     : "memory");
      if (kRemote == kRemoteArrive)
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote_barrier) : "memory");
      if (kCopies && threadIdx.x == 0) {
        if (kRemote == kRemoteCopy)
          bulk_to_cluster(to + 32768, base, stride, remote_barrier);
        else
          asm volatile(
              "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, "
              "[%3];" ::"r"(to + 32768),
              "r"(base), "r"(stride), "r"(remote_barrier)
              : "memory");
      }
      sum += x + y + z + w;
      at += step;
    }
    out[threadIdx.x] = sum;
  }
  if (kWaits && rank == owner) barrier_wait(wait_on, 0);
  cluster_sync();
}

}  // namespace hopper

// Cycles and bandwidths of bulk and tensor copies.
//   copy_times        prints rows (timing.hpp)
#include <string>

#include "ptx.hpp"
#include "tensor_map.hpp"
#include "timing.hpp"

using namespace hopper;

constexpr int kDynamic = 208 * 1024;
constexpr size_t kLarge = size_t{1} << 30;  ///< bytes, many times L2

/// One thread loads a box `count` times, each from a place `step` rows further, and waits for it. out[i]: cycles of
/// load i.
__global__ void tensor_latency(const __grid_constant__ CUtensorMap map, int count, int first, int step, uint32_t bytes,
                               uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t base = aligned_base(dynamic), wait_on = shared_address(&barrier);
  barrier_init(wait_on, 1);
  fence_async();
  for (int i = 0; i < count; ++i) {
    const Coordinates from{{0, first + i * step}};
    const uint32_t start = clock32();
    barrier_expect(wait_on, bytes);
    tensor_load(base, &map, 2, from, wait_on);
    barrier_wait(wait_on, i & 1);
    out[i] = clock32() - start;
  }
}
__global__ void bulk_latency(const uint8_t* from, int count, size_t step, uint32_t bytes, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t base = aligned_base(dynamic), wait_on = shared_address(&barrier);
  barrier_init(wait_on, 1);
  fence_async();
  for (int i = 0; i < count; ++i) {
    const uint32_t start = clock32();
    barrier_expect(wait_on, bytes);
    bulk_load(base, from + i * step, bytes, wait_on);
    barrier_wait(wait_on, i & 1);
    out[i] = clock32() - start;
  }
}
/// The same with each box prefetched into L2 `ahead` loads before, or not (0).
__global__ void prefetched_latency(const __grid_constant__ CUtensorMap map, int ahead, int count, int step,
                                   uint32_t bytes, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t base = aligned_base(dynamic), wait_on = shared_address(&barrier);
  barrier_init(wait_on, 1);
  fence_async();
  for (int i = 0; i < count; ++i) {
    if (ahead)
      asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(0),
                   "r"((i + ahead) * step)
                   : "memory");
    const uint32_t start = clock32();
    barrier_expect(wait_on, bytes);
    tensor_load(base, &map, 2, Coordinates{{0, i * step}}, wait_on);
    barrier_wait(wait_on, i & 1);
    out[i] = clock32() - start;
  }
}
/// Starting a load without waiting for it, `count` times. out: cycles.
__global__ void issue(const __grid_constant__ CUtensorMap map, bool tensor, const uint8_t* from, int count,
                      uint32_t bytes, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t base = aligned_base(dynamic), wait_on = shared_address(&barrier);
  barrier_init(wait_on, 1);
  fence_async();
  barrier_expect(wait_on, bytes * count);
  const uint32_t start = clock32();
  for (int i = 0; i < count; ++i) {
    if (tensor)
      tensor_load(base, &map, 2, Coordinates{{0, 0}}, wait_on);
    else
      bulk_load(base, from, bytes, wait_on);
  }
  *out = clock32() - start;
  barrier_wait(wait_on, 0);
}
template <bool kOnlyRead>
__global__ void store_latency(const __grid_constant__ CUtensorMap map, uint8_t* to, bool tensor, int count,
                              uint32_t bytes, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  const uint32_t base = aligned_base(dynamic);
  for (int i = 0; i < count; ++i) {
    const uint32_t start = clock32();
    if (tensor)
      tensor_store(&map, 2, Coordinates{{0, 0}}, base);
    else
      bulk_store(to, base, bytes);
    bulk_commit();
    if (kOnlyRead)
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    else
      bulk_wait();
    out[i] = clock32() - start;
  }
}

/// Which of `stages` buffers is next, and the parity of its barrier's phase. No division, whose cycles would count.
struct Ring {
  int stages, at = 0, parity = 0;
  __device__ void advance() {
    if (++at == stages) at = 0, parity ^= 1;
  }
};
/// A thread of each block keeps `stages` pieces of `bytes` in flight: load(buffer, barrier) starts the next.
/// out: cycles of block 0.
template <class Load>
__device__ void stream(int stages, int count, uint32_t bytes, uint32_t* out, Load load) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barriers[16];
  const uint32_t base = aligned_base(dynamic), first_barrier = shared_address(barriers);
  for (int s = 0; s < stages; ++s) barrier_init(first_barrier + 8 * s, 1);
  fence_async();
  Ring ring{stages};
  const uint32_t start = clock32();
  for (int i = 0; i < count + stages; ++i) {
    const uint32_t wait_on = first_barrier + 8 * ring.at;
    if (i >= stages) barrier_wait(wait_on, ring.parity ^ 1);
    if (i < count) {
      barrier_expect(wait_on, bytes);
      load(base + ring.at * bytes, wait_on);
    }
    ring.advance();
  }
  if (blockIdx.x == 0) *out = clock32() - start;
}
/// The blocks' boxes follow each other in rows; after `rows` they begin again.
__global__ void tensor_stream(const __grid_constant__ CUtensorMap map, int stages, int count, int box_rows, int rows,
                              uint32_t bytes, uint32_t* out) {
  int row = blockIdx.x * box_rows;
  const int step = gridDim.x * box_rows;
  stream(stages, count, bytes, out, [&](uint32_t to, uint32_t barrier) {
    tensor_load(to, &map, 2, Coordinates{{0, row}}, barrier);
    row += step;
    if (row >= rows) row -= rows;
  });
}
__global__ void bulk_stream(const uint8_t* from, int stages, int count, size_t total, uint32_t bytes, uint32_t* out) {
  size_t at = static_cast<size_t>(blockIdx.x) * bytes;
  const size_t step = static_cast<size_t>(gridDim.x) * bytes;
  stream(stages, count, bytes, out, [&](uint32_t to, uint32_t barrier) {
    bulk_load(to, from + at, bytes, barrier);
    at += step;
    if (at >= total) at -= total;
  });
}
__global__ void store_stream(const __grid_constant__ CUtensorMap map, int count, int box_rows, int rows, uint32_t bytes,
                             uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  const uint32_t base = aligned_base(dynamic);
  const int step = gridDim.x * box_rows;
  int row = blockIdx.x * box_rows;
  const uint32_t start = clock32();
  for (int i = 0; i < count; ++i) {
    tensor_store(&map, 2, Coordinates{{0, row}}, base + i % 4 * bytes);
    row += step;
    if (row >= rows) row -= rows;
    bulk_commit();
    asm volatile("cp.async.bulk.wait_group.read 3;" ::: "memory");
  }
  bulk_wait();
  if (blockIdx.x == 0) *out = clock32() - start;
}

/// Each block of a cluster loads its part of a box for all blocks. out: cycles of block 0 per round, over `count`
/// rounds.
__global__ void multicast(const __grid_constant__ CUtensorMap map, bool cast, int count, uint32_t bytes,
                          uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t base = aligned_base(dynamic), wait_on = shared_address(&barrier), rank = cluster_rank();
  uint32_t blocks;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  if (threadIdx.x == 0) barrier_init(wait_on, 1);
  fence_async();
  cluster_sync();
  const uint32_t start = clock32();
  for (int i = 0; i < count; ++i) {
    if (threadIdx.x == 0) {
      barrier_expect(wait_on, cast ? bytes * blocks : bytes);
      const int row = static_cast<int>(rank * 64);
      if (cast)
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1, {%3, %4}], [%2], %5;" ::"r"(base + rank * bytes),
            "l"(&map), "r"(wait_on), "r"(0), "r"(row), "h"(static_cast<uint16_t>((1 << blocks) - 1))
            : "memory");
      else
        tensor_load(base, &map, 2, Coordinates{{0, row}}, wait_on);
    }
    barrier_wait(wait_on, i & 1);
    cluster_sync();
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = clock32() - start;
}

CUtensorMap map_of(void* memory, uint32_t inner, uint64_t rows, uint32_t box_rows, CUtensorMapSwizzle swizzle) {
  CUtensorMap map;
  const Tiles tiles{CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 2, {inner, rows}, {inner}, {inner, box_rows}, swizzle};
  if (encode_tiles(map, tiles, memory) != CUDA_SUCCESS)
    std::fprintf(stderr, "a tensor map was refused\n"), std::exit(1);
  return map;
}

double middle(const DeviceArray<uint32_t>& out, int first, int count) {
  const std::vector<uint32_t> all = out.download();
  return median(std::vector<double>(all.begin() + first, all.begin() + first + count));
}

constexpr CUtensorMapSwizzle kModes[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                         CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
constexpr const char* kModeNames[] = {"none", "32 B", "64 B", "128 B"};
constexpr uint32_t kSpans[] = {128, 32, 64, 128};

/// Loads one at a time.
void loads(DeviceArray<uint8_t>& memory, DeviceArray<uint32_t>& out) {
  allow_shared(tensor_latency, kDynamic);
  allow_shared(bulk_latency, kDynamic);
  for (int mode = 0; mode < 4; ++mode)
    for (uint32_t rows : {1u, 8u, 16u, 32u, 64u, 128u, 256u}) {
      if (mode == 1 || mode == 2 ? rows != 64 : false) continue;
      const uint32_t inner = kSpans[mode], bytes = inner * rows;
      const CUtensorMap map = map_of(memory.get(), inner, kLarge / inner, rows, kModes[mode]);
      const std::string condition =
          "box " + std::to_string(inner) + " B x " + std::to_string(rows) + ", swizzle " + kModeNames[mode];
      tensor_latency<<<1, 1, kDynamic>>>(map, 64, 0, 0, bytes, out.get());
      synchronize();
      row("tensor load latency", condition + ", in L2", middle(out, 8, 56));
      if (mode == 0 && rows == 1) row("tensor load latency", condition + ", first of a kernel", middle(out, 0, 1));
      // 64 places 4 MiB apart, each read once after all of L2 was replaced.
      CHECK(cudaMemset(memory.get() + kLarge / 2, 0, kLarge / 2));
      tensor_latency<<<1, 1, kDynamic>>>(map, 64, 0, (4 << 20) / inner, bytes, out.get());
      synchronize();
      row("tensor load latency", condition + ", not in L2, 4 MiB apart", middle(out, 8, 56));
      CHECK(cudaMemset(memory.get() + kLarge / 2, 0, kLarge / 2));
      tensor_latency<<<1, 1, kDynamic>>>(map, 64, 0, static_cast<int>(rows), bytes, out.get());
      synchronize();
      row("tensor load latency", condition + ", not in L2, one after the other", middle(out, 8, 56));
    }
  for (uint32_t bytes : {16u, 128u, 1024u, 4096u, 16384u, 65536u}) {
    bulk_latency<<<1, 1, kDynamic>>>(memory.get(), 64, 0, bytes, out.get());
    synchronize();
    row("bulk load latency", std::to_string(bytes) + " B, in L2", middle(out, 8, 56));
    CHECK(cudaMemset(memory.get() + kLarge / 2, 0, kLarge / 2));
    bulk_latency<<<1, 1, kDynamic>>>(memory.get(), 64, 4 << 20, bytes, out.get());
    synchronize();
    row("bulk load latency", std::to_string(bytes) + " B, not in L2, 4 MiB apart", middle(out, 8, 56));
  }
}
/// Stores one at a time.
void stores(DeviceArray<uint8_t>& memory, DeviceArray<uint32_t>& out) {
  allow_shared(store_latency<false>, kDynamic);
  allow_shared(store_latency<true>, kDynamic);
  for (uint32_t rows : {8u, 64u, 128u}) {
    const CUtensorMap map = map_of(memory.get(), 128, kLarge / 128, rows, CU_TENSOR_MAP_SWIZZLE_128B);
    for (bool tensor : {true, false}) {
      const std::string condition =
          std::string(tensor ? "tensor" : "bulk") + " store, " + std::to_string(128 * rows) + " B";
      store_latency<false><<<1, 1, kDynamic>>>(map, memory.get(), tensor, 64, 128 * rows, out.get());
      synchronize();
      row("store until written", condition, middle(out, 8, 56));
      store_latency<true><<<1, 1, kDynamic>>>(map, memory.get(), tensor, 64, 128 * rows, out.get());
      synchronize();
      row("store until read", condition, middle(out, 8, 56));
    }
  }
}
void prefetches_and_issue(DeviceArray<uint8_t>& memory, DeviceArray<uint32_t>& out) {
  allow_shared(prefetched_latency, kDynamic);
  allow_shared(issue, kDynamic);
  const CUtensorMap map = map_of(memory.get(), 128, kLarge / 128, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  for (int ahead : {0, 1, 2, 4, 8}) {
    CHECK(cudaMemset(memory.get() + kLarge / 2, 0, kLarge / 2));
    prefetched_latency<<<1, 1, kDynamic>>>(map, ahead, 64, (4 << 20) / 128, 8192, out.get());
    synchronize();
    row("tensor load latency",
        "box 128 B x 64, swizzle 128 B, not in L2, prefetched " + std::to_string(ahead) + " loads before",
        middle(out, 8, 56));
  }
  for (bool tensor : {true, false})
    for (uint32_t rows : {1u, 64u}) {
      const CUtensorMap box = map_of(memory.get(), 128, kLarge / 128, rows, CU_TENSOR_MAP_SWIZZLE_128B);
      const auto cycles = [&](int count) {
        return median_cycles(
            out, [&](uint32_t* o) { issue<<<1, 1, kDynamic>>>(box, tensor, memory.get(), count, 128 * rows, o); });
      };
      row(tensor ? "tensor load issue" : "bulk load issue", std::to_string(128 * rows) + " B, 8 more after 4",
          (cycles(12) - cycles(4)) / 8);
      row(tensor ? "tensor load issue" : "bulk load issue", std::to_string(128 * rows) + " B, 64 more after 32",
          (cycles(96) - cycles(32)) / 64);
    }
}
/// Many copies at a time: bytes per cycle of an SM from L2, GB/s of the GPU.
void streams(DeviceArray<uint8_t>& memory, DeviceArray<uint32_t>& out) {
  allow_shared(tensor_stream, kDynamic);
  allow_shared(bulk_stream, kDynamic);
  allow_shared(store_stream, kDynamic);
  for (int mode = 0; mode < 4; ++mode)
    for (uint32_t inner : {16u, 32u, 64u, 128u, 256u}) {
      if (mode && inner > kSpans[mode]) continue;
      const uint32_t rows = 16384 / inner > 256 ? 256 : 16384 / inner, bytes = inner * rows;
      const CUtensorMap map = map_of(memory.get(), inner, kLarge / inner, rows, kModes[mode]);
      const std::string condition =
          "box " + std::to_string(inner) + " B x " + std::to_string(rows) + ", swizzle " + kModeNames[mode];
      const auto one = [&](int stages) {
        const double few = median_cycles(
            out, [&](uint32_t* o) { tensor_stream<<<1, 1, kDynamic>>>(map, stages, 16, rows, 1 << 14, bytes, o); });
        const double many = median_cycles(
            out, [&](uint32_t* o) { tensor_stream<<<1, 1, kDynamic>>>(map, stages, 80, rows, 1 << 14, bytes, o); });
        row("tensor load bandwidth of an SM", condition + ", in L2, " + std::to_string(stages) + " in flight",
            64.0 * bytes / (many - few), "B/cycle");
      };
      one(8);
      if (mode == 3 && inner == 128) one(1), one(2), one(4), one(12);
      const double ms = median_milliseconds(
          [&] { tensor_stream<<<132, 1, kDynamic>>>(map, 8, 256, rows, 1 << 30, bytes, out.get()); });
      row("tensor load bandwidth of the GPU", condition + ", 8 in flight, DRAM", 132.0 * 256 * bytes / ms / 1e6,
          "GB/s");
      const double in_l2 = median_milliseconds([&] {
        tensor_stream<<<132, 1, kDynamic>>>(map, 8, 256, rows, static_cast<int>((16 << 20) / inner), bytes, out.get());
      });
      row("tensor load bandwidth of the GPU", condition + ", 8 in flight, 16 MiB in L2",
          132.0 * 256 * bytes / in_l2 / 1e6, "GB/s");
      const double few =
          median_cycles(out, [&](uint32_t* o) { store_stream<<<1, 1, kDynamic>>>(map, 16, rows, 1 << 14, bytes, o); });
      const double many =
          median_cycles(out, [&](uint32_t* o) { store_stream<<<1, 1, kDynamic>>>(map, 80, rows, 1 << 14, bytes, o); });
      row("tensor store bandwidth of an SM", condition + ", 4 in flight", 64.0 * bytes / (many - few), "B/cycle");
      const double stores =
          median_milliseconds([&] { store_stream<<<132, 1, kDynamic>>>(map, 256, rows, 1 << 30, bytes, out.get()); });
      row("tensor store bandwidth of the GPU", condition + ", 4 in flight, DRAM", 132.0 * 256 * bytes / stores / 1e6,
          "GB/s");
    }
  for (uint32_t bytes : {128u, 512u, 2048u, 8192u, 16384u}) {
    const double few = median_cycles(
        out, [&](uint32_t* o) { bulk_stream<<<1, 1, kDynamic>>>(memory.get(), 8, 16, 1 << 21, bytes, o); });
    const double many = median_cycles(
        out, [&](uint32_t* o) { bulk_stream<<<1, 1, kDynamic>>>(memory.get(), 8, 80, 1 << 21, bytes, o); });
    row("bulk load bandwidth of an SM", std::to_string(bytes) + " B, 8 in flight, in L2", 64.0 * bytes / (many - few),
        "B/cycle");
    const int count = std::max(256, static_cast<int>((size_t{256} << 20) / (132 * bytes)));  // several times L2
    const double ms = median_milliseconds(
        [&] { bulk_stream<<<132, 1, kDynamic>>>(memory.get(), 8, count, kLarge, bytes, out.get()); });
    row("bulk load bandwidth of the GPU", std::to_string(bytes) + " B, 8 in flight, DRAM",
        132.0 * count * bytes / ms / 1e6, "GB/s");
  }
}
void multicasts(DeviceArray<uint8_t>& memory, DeviceArray<uint32_t>& out) {
  allow_shared(multicast, kDynamic);
  for (int blocks : {1, 2, 4, 8})
    for (bool cast : {false, true}) {
      const CUtensorMap map = map_of(memory.get(), 128, kLarge / 128, 64, CU_TENSOR_MAP_SWIZZLE_128B);
      const double cycles = median_cycles(out, [&](uint32_t* o) {
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
        cudaLaunchConfig_t config{};
        config.gridDim = blocks, config.blockDim = 32, config.dynamicSmemBytes = kDynamic, config.attrs = &attribute,
        config.numAttrs = 1;
        CHECK(cudaLaunchKernelEx(&config, multicast, map, cast, 64, 8192u, o));
      });
      row(cast ? "multicast tensor load and cluster barrier" : "tensor load and cluster barrier",
          "8 KB of each block, cluster of " + std::to_string(blocks), cycles / 64);
    }
}

int main() {
  DeviceArray<uint32_t> out(1024);
  DeviceArray<uint8_t> memory(kLarge);
  loads(memory, out);
  stores(memory, out);
  prefetches_and_issue(memory, out);
  streams(memory, out);
  multicasts(memory, out);
  return 0;
}

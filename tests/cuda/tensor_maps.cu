// Boxes of tensors between global and shared memory: descriptors, swizzles, what lies outside, reductions, several CTAs
// at once.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.hpp"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kMost = 16 * 1024;

template <int N>
struct At {
  int32_t of[N];
};

/// Loads a box and writes the bytes of shared memory to `out`.
template <int N>
__device__ void load(const CUtensorMap* map, At<N> at, uint32_t bytes, uint32_t room, unsigned char* out) {
  __shared__ alignas(1024) unsigned char box[kMost];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  for (uint32_t i = threadIdx.x; i < room; i += blockDim.x) box[i] = 0xee;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, map, at.of,
                              cuda::device::barrier_native_handle(barrier));
    token = cuda::device::barrier_arrive_tx(barrier, 1, bytes);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (uint32_t i = threadIdx.x; i < room; i += blockDim.x) out[i] = box[i];
}
template <int N>
__global__ void load_box(const __grid_constant__ CUtensorMap map, At<N> at, uint32_t bytes, uint32_t room,
                         unsigned char* out) {
  load<N>(&map, at, bytes, room, out);
}
__global__ void load_by_pointer(const CUtensorMap* map, At<2> at, uint32_t bytes, uint32_t room, unsigned char* out) {
  load<2>(map, at, bytes, room, out);
}

/// Writes a box of i * scale, or adds it.
__global__ void store_box(const __grid_constant__ CUtensorMap map, At<2> at, int elements, float scale, bool adds) {
  __shared__ alignas(128) float box[kMost / 4];
  for (int i = static_cast<int>(threadIdx.x); i < elements; i += static_cast<int>(blockDim.x))
    box[i] = static_cast<float>(i) * scale;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (adds)
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, at.of, box);
  else
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at.of, box);
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

/// Rank 0 loads a box for all CTAs of the cluster.
__global__ void __cluster_dims__(4, 1, 1)
    load_for_all(const __grid_constant__ CUtensorMap map, uint32_t bytes, unsigned char* out) {
  __shared__ alignas(1024) unsigned char box[4096];
  __shared__ alignas(8) uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, bytes);
  }
  cluster.sync();
  const int32_t at[] = {0, 4};
  if (cluster.block_rank() == 0 && threadIdx.x == 0)
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, at, &barrier,
                              static_cast<uint16_t>(0xb));  // not for rank 2
  if (cluster.block_rank() != 2) {
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
    }
    for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) out[cluster.block_rank() * bytes + i] = box[i];
  }
  cluster.sync();
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                            const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
Encode encode;

/// A tensor of 16-bit numbers, 1 + the index of each, and a box of it.
struct Case {
  int rank;
  cuuint64_t sizes[5];
  cuuint32_t box[5], steps[5];
  int at[5];
  int swizzle;
};

CUtensorMap made_map(const Case& c, void* data, CUtensorMapDataType type, int width, int fill = 0) {
  CUtensorMap map;
  cuuint64_t strides[5] = {};
  cuuint64_t stride = (c.sizes[0] * width + 15) / 16 * 16;
  for (int d = 1; d < c.rank; ++d) {
    strides[d - 1] = stride;
    stride *= c.sizes[d];
  }
  EXPECT_EQ(encode(&map, type, c.rank, data, c.sizes, strides, c.box, c.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   static_cast<CUtensorMapSwizzle>(c.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                   static_cast<CUtensorMapFloatOOBfill>(fill)),
            CUDA_SUCCESS);
  return map;
}

/// Where byte `at` of row `row` lies, by the pictures in the CUDA C++ Programming Guide: rows as wide as the swizzle,
/// whose chunks of 16 bytes change places from row to row.
size_t place(int swizzle, size_t row_bytes, size_t row, size_t at) {
  if (swizzle == CU_TENSOR_MAP_SWIZZLE_NONE) return row * row_bytes + at;
  const size_t chunks = size_t{1} << swizzle, width = 16 * chunks, rows_of_128 = 128 / width;
  return row * width + ((at / 16) ^ (row / rows_of_128 % chunks)) * 16 + at % 16;
}

template <int N>
void check_load(const Case& c) {
  const size_t pitch = (c.sizes[0] * 2 + 15) / 16 * 8;  // elements
  size_t all = pitch;
  for (int d = 1; d < N; ++d) all *= c.sizes[d];
  std::vector<uint16_t> tensor(all);
  for (size_t i = 0; i < all; ++i) tensor[i] = static_cast<uint16_t>(i + 1);
  void* data;
  OK(cudaMalloc(&data, all * 2));
  OK(cudaMemcpy(data, tensor.data(), all * 2, cudaMemcpyHostToDevice));
  size_t taken[5] = {1, 1, 1, 1, 1}, rows = 1;
  for (int d = 0; d < N; ++d) taken[d] = d == 0 ? c.box[0] : (c.box[d] + c.steps[d] - 1) / c.steps[d];
  for (int d = 1; d < N; ++d) rows *= taken[d];
  const size_t row_bytes = c.box[0] * 2, wide = c.swizzle == 0 ? row_bytes : size_t{16} << c.swizzle,
               room = rows * wide;
  std::vector<unsigned char> expected(room, 0xee), got(room);
  for (size_t row = 0; row < rows; ++row) {
    size_t rest = row, index = 0, stride = pitch;
    bool inside = true;
    for (int d = 1; d < N; ++d) {
      const long long at = c.at[d] + static_cast<long long>(rest % taken[d] * c.steps[d]);
      rest /= taken[d];
      inside = inside && at >= 0 && at < static_cast<long long>(c.sizes[d]);
      index += static_cast<size_t>(inside ? at : 0) * stride;
      stride *= c.sizes[d];
    }
    for (size_t k = 0; k < c.box[0]; ++k) {
      const long long at = c.at[0] + static_cast<long long>(k);
      const uint16_t value =
          inside && at >= 0 && at < static_cast<long long>(c.sizes[0]) ? tensor[index + static_cast<size_t>(at)] : 0;
      std::memcpy(&expected[place(c.swizzle, row_bytes, row, 2 * k)], &value, 2);
    }
  }
  unsigned char* out;
  OK(cudaMalloc(&out, room));
  At<N> at;
  for (int d = 0; d < N; ++d) at.of[d] = c.at[d];
  const CUtensorMap map = made_map(c, data, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2);
  load_box<N><<<1, 64>>>(map, at, static_cast<uint32_t>(rows * row_bytes), static_cast<uint32_t>(room), out);
  OK(cudaMemcpy(got.data(), out, room, cudaMemcpyDeviceToHost));
  EXPECT(got == expected);
  if constexpr (N == 2) {  // the descriptor in global memory, and with another address
    CUtensorMap* there;
    OK(cudaMalloc(&there, sizeof map));
    OK(cudaMemset(out, 0, room));
    OK(cudaMemcpy(there, &map, sizeof map, cudaMemcpyHostToDevice));
    load_by_pointer<<<1, 64>>>(there, at, static_cast<uint32_t>(rows * row_bytes), static_cast<uint32_t>(room), out);
    OK(cudaMemcpy(got.data(), out, room, cudaMemcpyDeviceToHost));
    EXPECT(got == expected);
    OK(cudaFree(there));
  }
  OK(cudaFree(out));
  OK(cudaFree(data));
}

void check_stores() {
  // A tensor of 20 x 10 floats, a box of 8 x 4 that reaches out of it.
  const Case c{2, {20, 10}, {8, 4}, {1, 1}, {16, 8}, 0};
  float* data;
  OK(cudaMallocManaged(&data, 20 * 10 * 4));
  for (int i = 0; i < 200; ++i) data[i] = -1;
  const CUtensorMap map = made_map(c, data, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4);
  store_box<<<1, 32>>>(map, At<2>{{16, 8}}, 32, 2.0f, false);
  store_box<<<1, 32>>>(map, At<2>{{-4, -2}}, 32, 1.0f, false);
  OK(cudaDeviceSynchronize());
  store_box<<<1, 32>>>(map, At<2>{{-4, -2}}, 32, 0.5f, true);
  OK(cudaDeviceSynchronize());
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 20; ++x) {
      float expected = -1;
      if (x >= 16 && y >= 8) expected = 2.0f * static_cast<float>((y - 8) * 8 + x - 16);
      if (x < 4 && y < 2) expected = 1.5f * static_cast<float>((y + 2) * 8 + x + 4);
      EXPECT_EQ(2 * data[y * 20 + x], 2 * expected);
    }
  }
  // What lies outside may be NaN.
  unsigned char* out;
  OK(cudaMallocManaged(&out, 128));
  load_box<2><<<1, 32>>>(made_map(c, data, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 1), At<2>{{16, 8}}, 128, 128, out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) {
    float value;
    std::memcpy(&value, out + 4 * i, 4);
    EXPECT(i % 8 < 4 && i < 16 ? value == 2.0f * static_cast<float>(i) : std::isnan(value));
  }
  OK(cudaFree(out));
  OK(cudaFree(data));
}

void check_multicast() {
  const Case c{2, {64, 16}, {64, 8}, {1, 1}, {}, CU_TENSOR_MAP_SWIZZLE_128B};
  uint16_t* data;
  unsigned char* out;
  OK(cudaMallocManaged(&data, 64 * 16 * 2));
  OK(cudaMallocManaged(&out, 4 * 1024));
  for (int i = 0; i < 64 * 16; ++i) data[i] = static_cast<uint16_t>(i);
  load_for_all<<<4, 32>>>(made_map(c, data, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2), 1024, out);
  OK(cudaDeviceSynchronize());
  for (size_t rank = 0; rank < 4; ++rank) {
    for (size_t i = 0; i < 512; ++i) {
      uint16_t value;
      std::memcpy(&value, out + rank * 1024 + place(c.swizzle, 128, i / 64, i % 64 * 2), 2);
      EXPECT_EQ(value, rank == 2 ? 0 : 256 + i);
    }
  }
  OK(cudaFree(out));
  OK(cudaFree(data));
}

/// What cuTensorMapEncodeTiled refuses.
void check_refusals() {
  alignas(64) CUtensorMap map;
  const auto code = [&](Case c, int type, uint64_t address, cuuint64_t stride, int swizzle = 0, int fill = 0) {
    const cuuint64_t strides[] = {stride, stride * 8, stride * 64, stride * 512};
    return encode(&map, static_cast<CUtensorMapDataType>(type), c.rank, reinterpret_cast<void*>(address), c.sizes,
                  strides, c.box, c.steps, CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(swizzle),
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, static_cast<CUtensorMapFloatOOBfill>(fill));
  };
  const Case good{2, {64, 8}, {32, 4}, {1, 1}, {}, 0};
  EXPECT_EQ(code(good, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4096, 256), CUDA_SUCCESS);
  EXPECT_EQ(code(good, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4104, 256), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(code(good, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4096, 264), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(code(good, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4096, 256, CU_TENSOR_MAP_SWIZZLE_128B), CUDA_SUCCESS);
  EXPECT_EQ(code(good, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4096, 256, CU_TENSOR_MAP_SWIZZLE_64B),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(code(good, CU_TENSOR_MAP_DATA_TYPE_INT32, 4096, 256, 0, 1), CUDA_ERROR_INVALID_VALUE);
  Case bad = good;
  bad.box[1] = 257;
  EXPECT_EQ(code(bad, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4096, 256), CUDA_ERROR_INVALID_VALUE);
  bad = good;
  bad.box[0] = 3;  // 12 bytes
  EXPECT_EQ(code(bad, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4096, 256), CUDA_ERROR_INVALID_VALUE);
  bad = good;
  bad.steps[1] = 9;
  EXPECT_EQ(code(bad, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4096, 256), CUDA_ERROR_INVALID_VALUE);
  bad = good;
  bad.rank = 6;
  EXPECT_EQ(code(bad, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4096, 256), CUDA_ERROR_INVALID_VALUE);
}

int main() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
  EXPECT(function != nullptr && found == cudaDriverEntryPointSuccess);
  encode = reinterpret_cast<Encode>(function);
  check_load<1>({1, {100}, {64}, {1}, {50}, 0});
  check_load<2>({2, {100, 40}, {64, 16}, {1, 1}, {0, 0}, CU_TENSOR_MAP_SWIZZLE_NONE});
  check_load<2>({2, {100, 40}, {64, 16}, {1, 1}, {40, 30}, CU_TENSOR_MAP_SWIZZLE_128B});
  check_load<2>({2, {100, 40}, {32, 24}, {1, 1}, {-5, -3}, CU_TENSOR_MAP_SWIZZLE_64B});
  check_load<2>({2, {100, 40}, {16, 32}, {1, 1}, {90, 0}, CU_TENSOR_MAP_SWIZZLE_32B});
  check_load<2>({2, {100, 40}, {32, 16}, {1, 1}, {8, 8}, CU_TENSOR_MAP_SWIZZLE_128B});  // rows shorter than the swizzle
  check_load<2>({2, {100, 40}, {256, 30}, {1, 1}, {300, 3}, 0});                        // wholly outside
  check_load<3>({3, {24, 9, 7}, {8, 5, 4}, {1, 2, 3}, {20, 6, -1}, 0});
  check_load<4>({4, {16, 5, 4, 3}, {16, 3, 2, 3}, {1, 1, 1, 1}, {3, 3, -1, 1}, CU_TENSOR_MAP_SWIZZLE_32B});
  check_load<5>({5, {8, 5, 4, 3, 3}, {8, 3, 2, 2, 2}, {1, 1, 1, 1, 1}, {0, 3, 3, 2, 2}, 0});
  check_stores();
  check_multicast();
  check_refusals();
  return finish("tensor_maps");
}

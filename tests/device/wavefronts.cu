// Accesses of one warp to shared memory, each with a pattern of its own, for a profiler to count: kernel NAME makes
// kCount of them one after the other, in straight code. hardware/h200_wavefronts.tsv has what an H200 counted, and
// tests/unit/gpu/h200_wavefronts_test.cpp the same accesses.
//   wavefronts [seed]     prints for each kernel a digest of what it read and left in memory
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "wavefront_patterns.hpp"

using namespace bankshot::device;

#define CHECK(call)                                                     \
  if (const cudaError_t error = call; error != cudaSuccess) {           \
    std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
    std::exit(1);                                                       \
  }

// The body uses `at` (the shared address), `v` (a value that differs by lane and access), and
// adds to `sum`.
#define KERNEL(NAME, ...)                                                                                \
  extern "C" __global__ void NAME(const uint32_t* offsets, const uint4* data, unsigned long long* out) { \
    __shared__ __align__(16) uint4 memory[kBytes / 16];                                                  \
    for (int k = threadIdx.x; k < kBytes / 16; k += kLanes) memory[k] = data[k];                         \
    __syncthreads();                                                                                     \
    const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(memory));                       \
    unsigned long long sum = 0;                                                                          \
    _Pragma("unroll") for (int k = 0; k < kCount; ++k) {                                                 \
      const uint32_t offset = offsets[k * kLanes + threadIdx.x], at = base + offset;                     \
      [[maybe_unused]] const uint32_t v = offset * 2654435761u + k;                                      \
      __VA_ARGS__                                                                                        \
    }                                                                                                    \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                     \
    __syncthreads();                                                                                     \
    for (int k = threadIdx.x; k < kBytes / 16; k += kLanes) {                                            \
      const uint4 m = memory[k];                                                                         \
      sum = sum * 31 + m.x + 3ull * m.y + 5ull * m.z + 7ull * m.w;                                       \
    }                                                                                                    \
    out[threadIdx.x] = sum;                                                                              \
  }

#define LOAD(TYPE, REGISTER, T)                                                                     \
  {                                                                                                 \
    T x = 0;                                                                                        \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0xffffffff; @p ld.shared." TYPE " %0, [%1]; }" \
                 : "+" REGISTER(x)                                                                  \
                 : "r"(at), "r"(offset)                                                             \
                 : "memory");                                                                       \
    sum += x;                                                                                       \
  }
#define LOAD_PAIR(TYPE, REGISTER, T)                                                                         \
  {                                                                                                          \
    T x = 0, y = 0;                                                                                          \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0xffffffff; @p ld.shared.v2." TYPE " {%0, %1}, [%2]; }" \
                 : "+" REGISTER(x), "+" REGISTER(y)                                                          \
                 : "r"(at), "r"(offset)                                                                      \
                 : "memory");                                                                                \
    sum += x + 3ull * y;                                                                                     \
  }
#define STORE(TYPE, REGISTER, T)                                                                  \
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0xffffffff; @p st.shared." TYPE " [%0], %1; }" \
               :                                                                                  \
               : "r"(at), REGISTER(static_cast<T>(v)), "r"(offset)                                \
               : "memory");

KERNEL(load_b8, LOAD("u8", "r", uint32_t))
KERNEL(load_b16, LOAD("u16", "r", uint32_t))
KERNEL(load_b32, LOAD("u32", "r", uint32_t))
KERNEL(load_b64, LOAD("u64", "l", unsigned long long))
KERNEL(load_v2_b32, LOAD_PAIR("u32", "r", uint32_t))
KERNEL(load_b128, {
  uint32_t x = 0, y = 0, z = 0, w = 0;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0xffffffff; @p ld.shared.v4.u32 {%0, %1, %2, %3}, [%4]; }"
               : "+r"(x), "+r"(y), "+r"(z), "+r"(w)
               : "r"(at), "r"(offset)
               : "memory");
  sum += x + 3ull * y + 5ull * z + 7ull * w;
})
// What lanes store to one place depends on the place alone, so that it does not matter who wins.
KERNEL(load_v2_b64, LOAD_PAIR("u64", "l", unsigned long long))
KERNEL(store_b8, STORE("u8", "r", uint32_t))
KERNEL(store_b16, STORE("u16", "r", uint32_t))
KERNEL(store_b32, STORE("u32", "r", uint32_t))
KERNEL(store_b64, STORE("u64", "l", unsigned long long))
KERNEL(store_b128, {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0xffffffff; @p st.shared.v4.u32 [%0], {%1, %1, %1, %1}; }"
               :
               : "r"(at), "r"(v), "r"(offset)
               : "memory");
})

#define ATOMIC(TEXT, REGISTER, T)                                                            \
  {                                                                                          \
    T x = 0;                                                                                 \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0xffffffff; @p atom.shared." TEXT "; }" \
                 : "+" REGISTER(x)                                                           \
                 : "r"(at), REGISTER(static_cast<T>(v)), "r"(offset)                         \
                 : "memory");                                                                \
    sum += x != 0;                                                                           \
  }
#define REDUCE(TEXT, REGISTER, T)                                                         \
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0xffffffff; @p red.shared." TEXT "; }" \
               :                                                                          \
               : "r"(at), REGISTER(static_cast<T>(v)), "r"(offset)                        \
               : "memory");

KERNEL(atom_add_u32, ATOMIC("add.u32 %0, [%1], %2", "r", uint32_t))
KERNEL(red_add_u32, REDUCE("add.u32 [%0], %1", "r", uint32_t))
KERNEL(red_add_one, REDUCE("add.u32 [%0], 1", "r", uint32_t))
KERNEL(red_max_s32, REDUCE("max.s32 [%0], %1", "r", uint32_t))
KERNEL(red_or_b32, REDUCE("or.b32 [%0], %1", "r", uint32_t))
KERNEL(atom_exch_b32, ATOMIC("exch.b32 %0, [%1], %2", "r", uint32_t))
KERNEL(atom_inc_u32, ATOMIC("inc.u32 %0, [%1], %2", "r", uint32_t))
KERNEL(atom_add_f32, ATOMIC("add.f32 %0, [%1], 0f3F800000", "r", uint32_t))
KERNEL(atom_add_u64, ATOMIC("add.u64 %0, [%1], %2", "l", unsigned long long))
KERNEL(atom_cas_b32, ATOMIC("cas.b32 %0, [%1], 7, %2", "r", uint32_t))
KERNEL(atom_cas_b64, ATOMIC("cas.b64 %0, [%1], 7, %2", "l", unsigned long long))
KERNEL(atom_exch_b64, ATOMIC("exch.b64 %0, [%1], %2", "l", unsigned long long))

#define ASYNC(HOW, BYTES)                                                                                             \
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0xffffffff; @p cp.async." HOW ".shared.global [%0], [%1], " #BYTES \
               "; }"                                                                                                  \
               :                                                                                                      \
               : "r"(at), "l"(reinterpret_cast<const char*>(data) + threadIdx.x * BYTES), "r"(offset)                 \
               : "memory");
KERNEL(copy_4, ASYNC("ca", 4))
KERNEL(copy_8, ASYNC("ca", 8))
KERNEL(copy_16, ASYNC("ca", 16))
KERNEL(copy_16_cg, ASYNC("cg", 16))

#define MATRIX(SHAPE, LIST, ...)                                              \
  {                                                                           \
    uint32_t r[4] = {};                                                       \
    asm volatile("ldmatrix.sync.aligned." SHAPE ".shared.b16 " LIST ", [%4];" \
                 : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])             \
                 : "r"(at)                                                    \
                 : "memory");                                                 \
    sum += r[0] + 3ull * r[1] + 5ull * r[2] + 7ull * r[3];                    \
  }
KERNEL(ldmatrix_x1, MATRIX("m8n8.x1", "{%0}"))
KERNEL(ldmatrix_x2, MATRIX("m8n8.x2", "{%0, %1}"))
KERNEL(ldmatrix_x4, MATRIX("m8n8.x4", "{%0, %1, %2, %3}"))
KERNEL(ldmatrix_x4_trans, MATRIX("m8n8.x4.trans", "{%0, %1, %2, %3}"))
#define STMATRIX(SHAPE, LIST)                                               \
  asm volatile("stmatrix.sync.aligned." SHAPE ".shared.b16 [%0], " LIST ";" \
               :                                                            \
               : "r"(at), "r"(k), "r"(k), "r"(k), "r"(k)                    \
               : "memory");
KERNEL(stmatrix_x1, STMATRIX("m8n8.x1", "{%1}"))
KERNEL(stmatrix_x2, STMATRIX("m8n8.x2", "{%1, %2}"))
KERNEL(stmatrix_x4, STMATRIX("m8n8.x4", "{%1, %2, %3, %4}"))
KERNEL(stmatrix_x4_trans, STMATRIX("m8n8.x4.trans", "{%1, %2, %3, %4}"))

using Kernel = void (*)(const uint32_t*, const uint4*, unsigned long long*);
struct Kind {
  const char* name;
  Kernel kernel;
  uint32_t width;  ///< bytes of a lane, to which addresses are aligned
  bool all_lanes;
};
#define KIND(NAME, WIDTH, ALL) \
  Kind { #NAME, NAME, WIDTH, ALL }
const Kind kKinds[] = {KIND(load_b8, 1, false),       KIND(load_b16, 2, false),
                       KIND(load_b32, 4, false),      KIND(load_b64, 8, false),
                       KIND(load_v2_b32, 8, false),   KIND(load_b128, 16, false),
                       KIND(store_b8, 1, false),      KIND(store_b16, 2, false),
                       KIND(store_b32, 4, false),     KIND(store_b64, 8, false),
                       KIND(store_b128, 16, false),   KIND(atom_add_u32, 4, false),
                       KIND(red_add_u32, 4, false),   KIND(red_add_one, 4, false),
                       KIND(red_max_s32, 4, false),   KIND(red_or_b32, 4, false),
                       KIND(atom_exch_b32, 4, false), KIND(atom_cas_b32, 4, false),
                       KIND(load_v2_b64, 16, false),  KIND(atom_inc_u32, 4, false),
                       KIND(atom_add_f32, 4, false),  KIND(atom_add_u64, 8, false),
                       KIND(atom_cas_b64, 8, false),  KIND(atom_exch_b64, 8, false),
                       KIND(copy_4, 4, false),        KIND(copy_8, 8, false),
                       KIND(copy_16, 16, false),      KIND(copy_16_cg, 16, false),
                       KIND(ldmatrix_x1, 16, true),   KIND(ldmatrix_x2, 16, true),
                       KIND(ldmatrix_x4, 16, true),   KIND(ldmatrix_x4_trans, 16, true),
                       KIND(stmatrix_x1, 16, true),   KIND(stmatrix_x2, 16, true),
                       KIND(stmatrix_x4, 16, true),   KIND(stmatrix_x4_trans, 16, true)};

int main(int argc, char** argv) {
  const uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::vector<uint4> data(kBytes / 16);
  Random random{seed + 1000};
  for (uint4& d : data)
    d = {random.below(1u << 30), random.below(1u << 30), random.below(1u << 30), random.below(1u << 30)};
  uint32_t* offsets = nullptr;
  uint4* device_data = nullptr;
  unsigned long long* out = nullptr;
  CHECK(cudaMalloc(&offsets, kCount * kLanes * sizeof(uint32_t)));
  CHECK(cudaMalloc(&device_data, kBytes));
  CHECK(cudaMalloc(&out, kLanes * sizeof *out));
  CHECK(cudaMemcpy(device_data, data.data(), kBytes, cudaMemcpyHostToDevice));
  for (const Kind& kind : kKinds) {
    const std::vector<uint32_t> wanted =
        patterns(kind.width, kind.all_lanes, seed + static_cast<uint64_t>(&kind - kKinds));
    CHECK(cudaMemcpy(offsets, wanted.data(), wanted.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));
    kind.kernel<<<1, kLanes>>>(offsets, device_data, out);
    CHECK(cudaDeviceSynchronize());
    unsigned long long results[kLanes], digest = 0;
    CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    for (unsigned long long result : results) digest = digest * 1000003 + result;
    std::printf("%s %016llx\n", kind.name, digest);
  }
  return 0;
}

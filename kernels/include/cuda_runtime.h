// Stands in for the CUDA toolkit's header of this name when clang compiles our kernels without a toolkit
// (tools/cudacc): the part of the language that is a library there, and the part of the runtime API that our programs
// use. nvcc never sees this file. The names and signatures are CUDA's documented interface.
#pragma once
#if !defined(__clang__) || !defined(__CUDA__)
#error "this header is for clang's CUDA mode; build with tools/cudacc"
#endif

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// ---- the language ----

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
#define BANKSHOT_VECTOR(T, N)                                                     \
  struct alignas(2 * sizeof(T)) N##2 { T x, y; };                                 \
  struct N##3 { T x, y, z; };                                                     \
  struct alignas(sizeof(T) > 4 ? 16 : 4 * sizeof(T)) N##4 { T x, y, z, w; };      \
  static __host__ __device__ inline N##2 make_##N##2(T x, T y) { return {x, y}; } \
  static __host__ __device__ inline N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
BANKSHOT_VECTOR(int, int)
BANKSHOT_VECTOR(float, float)
BANKSHOT_VECTOR(double, double)
#undef BANKSHOT_VECTOR
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

#include <__clang_cuda_builtin_vars.h>  // threadIdx, blockIdx, blockDim, gridDim, warpSize

#pragma push_macro("DEVICE")
// Without line information of its own, so that an access names the line of the caller.
#define DEVICE static __device__ __attribute__((always_inline, nodebug)) inline

// __syncthreads is a builtin of clang.
DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
DEVICE void __syncwarp(unsigned mask = ~0u) { __nvvm_bar_warp_sync(mask); }
DEVICE void __threadfence() { __nvvm_membar_gl(); }
DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
// The address of a word of shared memory as instructions of shared memory take it.
DEVICE size_t __cvta_generic_to_shared(const void* p) {
  return static_cast<size_t>(reinterpret_cast<unsigned long long>((const __attribute__((address_space(3))) void*)p));
}
DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }

DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
DEVICE unsigned __activemask() { return __nvvm_activemask(); }
DEVICE unsigned __match_any_sync(unsigned mask, unsigned v) { return __nvvm_match_any_sync_i32(mask, v); }
DEVICE unsigned __match_any_sync(unsigned mask, int v) { return __nvvm_match_any_sync_i32(mask, v); }
DEVICE unsigned __match_all_sync(unsigned mask, unsigned v, int* p) { return __nvvm_match_all_sync_i32p(mask, v, p); }
DEVICE unsigned __match_all_sync(unsigned mask, int v, int* p) { return __nvvm_match_all_sync_i32p(mask, v, p); }

// The last operand of shfl packs 32 - width (bits 8 up) and the clamp of the source lane.
#define BANKSHOT_SHUFFLE(NAME, MODE, CLAMP)                                           \
  DEVICE int NAME(unsigned mask, int v, int lane, int width = 32) {                   \
    return __nvvm_shfl_sync_##MODE##_i32(mask, v, lane, ((32 - width) << 8) | CLAMP); \
  }                                                                                   \
  DEVICE unsigned NAME(unsigned mask, unsigned v, int lane, int width = 32) {         \
    return static_cast<unsigned>(NAME(mask, static_cast<int>(v), lane, width));       \
  }                                                                                   \
  DEVICE float NAME(unsigned mask, float v, int lane, int width = 32) {               \
    return __nvvm_shfl_sync_##MODE##_f32(mask, v, lane, ((32 - width) << 8) | CLAMP); \
  }
BANKSHOT_SHUFFLE(__shfl_sync, idx, 0x1f)
BANKSHOT_SHUFFLE(__shfl_up_sync, up, 0)
BANKSHOT_SHUFFLE(__shfl_down_sync, down, 0x1f)
BANKSHOT_SHUFFLE(__shfl_xor_sync, bfly, 0x1f)
#undef BANKSHOT_SHUFFLE

DEVICE int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
DEVICE unsigned atomicAdd(unsigned* p, unsigned v) { return __nvvm_atom_add_gen_i((int*)p, v); }
DEVICE unsigned long long atomicAdd(unsigned long long* p, unsigned long long v) {
  return __nvvm_atom_add_gen_ll((long long*)p, v);
}
DEVICE float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
DEVICE double atomicAdd(double* p, double v) { return __nvvm_atom_add_gen_d(p, v); }
DEVICE int atomicSub(int* p, int v) { return __nvvm_atom_add_gen_i(p, -v); }
DEVICE unsigned atomicSub(unsigned* p, unsigned v) { return __nvvm_atom_add_gen_i((int*)p, -v); }
DEVICE int atomicExch(int* p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
DEVICE unsigned atomicExch(unsigned* p, unsigned v) { return __nvvm_atom_xchg_gen_i((int*)p, v); }
DEVICE int atomicCAS(int* p, int old, int v) { return __nvvm_atom_cas_gen_i(p, old, v); }
DEVICE unsigned atomicCAS(unsigned* p, unsigned old, unsigned v) { return __nvvm_atom_cas_gen_i((int*)p, old, v); }
DEVICE unsigned long long atomicCAS(unsigned long long* p, unsigned long long old, unsigned long long v) {
  return __nvvm_atom_cas_gen_ll((long long*)p, old, v);
}
DEVICE int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
DEVICE unsigned atomicMin(unsigned* p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
DEVICE int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }
DEVICE unsigned atomicMax(unsigned* p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
DEVICE int atomicAnd(int* p, int v) { return __nvvm_atom_and_gen_i(p, v); }
DEVICE unsigned atomicAnd(unsigned* p, unsigned v) { return __nvvm_atom_and_gen_i((int*)p, v); }
DEVICE int atomicOr(int* p, int v) { return __nvvm_atom_or_gen_i(p, v); }
DEVICE unsigned atomicOr(unsigned* p, unsigned v) { return __nvvm_atom_or_gen_i((int*)p, v); }
DEVICE int atomicXor(int* p, int v) { return __nvvm_atom_xor_gen_i(p, v); }
DEVICE unsigned atomicXor(unsigned* p, unsigned v) { return __nvvm_atom_xor_gen_i((int*)p, v); }
DEVICE unsigned atomicInc(unsigned* p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
DEVICE unsigned atomicDec(unsigned* p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }

DEVICE int __popc(unsigned v) { return __builtin_popcount(v); }
DEVICE int __clz(int v) { return v ? __builtin_clz(v) : 32; }
DEVICE int __ffs(int v) { return __builtin_ffs(v); }
DEVICE unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
DEVICE float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
DEVICE int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
DEVICE int min(int a, int b) { return a < b ? a : b; }
DEVICE int max(int a, int b) { return a > b ? a : b; }
DEVICE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
DEVICE unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
DEVICE float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
DEVICE float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
DEVICE float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
DEVICE float fabsf(float a) { return __nvvm_fabs_f(a); }
DEVICE float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
DEVICE float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
/// As nvcc makes them with -use_fast_math: 2 to the power, and the logarithm to the base 2.
DEVICE float expf(float a) { return __nvvm_ex2_approx_f(a * 1.44269504f); }
DEVICE float logf(float a) { return __nvvm_lg2_approx_f(a) * 0.693147181f; }
extern "C" __device__ int printf(const char*, ...);  // clang makes it a call of vprintf

// assert() of <cassert> calls this; on the device it ends in the function that CUDA calls.
extern "C" __device__ void __assertfail(const char* message, const char* file, unsigned line, const char* function,
                                        size_t char_size);
extern "C" __device__ inline void __assert_fail(const char* message, const char* file, unsigned line,
                                                const char* function) noexcept {
  __assertfail(message, file, line, function, 1);
  __builtin_trap();
}
#pragma pop_macro("DEVICE")

// ---- the runtime API ----

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidSymbol = 13,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorAssert = 710,
  cudaErrorMisalignedAddress = 716,
  cudaErrorLaunchFailure = 719,
  cudaErrorNotSupported = 801,
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;

#define CUDART_VERSION 12080
extern "C" {
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t);
const char* cudaGetErrorString(cudaError_t);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaMalloc(void**, size_t);
cudaError_t cudaMallocHost(void**, size_t);
cudaError_t cudaMallocManaged(void**, size_t, unsigned);
cudaError_t cudaMallocPitch(void**, size_t*, size_t, size_t);
cudaError_t cudaFree(void*);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpy2D(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyToSymbol(const void*, const void*, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyFromSymbol(void*, const void*, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaGetSymbolAddress(void**, const void*);
cudaError_t cudaMemset(void*, int, size_t);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t);
cudaError_t cudaMemGetInfo(size_t*, size_t*);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int);
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
// What clang makes of kernel<<<grid, block, shared, stream>>>(…).
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = nullptr);
}

// The forms with a type, a symbol or default arguments, which are templates of the toolkit's header, too.
template <class T>
inline cudaError_t cudaMalloc(T** p, size_t bytes) {
  return ::cudaMalloc(reinterpret_cast<void**>(p), bytes);
}
template <class T>
inline cudaError_t cudaMallocHost(T** p, size_t bytes) {
  return ::cudaMallocHost(reinterpret_cast<void**>(p), bytes);
}
template <class T>
inline cudaError_t cudaMallocManaged(T** p, size_t bytes, unsigned flags = 1) {
  return ::cudaMallocManaged(reinterpret_cast<void**>(p), bytes, flags);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(static_cast<const void*>(&symbol), from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(to, static_cast<const void*>(&symbol), bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  return ::cudaGetSymbolAddress(address, static_cast<const void*>(&symbol));
}
template <class F>
inline cudaError_t cudaFuncSetAttribute(F* kernel, cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event) { return cudaEventRecord(event, nullptr); }

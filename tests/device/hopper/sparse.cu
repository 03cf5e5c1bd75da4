// Which elements the metadata of mma.sp and wgmma.mma_async.sp select.
//
// B holds k + 1 in row k, and A's compressed rows are one-hot at place c, so that the accumulator of a row is 1 + the k
// that was selected for place c.
//   sparse OUT    writes OUT/sparse.txt: a line `form selector valid|any metadata…` with the registers of the 32 (128)
//                 lanes in hexadecimal, then a line for each place c with k + 1 of every row; `any` has metadata that
//                 the PTX ISA forbids
#include <cuda_fp16.h>

#include <string>

#include "common.hpp"
#include "ptx.hpp"
#include "wgmma.generated.hpp"

using namespace hopper;

enum class Type { f16, tf32, u8 };
__host__ __device__ constexpr int bytes_of(Type type) { return type == Type::f16 ? 2 : type == Type::tf32 ? 4 : 1; }

/// The code of a small number in a word, at element `e` of it.
__device__ uint32_t code(Type type, uint32_t value, int e) {
  if (type == Type::f16) return static_cast<uint32_t>(__half_as_ushort(__uint2half_rn(value))) << (16 * e);
  if (type == Type::tf32) return __float_as_uint(static_cast<float>(value));
  return value << (8 * e);
}
/// Four bytes, from `byte` on, of a row that counts 1, 2, 3… (B) or is 1 at place c (A).
__device__ uint32_t counting(Type type, int byte) {
  uint32_t word = 0;
  for (int e = 0; e < 4 / bytes_of(type); ++e) word |= code(type, byte / bytes_of(type) + e + 1, e);
  return word;
}
__device__ uint32_t one_hot(Type type, int byte, int c) {
  uint32_t word = 0;
  for (int e = 0; e < 4 / bytes_of(type); ++e)
    if (byte / bytes_of(type) + e == c) word |= code(type, 1, e);
  return word;
}

#define SHORT(TEXT, kSelector)                                                                \
  asm volatile("mma.sp::ordered_metadata.sync.aligned." TEXT                                  \
               " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, " #kSelector ";" \
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                               \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(metadata))
#define LONG(TEXT, kSelector)                                                                                    \
  asm volatile("mma.sp::ordered_metadata.sync.aligned." TEXT                                                     \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, " #kSelector ";" \
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                  \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),         \
                 "r"(metadata))

enum Form { f16_k16, f16_k32, tf32_k8, tf32_k16, u8_k32, u8_k64 };

/// out[c * 16 + row]: a warp.
__global__ void with_mma(int form, int selector, const uint32_t* all_metadata, uint32_t* out) {
  const Type type = form <= f16_k32 ? Type::f16 : form <= tf32_k16 ? Type::tf32 : Type::u8;
  const uint32_t metadata = all_metadata[threadIdx.x];
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  const bool is_long = form % 2;
  for (int c = 0; c < (is_long ? 32 : 16) / bytes_of(type); ++c) {
    uint32_t a[4], b[4], d[4] = {};
    for (int i = 0; i < 4; ++i) {
      a[i] = one_hot(type, i / 2 * 16 + 4 * t, c);
      b[i] = counting(type, 16 * i + 4 * t);
    }
    switch (form * 4 + selector) {
      case f16_k16 * 4 + 0: SHORT("m16n8k16.row.col.f32.f16.f16.f32", 0x0); break;
      case f16_k16 * 4 + 1: SHORT("m16n8k16.row.col.f32.f16.f16.f32", 0x1); break;
      case f16_k16 * 4 + 2: SHORT("m16n8k16.row.col.f32.f16.f16.f32", 0x2); break;
      case f16_k16 * 4 + 3: SHORT("m16n8k16.row.col.f32.f16.f16.f32", 0x3); break;
      case f16_k32 * 4 + 0: LONG("m16n8k32.row.col.f32.f16.f16.f32", 0x0); break;
      case f16_k32 * 4 + 1: LONG("m16n8k32.row.col.f32.f16.f16.f32", 0x1); break;
      case tf32_k8 * 4 + 0: SHORT("m16n8k8.row.col.f32.tf32.tf32.f32", 0x0); break;
      case tf32_k8 * 4 + 1: SHORT("m16n8k8.row.col.f32.tf32.tf32.f32", 0x1); break;
      case tf32_k8 * 4 + 2: SHORT("m16n8k8.row.col.f32.tf32.tf32.f32", 0x2); break;
      case tf32_k8 * 4 + 3: SHORT("m16n8k8.row.col.f32.tf32.tf32.f32", 0x3); break;
      case tf32_k16 * 4 + 0: LONG("m16n8k16.row.col.f32.tf32.tf32.f32", 0x0); break;
      case tf32_k16 * 4 + 1: LONG("m16n8k16.row.col.f32.tf32.tf32.f32", 0x1); break;
      case u8_k32 * 4 + 0: SHORT("m16n8k32.row.col.s32.u8.u8.s32", 0x0); break;
      case u8_k32 * 4 + 1: SHORT("m16n8k32.row.col.s32.u8.u8.s32", 0x1); break;
      case u8_k64 * 4 + 0: LONG("m16n8k64.row.col.s32.u8.u8.s32", 0x0); break;
    }
    if (t == 0)
      for (int i = 0; i < 2; ++i)
        out[c * 16 + g + 8 * i] = type == Type::u8 ? d[2 * i] : static_cast<uint32_t>(__uint_as_float(d[2 * i]));
  }
}

/// out[c * 64 + row]: a warpgroup. B has no swizzle and is K-major: 16 B of each of 8 columns, then the next 16 B.
template <class Form, Type type, int kSelector>
__global__ void __launch_bounds__(128) with_wgmma(const uint32_t* all_metadata, uint32_t* out) {
  __shared__ __align__(1024) uint8_t memory[1024];
  const uint32_t base = shared_address(memory), metadata = all_metadata[threadIdx.x];
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  {
    const int word = threadIdx.x % 4, column = threadIdx.x / 4 % 8, chunk = threadIdx.x / 32;
    store_shared(base + chunk * 128 + column * 16 + word * 4, counting(type, chunk * 16 + word * 4));
  }
  fence_async();
  __syncthreads();
  const uint64_t b = descriptor(base, 128, 512, 0, kNone);
  for (int c = 0; c < 32 / bytes_of(type); ++c) {
    uint32_t a[4];
    for (int i = 0; i < 4; ++i) a[i] = one_hot(type, i / 2 * 16 + 4 * t, c);
    typename Form::D d[Form::kRegisters] = {};
    wgmma_fence();
    Form::template sparse<kSelector>(d, a, b, metadata, 0);
    wgmma_commit();
    wgmma_wait();
    if (t == 0)
      for (int i = 0; i < 2; ++i) out[c * 64 + row + 8 * i] = static_cast<uint32_t>(d[2 * i]);
  }
}

std::FILE* file;

template <class Launch>
void trials(const char* form, int selector, Type type, int lanes, int rows, int places, Launch launch) {
  Random random(lanes + 7 * selector + 31 * places);
  for (int trial = 0; trial < 16; ++trial) {
    const bool valid = trial < 12;
    const uint32_t pairs[] = {4, 8, 12, 9, 13, 14}, singles[] = {14, 4};
    std::vector<uint32_t> metadata(lanes);
    for (uint32_t& m : metadata)
      for (int nibble = 0; nibble < 8; ++nibble)
        m |= (valid ? type == Type::tf32 ? singles[random.below(2)] : pairs[random.below(6)] : random.below(16))
             << (4 * nibble);
    const DeviceArray<uint32_t> input(metadata), output(static_cast<size_t>(places) * rows);
    launch(input.get(), output.get());
    synchronize();
    std::fprintf(file, "%s %d %s", form, selector, valid ? "valid" : "any");
    for (uint32_t m : metadata) std::fprintf(file, " %08x", m);
    const std::vector<uint32_t> k = output.download();
    for (int i = 0; i < places * rows; ++i) std::fprintf(file, "%s%u", i % rows ? " " : "\n", k[i]);
    std::fputc('\n', file);
  }
  std::fflush(file);
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: sparse OUT\n"), 2;
  file = std::fopen((std::string(argv[1]) + "/sparse.txt").c_str(), "w");
  if (!file) return std::perror(argv[1]), 1;
#define WGMMA(FORM, TYPE, SELECTOR)                           \
  trials(#FORM, SELECTOR, TYPE, 128, 64, 32 / bytes_of(TYPE), \
         [&](const uint32_t* in, uint32_t* out) { with_wgmma<FORM<8>, TYPE, SELECTOR><<<1, 128>>>(in, out); });
  WGMMA(Wgmma_f32_f16_f16, Type::f16, 0)
  WGMMA(Wgmma_f32_f16_f16, Type::f16, 1)
  WGMMA(Wgmma_f32_tf32_tf32, Type::tf32, 0)
  WGMMA(Wgmma_f32_tf32_tf32, Type::tf32, 1)
  WGMMA(Wgmma_s32_u8_u8, Type::u8, 0)
  const struct {
    Form form;
    const char* name;
    Type type;
    int selectors, places;
  } forms[] = {{f16_k16, "mma.m16n8k16.f16", Type::f16, 4, 8},  {f16_k32, "mma.m16n8k32.f16", Type::f16, 2, 16},
               {tf32_k8, "mma.m16n8k8.tf32", Type::tf32, 4, 4}, {tf32_k16, "mma.m16n8k16.tf32", Type::tf32, 2, 8},
               {u8_k32, "mma.m16n8k32.u8", Type::u8, 2, 16},    {u8_k64, "mma.m16n8k64.u8", Type::u8, 1, 32}};
  for (const auto& f : forms)
    for (int selector = 0; selector < f.selectors; ++selector)
      trials(f.name, selector, f.type, 32, 16, f.places,
             [&](const uint32_t* in, uint32_t* out) { with_mma<<<1, 32>>>(f.form, selector, in, out); });
  std::puts("sparse: written");
  return 0;
}

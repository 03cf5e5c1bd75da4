// The bits that wgmma and mma.sync make of dot products. model/numerics.py computes the same.
//   numerics OUT [SEED]   writes OUT/numerics.txt: lines `types group a b c ss rs mma negative_a negative_b fresh
//   chain`,
//                         types being those of d, a and b; the rest hexadecimal: the 32 bytes of A's row and of B's
//                         column, first byte first; the accumulator before; and after wgmma with A by descriptor, wgmma
//                         with A in registers, mma.sync (- where it has no such form), wgmma with A negated, with B
//                         negated (- for integers), without the accumulator before, and four times in a group
#include <cstring>
#include <string>

#include "numerics_cases.hpp"
#include "ptx.hpp"
#include "wgmma.generated.hpp"

using namespace hopper;

constexpr int kThreads = 128, kTile = 64;  ///< cases of one wgmma: the diagonal of its 64 x 64 results

/// Rows of 32 bytes without swizzle, K-major: the two halves 1,024 B apart, 8 rows in 128 B.
__device__ void place(uint32_t base, const uint32_t* rows) {
  for (int i = threadIdx.x; i < kTile * 8; i += kThreads) {
    const int row = i / 8, word = i % 8;
    store_shared(base + word / 4 * 1024 + row / 8 * 128 + row % 8 * 16 + word % 4 * 4, rows[i]);
  }
}

enum Way { kDescriptors, kRegisters, kNegativeA, kNegativeB, kFresh, kChain };
template <class Form, Way kWay>
__global__ void __launch_bounds__(kThreads)
    with_wgmma(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  __shared__ __align__(1024) uint8_t memory[4096];
  const uint32_t base = shared_address(memory);
  const uint32_t first = blockIdx.x * kTile;
  place(base, a + first * 8);
  place(base + 2048, b + first * 8);
  fence_async();
  __syncthreads();
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  constexpr bool kHalf = Form::kRegisters == kTile / 4;  // two results a register
  typename Form::D sums[Form::kRegisters];
  // Register r of eight columns has row `row` or 8 more and column 2t (and 2t + 1).
  const auto place_of = [&](int r, int& m, int& n) {
    m = row + (kHalf ? r % 2 : r % 4 / 2) * 8;
    n = kHalf ? r / 2 * 8 + 2 * t : r / 4 * 8 + 2 * t + r % 2;
  };
  for (int r = 0; r < Form::kRegisters; ++r) {
    int m, n;
    place_of(r, m, n);
    uint32_t bits = 0;
    if (n == m) bits = c[first + m];
    if (kHalf && n + 1 == m) bits = c[first + m] << 16;
    if constexpr (sizeof(typename Form::D) == 4) memcpy(&sums[r], &bits, 4);
  }
  const uint64_t of_b = descriptor(base + 2048, 1024, 128, 0, kNone);
  const uint64_t of_a = descriptor(base, 1024, 128, 0, kNone);
  if constexpr (kWay == kRegisters) {
    const uint32_t* x = a + first * 8;
    const uint32_t registers[4] = {x[row * 8 + t], x[(row + 8) * 8 + t], x[row * 8 + 4 + t], x[(row + 8) * 8 + 4 + t]};
    wgmma_fence();
    Form::rs(sums, registers, of_b, 1);
  } else {
    wgmma_fence();
    for (int i = 0; i < (kWay == kChain ? 4 : 1); ++i)
      Form::template ss<0, 0, kWay == kNegativeA ? -1 : 1, kWay == kNegativeB ? -1 : 1>(sums, of_a, of_b,
                                                                                        kWay != kFresh);
  }
  wgmma_commit();
  wgmma_wait();
  for (int r = 0; r < Form::kRegisters; ++r) {
    int m, n;
    place_of(r, m, n);
    uint32_t bits;
    memcpy(&bits, &sums[r], 4);
    if (kHalf) {
      if (n == m) d[first + m] = bits & 0xffff;
      if (n + 1 == m) d[first + m] = bits >> 16;
    } else if (n == m) {
      d[first + m] = bits;
    }
  }
}

/// The form of mma.sync with the same operands: 16 x 8, A and B of 32 bytes a row.
struct NoMma {
  static constexpr bool kIs = false, kHalf = false;
  __device__ static void run(uint32_t (&)[4], const uint32_t (&)[4], const uint32_t (&)[2]) {}
};
#define MMA(NAME, TEXT)                                                                                        \
  struct NAME {                                                                                                \
    static constexpr bool kIs = true, kHalf = false;                                                           \
    __device__ static void run(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {             \
      asm volatile("mma.sync.aligned." TEXT " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                            \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                        \
    }                                                                                                          \
  };
#define MMA_HALF(NAME, TEXT)                                                                       \
  struct NAME {                                                                                    \
    static constexpr bool kIs = true, kHalf = true;                                                \
    __device__ static void run(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) { \
      asm volatile("mma.sync.aligned." TEXT " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"     \
                   : "+r"(d[0]), "+r"(d[1])                                                        \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));            \
    }                                                                                              \
  };
// clang-format off
MMA(MmaF16, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_HALF(MmaF16F16, "m16n8k16.row.col.f16.f16.f16.f16")
MMA(MmaBf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA(MmaTf32, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA(MmaE4m3E4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
MMA(MmaE4m3E5m2, "m16n8k32.row.col.f32.e4m3.e5m2.f32")
MMA(MmaE5m2E4m3, "m16n8k32.row.col.f32.e5m2.e4m3.f32")
MMA(MmaE5m2E5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32")
MMA_HALF(MmaHalfE4m3E4m3, "m16n8k32.row.col.f16.e4m3.e4m3.f16")
MMA_HALF(MmaHalfE5m2E5m2, "m16n8k32.row.col.f16.e5m2.e5m2.f16")
MMA(MmaS8S8, "m16n8k32.row.col.s32.s8.s8.s32")
MMA(MmaS8U8, "m16n8k32.row.col.s32.s8.u8.s32")
MMA(MmaU8S8, "m16n8k32.row.col.s32.u8.s8.s32")
MMA(MmaU8U8, "m16n8k32.row.col.s32.u8.u8.s32")
MMA(MmaS8S8Satfinite, "m16n8k32.row.col.satfinite.s32.s8.s8.s32")
MMA(MmaB1, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
// clang-format on

/// A warp takes 8 cases: the diagonal of rows 0..7.
template <class Mma>
__global__ void with_mma(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  const uint32_t first = blockIdx.x * 8;
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  const uint32_t of_a[4] = {a[(first + g) * 8 + t], 0, a[(first + g) * 8 + 4 + t], 0};
  const uint32_t of_b[2] = {b[(first + g) * 8 + t], b[(first + g) * 8 + 4 + t]};
  uint32_t sums[4] = {};
  const bool mine = g / 2 == t;  // row g, columns 2t and 2t + 1
  if (mine && Mma::kHalf) sums[0] = c[first + g] << (16 * (g % 2));
  if (mine && !Mma::kHalf) sums[g % 2] = c[first + g];
  Mma::run(sums, of_a, of_b);
  if (mine) d[first + g] = Mma::kHalf ? sums[0] >> (16 * (g % 2)) & 0xffff : sums[g % 2];
}

std::FILE* file;

template <class Form, class Mma>
void measure(const char* d_name, const char* a_name, const char* b_name, std::vector<Case> cases) {
  while (cases.size() % kTile) cases.push_back(cases.back());
  std::vector<uint32_t> a, b, c;
  for (const Case& x : cases) {
    a.insert(a.end(), x.a, x.a + 8);
    b.insert(b.end(), x.b, x.b + 8);
    c.push_back(x.c);
  }
  const DeviceArray<uint32_t> of_a(a), of_b(b), of_c(c), after(c.size());
  const int count = static_cast<int>(cases.size());
  const auto results = [&](auto kernel, int rows, int threads) {
    kernel<<<count / rows, threads>>>(of_a.get(), of_b.get(), of_c.get(), after.get());
    synchronize();
    return after.download();
  };
  const std::vector<uint32_t> ss = results(with_wgmma<Form, kDescriptors>, kTile, kThreads),
                              rs = results(with_wgmma<Form, kRegisters>, kTile, kThreads),
                              mma = results(with_mma<Mma>, 8, 32);
  std::vector<std::vector<uint32_t>> others;
  if (a_name[0] != 's' && a_name[0] != 'u' && a_name != std::string("b1")) {
    others.push_back(results(with_wgmma<Form, kNegativeA>, kTile, kThreads));
    others.push_back(results(with_wgmma<Form, kNegativeB>, kTile, kThreads));
  }
  others.push_back(results(with_wgmma<Form, kFresh>, kTile, kThreads));
  others.push_back(results(with_wgmma<Form, kChain>, kTile, kThreads));
  int rs_differs = 0, mma_differs = 0;
  for (int i = 0; i < count; ++i) {
    std::fprintf(file, "%s.%s.%s %s ", d_name, a_name, b_name, cases[i].group);
    for (const uint32_t* words : {cases[i].a, cases[i].b}) {
      for (int byte = 0; byte < 32; ++byte) std::fprintf(file, "%02x", words[byte / 4] >> (byte % 4 * 8) & 0xff);
      std::fputc(' ', file);
    }
    std::fprintf(file, "%x %x %x ", cases[i].c, ss[i], rs[i]);
    std::fprintf(file, Mma::kIs ? "%x" : "-", mma[i]);
    if (others.size() == 2) std::fprintf(file, " - -");
    for (const auto& other : others) std::fprintf(file, " %x", other[i]);
    std::fputc('\n', file);
    rs_differs += ss[i] != rs[i];
    mma_differs += Mma::kIs && ss[i] != mma[i];
  }
  std::fflush(file);
  std::printf("%s.%s.%s: %d cases; registers differ in %d, mma.sync in %d%s\n", d_name, a_name, b_name, count,
              rs_differs, mma_differs, Mma::kIs ? "" : " (no form)");
  std::fflush(stdout);
}

template <class Form, class Mma>
void floats(const Types& types, uint64_t seed) {
  measure<Form, Mma>(types.d.name, types.a.name, types.b.name, Generator(types, seed).cases());
}

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: numerics OUT [SEED]\n"), 2;
  file = std::fopen((std::string(argv[1]) + "/numerics.txt").c_str(), "w");
  if (!file) return std::perror(argv[1]), 1;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  floats<Wgmma_f32_f16_f16<64>, MmaF16>({kF16, kF16, kF32}, seed);
  floats<Wgmma_f32_bf16_bf16<64>, MmaBf16>({kBf16, kBf16, kF32}, seed);
  floats<Wgmma_f32_tf32_tf32<64>, MmaTf32>({kTf32, kTf32, kF32}, seed);
  floats<Wgmma_f32_e4m3_e4m3<64>, MmaE4m3E4m3>({kE4m3, kE4m3, kF32}, seed);
  floats<Wgmma_f32_e5m2_e5m2<64>, MmaE5m2E5m2>({kE5m2, kE5m2, kF32}, seed);
  floats<Wgmma_f16_f16_f16<64>, MmaF16F16>({kF16, kF16, kF16}, seed);
  floats<Wgmma_f32_e4m3_e5m2<64>, MmaE4m3E5m2>({kE4m3, kE5m2, kF32}, seed);
  floats<Wgmma_f32_e5m2_e4m3<64>, MmaE5m2E4m3>({kE5m2, kE4m3, kF32}, seed);
  floats<Wgmma_f16_e4m3_e4m3<64>, MmaHalfE4m3E4m3>({kE4m3, kE4m3, kF16}, seed);
  floats<Wgmma_f16_e5m2_e5m2<64>, MmaHalfE5m2E5m2>({kE5m2, kE5m2, kF16}, seed);
  floats<Wgmma_f16_e4m3_e5m2<64>, NoMma>({kE4m3, kE5m2, kF16}, seed);
  floats<Wgmma_f16_e5m2_e4m3<64>, NoMma>({kE5m2, kE4m3, kF16}, seed);
  measure<Wgmma_s32_s8_s8<64>, MmaS8S8>("s32", "s8", "s8", integer_cases(seed, false));
  measure<Wgmma_s32_s8_u8<64>, MmaS8U8>("s32", "s8", "u8", integer_cases(seed, false));
  measure<Wgmma_s32_u8_s8<64>, MmaU8S8>("s32", "u8", "s8", integer_cases(seed, false));
  measure<Wgmma_s32_u8_u8<64>, MmaU8U8>("s32", "u8", "u8", integer_cases(seed, false));
  measure<Wgmma_s32_satfinite_s8_s8<64>, MmaS8S8Satfinite>("s32sat", "s8", "s8", integer_cases(seed, false));
  measure<Wgmma_s32_b1_b1<64>, MmaB1>("s32", "b1", "b1", integer_cases(seed, true));
  return 0;
}

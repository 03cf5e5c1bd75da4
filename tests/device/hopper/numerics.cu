// The bits that wgmma and mma.sync make of dot products. fit_numerics.py has the model that explains them.
//
//   numerics OUT [SEED]   writes OUT/numerics_D_A_B.txt for each form: lines `group a b c ss rs mma negative_a
//                         negative_b fresh chain`, all hexadecimal: the 32 bytes of A's row and of B's column, first
//                         byte first; the accumulator before; and after wgmma with A by descriptor, wgmma with A in
//                         registers, mma.sync (- where it has no such form), wgmma with A negated, with B negated,
//                         without the accumulator before, and four times in a group
// Groups, each meant to tell one thing (p, q, r are places in the row):
//   near       exponents within 4 of each other
//   wide       exponents over the whole range
//   bits       random codes, among them NaN and infinity
//   window     products 0..40 binary places below the largest, c from 10 above to 40 below
//   cancel     +x at p, -x at r, a product d = 0..45 places lower at q: what of it survives
//   cancel_c   the same with c in place of the product at r
//   small_c    +x at p, -x at r, and c d places lower
//   round_c    c with a full mantissa and one product 30 below to 30 above
//   round      one product of 1 and others d places lower, all of one sign or of both
//   ties       products that lie halfway between two results
//   subnormal  results at the lower end of the accumulator's range, subnormal operands
//   overflow   results at its upper end
//   special    infinities, NaN with payloads, zeros, largest and smallest numbers
//   zeros      signs of zeros
//   only_c     products of zero, c random
//   sticky     a tie of the result, broken by products at the last places that are kept
//   tiny       several products just below the accumulator's least number, beside a subnormal one
//   unused     tf32: the 13 low bits are random
#include <algorithm>
#include <cstring>
#include <string>

#include "common.hpp"
#include "number.hpp"
#include "ptx.hpp"
#include "wgmma.generated.hpp"

using namespace hopper;

struct Case {
  const char* group;
  uint32_t a[8], b[8], c;  ///< 32 bytes of each operand
};
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

struct Types {
  Format a, b, d;
};

class Generator {
 public:
  Generator(const Types& types, uint64_t seed) : types_(types), count_(32 / types.a.bytes), random_(seed) {}

  std::vector<Case> cases() {
    const auto group = [&](const char* name, int count, auto make) {
      for (int i = 0; i < count; ++i) {
        current_ = {name, {}, {}, 0};
        make(i);
        all_.push_back(current_);
      }
    };
    const Format& d = types_.d;
    group("near", 200, [&](int) {
      for (int k = 0; k < count_; ++k)
        set_a(k, number(types_.a, random_.between(-2, 2))), set_b(k, number(types_.b, random_.between(-2, 2)));
      current_.c = number(d, random_.between(-4, 4));
    });
    group("wide", 200, [&](int) {
      for (int k = 0; k < count_; ++k) set_a(k, anywhere(types_.a)), set_b(k, anywhere(types_.b));
      current_.c = random_.below(2) ? anywhere(d) : 0;
    });
    group("bits", 100, [&](int) {
      for (uint32_t& word : current_.a) word = random_.bits();
      for (uint32_t& word : current_.b) word = random_.bits();
      current_.c = code_mask(d) & random_.bits();
    });
    group("window", 500, [&](int) {
      const int top = any_top(), width = random_.between(4, 40), used = random_.between(1, count_);
      for (int k = 0; k < used; ++k) product(random_.below(count_), top - random_.below(width + 1));
      if (random_.below(3)) current_.c = number(d, top - random_.between(-10, 40));
    });
    group("cancel", 600, [&](int i) {
      const int top = any_top();
      int p, q, r;
      places(p, q, r);
      opposite(p, r, top);
      product(q, top - i % 46);
      if (random_.below(4) == 0) current_.c = number(d, top - random_.below(46));
    });
    group("cancel_c", 400, [&](int i) {
      const int top = any_top();
      int p, q, r;
      places(p, q, r);
      const bool negative = random_.below(2);
      power(p, top, negative);
      current_.c = encode(d, !negative, top, 0);
      product(q, top - i % 46);
      if (random_.below(2)) product(r, top - random_.below(46));
    });
    group("small_c", 300, [&](int i) {
      const int top = any_top();
      int p, q, r;
      places(p, q, r);
      opposite(p, r, top);
      current_.c = number(d, top - i % 46);
      if (random_.below(4) == 0) product(q, top - random_.below(46));
    });
    group("round_c", 300, [&](int i) {
      const int top = random_.between(-8, 8);
      current_.c = number(d, top);
      product(random_.below(count_), top - 30 + i % 61);
    });
    group("round", 400, [&](int i) {
      const int top = any_top(), sign = random_.below(3);
      const int p = random_.below(count_), used = random_.between(1, count_ - 1);
      power(p, top, random_.below(2));
      for (int k = 0, q = p; k < used; ++k) {
        q = (q + 1) % count_;
        power(q, top - i % 40, sign == 2 ? random_.below(2) : sign);
      }
    });
    group("ties", 300, [&](int i) {
      const int top = any_top(), ulp = top - d.mantissa_bits;
      int p, q, r;
      places(p, q, r);
      const bool negative = random_.below(2), odd = random_.below(2);
      if (i % 2) {
        current_.c =
            encode(d, negative, top, (odd ? 1u << (32 - d.mantissa_bits) : 0) | (random_.below(2) ? 0x40000000 : 0));
      } else {
        power(p, top, negative);
        if (odd) current_.c = encode(d, negative, ulp, 0);
      }
      power(q, ulp - 1, random_.below(2));
      if (random_.below(2)) power(r, ulp - 2 - random_.below(12), random_.below(2));
    });
    group("subnormal", 300, [&](int) {
      const int low = d.lowest() - d.mantissa_bits;
      const int least = types_.a.lowest() + types_.b.lowest() - types_.a.mantissa_bits - types_.b.mantissa_bits;
      const int used = random_.between(1, count_);
      for (int k = 0; k < used; ++k) product(random_.below(count_), std::max(low, least) + random_.between(-3, 30));
      if (random_.below(2))
        current_.c = code_mask(d) & (random_.bits() & (d.sign_bit() | ((2u << d.mantissa_bits) - 1)));
    });
    group("overflow", 200, [&](int) {
      const int most = std::min(d.highest(), types_.a.highest() + types_.b.highest());
      const int used = random_.between(1, count_);
      for (int k = 0; k < used; ++k) product(random_.below(count_), most + random_.between(-4, 1));
      if (random_.below(2)) current_.c = number(d, d.highest() - random_.below(3));
    });
    group("special", 300, [&](int) {
      const int used = random_.between(1, 4);
      for (int k = 0; k < count_; ++k)
        set_a(k, encode(types_.a, random_.below(2), 0, 0)), set_b(k, encode(types_.b, random_.below(2), 0, 0));
      for (int k = 0; k < used; ++k)
        (random_.below(2) ? set_a(random_.below(count_), special(types_.a))
                          : set_b(random_.below(count_), special(types_.b)));
      current_.c = random_.below(2) ? special(d) : number(d, 0);
    });
    group("zeros", 60, [&](int i) {
      for (int k = 0; k < count_; ++k) {
        const int sign = i % 3 == 2 ? random_.below(2) : i % 3;
        set_a(k, random_.below(2) ? encode(types_.a, sign, 0, 0) : sign ? types_.a.sign_bit() : 0);
        set_b(k, 0);
      }
      current_.c = random_.below(2) ? d.sign_bit() : 0;
    });
    group("sticky", 400, [&](int i) {
      const int top = any_top(), p = random_.below(count_), large = i % 2;  // 1.5 x 1.5 is a binade higher
      const bool negative = random_.below(2);
      int x, y;
      split(top, x, y);
      set_a(p, encode(types_.a, negative, x, large ? 1u << 31 : 0));
      set_b(p, encode(types_.b, false, y, large ? 1u << 31 : 0));
      const int half = top + large - d.mantissa_bits - 1;
      int q = (p + 1 + random_.below(count_ - 1)) % count_;
      if (i % 4 < 2)
        power(q, half, negative);
      else
        current_.c = encode(d, negative, half, 0);
      for (int k = 0, used = random_.between(1, 3); k < used; ++k) {
        const int r = (q + 1 + k) % count_;
        if (r != p && r != q) power(r, top - random_.between(11, 28), random_.below(4) ? negative : !negative);
      }
    });
    group("tiny", 300, [&](int i) {
      const int low = d.lowest() - d.mantissa_bits, used = random_.between(2, count_);
      for (int k = 0; k < used; ++k)
        random_.below(2) ? product(random_.below(count_), low - random_.below(5))
                         : power(random_.below(count_), low - random_.below(5), i % 3 == 0);
      if (i % 2) current_.c = random_.below(1 << random_.between(1, d.mantissa_bits)) | (i % 4 == 1 ? d.sign_bit() : 0);
    });
    group("only_c", 100, [&](int i) {
      set_a(random_.below(count_), number(types_.a, 0));
      current_.c = i % 2 ? code_mask(d) & random_.bits() : number(d, random_.between(-20, 20));
    });
    if (types_.a.unused_bits)
      group("unused", 100, [&](int) {
        for (int k = 0; k < count_; ++k)
          set_a(k, number(types_.a, random_.between(-2, 2)) | (random_.bits() & 0x1fff)),
              set_b(k, number(types_.b, random_.between(-2, 2)) | (random_.bits() & 0x1fff));
      });
    return all_;
  }

 private:
  static uint32_t code_mask(const Format& f) { return f.sign_bit() | (f.sign_bit() - 1); }
  void set(uint32_t* words, int k, int bytes, uint32_t code) {
    std::memcpy(reinterpret_cast<char*>(words) + k * bytes, &code, bytes);
  }
  void set_a(int k, uint32_t code) { set(current_.a, k, types_.a.bytes, code); }
  void set_b(int k, uint32_t code) { set(current_.b, k, types_.b.bytes, code); }
  /// 1.0, all ones, one more than 1.0, or random.
  uint32_t fraction(const Format& f) {
    switch (random_.below(5)) {
      case 0: return 0;
      case 1: return ~0u;
      case 2: return 1u << (32 - f.mantissa_bits);
      default: return random_.bits();
    }
  }
  uint32_t number(const Format& f, int exponent) { return encode(f, random_.below(2), exponent, fraction(f)); }
  uint32_t anywhere(const Format& f) { return number(f, random_.between(f.lowest() - f.mantissa_bits, f.highest())); }
  uint32_t special(const Format& f) {
    const uint32_t sign = random_.below(2) ? f.sign_bit() : 0;
    switch (random_.below(8)) {
      case 0:
      case 1: return sign | f.infinity();
      case 2:
        return sign | f.infinity() |
               (f.finite_only ? 0 : (1 + random_.below((1 << f.mantissa_bits) - 1)) << f.unused_bits);
      case 3: return sign | (f.infinity() - (1u << f.unused_bits));
      case 4: return sign | (1u << f.unused_bits);
      case 5: return sign | ((1u << f.mantissa_bits) - 1) << f.unused_bits;
      default: return sign;
    }
  }
  /// Splits an exponent of a product among the factors, as evenly as their ranges allow, at random otherwise.
  void split(int exponent, int& of_a, int& of_b) {
    const int low_a = std::max(types_.a.lowest(), exponent - types_.b.highest()),
              high_a = std::min(types_.a.highest(), exponent - types_.b.lowest());
    of_a = low_a <= high_a ? random_.between(low_a, high_a)
           : exponent < 0  ? types_.a.lowest() - random_.below(types_.a.mantissa_bits + 1)
                           : types_.a.highest();
    of_b = exponent - of_a;
  }
  void product(int k, int exponent) {
    int x, y;
    split(exponent, x, y);
    set_a(k, number(types_.a, x));
    set_b(k, number(types_.b, y));
  }
  void power(int k, int exponent, bool negative) {
    int x, y;
    split(exponent, x, y);
    set_a(k, encode(types_.a, negative, x, 0));
    set_b(k, encode(types_.b, false, y, 0));
  }
  void opposite(int p, int r, int exponent) {
    const bool negative = random_.below(2);
    power(p, exponent, negative);
    power(r, exponent, !negative);
  }
  void places(int& p, int& q, int& r) {
    p = random_.below(count_);
    do q = random_.below(count_);
    while (q == p);
    do r = random_.below(count_);
    while (r == p || r == q);
  }
  /// An exponent for the largest product that leaves room below it, and that c can have.
  int any_top() {
    const int most = std::min({types_.a.highest() + types_.b.highest(), types_.d.highest(), 40}) - 2;
    return random_.between(std::min(most, 0), most);
  }

  Types types_;
  int count_;
  Random random_;
  Case current_{};
  std::vector<Case> all_;
};

std::vector<Case> integer_cases(uint64_t seed, bool bits) {
  Random random(seed);
  std::vector<Case> all;
  for (int i = 0; i < 384; ++i) {
    Case x{"random", {}, {}, random.bits()};
    for (uint32_t& w : x.a) w = random.bits();
    for (uint32_t& w : x.b) w = random.bits();
    if (i % 4 == 1) x.group = "small_c", x.c = random.below(1000) - 500;
    if (i % 4 == 2 && !bits) {
      const uint32_t extreme[] = {0x7f7f7f7f, 0x80808080, 0xffffffff};
      x.group = "extreme", x.c = 0x7fffffff - random.below(3);
      for (uint32_t& w : x.a) w = extreme[i / 4 % 3];
      for (uint32_t& w : x.b) w = extreme[i / 12 % 3];
      if (i % 8 == 2) x.c = 0x80000000 + random.below(3);
    }
    all.push_back(x);
  }
  return all;
}

std::string folder;

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
  const std::string path = folder + "/numerics_" + d_name + "_" + a_name + "_" + b_name + ".txt";
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) std::perror(path.c_str()), std::exit(1);
  int rs_differs = 0, mma_differs = 0;
  for (int i = 0; i < count; ++i) {
    std::fprintf(file, "%s ", cases[i].group);
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
  std::fclose(file);
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
  folder = argv[1];
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

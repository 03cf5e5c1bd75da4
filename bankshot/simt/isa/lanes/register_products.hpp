// Products of 64 rows whose accumulators of 32 bits stay where they are, in the registers of four warps: sixteen lanes
// of a register hold four rows of every second of eight columns. Factors are laid out as these lanes meet them.
#pragma once

#include "bankshot/simt/isa/lanes/exact_products.hpp"
#include "bankshot/simt/isa/lanes/tensor_sums.hpp"
#include "bankshot/simt/isa/lanes/tensor_tiles.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// @tparam K  of the product @tparam Columns  at most
template <unsigned K, unsigned Columns>
class RegisterProduct {
 public:
  static constexpr unsigned kRows = 64;

  /// @param d  of kRows lines; must live as long as this
  explicit RegisterProduct(const Dense& d) : dense_(d) {
    for (unsigned q = 0; q < K; ++q) {
      for (unsigned four = 0; four < kFours; ++four) {
        const Floats each = lanes_at(d.x + q * kRows + 4 * four);
        std::memcpy(x_ + (q * kFours + four) * kSideBySide, &each, sizeof each);
      }
    }
    for (unsigned part = 0; part < parts(); ++part) {
      const f32* const first = d.y + (part / 2 * 8 + part % 2) * K;
      for (unsigned q = 0; q < K; q += 4) place_fours(first + q, part, q);
    }
  }

  /// @param exact  of d @param rows  the accumulators of a warp; they become floating-point sums
  void add_floats(const Exact& exact, const Rows32& rows, unsigned warp, bool accumulates) {
    for_blocks([&](auto groups, unsigned group) {
      Block<groups> sums;
      const auto row = [&](unsigned c) { return rows.row<f32>(4 * group + c / 2) + c % 2 * kSideBySide; };
#pragma GCC unroll 16
      for (unsigned c = 0; c < sums.kVectors; ++c)
        sums.v[c] = accumulates ? floats_at(row(c)) + 0.0f : Floats{};  // no -0
      if (!is_exact(exact, sums)) {
        for (unsigned c = 0; c < sums.kVectors; ++c) {
          const Floats after = cut_off(accumulates ? floats_at(row(c)) : Floats{}, warp, group, c);
          std::memcpy(row(c), &after, sizeof after);
        }
        return;
      }
      fuse(sums, warp, group);
#pragma GCC unroll 16
      for (unsigned c = 0; c < sums.kVectors; ++c) std::memcpy(row(c), &sums.v[c], sizeof(Floats));
    });
  }

  /// The same of integers, whose products are exact.
  void add_integers(const Rows32& rows, unsigned warp, bool accumulates, bool saturates) {
    for_blocks([&](auto groups, unsigned group) {
      Block<groups> sums{};
      fuse(sums, warp, group);
#pragma GCC unroll 16
      for (unsigned c = 0; c < sums.kVectors; ++c) {
        s32* const row = rows.row<s32>(4 * group + c / 2) + c % 2 * kSideBySide;
        Ints old{};
        if (accumulates) load_vector(old, row);
        Ints sum = __builtin_convertvector(sums.v[c], Ints);
        if (saturates) {
          for (unsigned j = 0; j < kSideBySide; ++j) sum[j] = finished(s64{old[j]} + sum[j], true);
        } else {
          sum = reinterpret_cast<Ints>(reinterpret_cast<Words>(old) + reinterpret_cast<Words>(sum));
        }
        std::memcpy(row, &sum, sizeof sum);
      }
    });
  }

 private:
  static constexpr unsigned kFours = kRows / 4;
  using Fours = f32 __attribute__((vector_size(16)));
  using Words = u32 __attribute__((vector_size(64)));
#if defined(__AVX512F__)
  static constexpr unsigned kAtOnce = 2;  ///< groups of eight columns whose sums fit the host's registers
#else
  static constexpr unsigned kAtOnce = 1;
#endif

  /// The sums of a warp's 16 rows and some groups of eight columns. Vector 8 g + 4 h + 2 k + p: rows 8 h + 4 p to + 3,
  /// columns 8 g + k, + 2, + 4, + 6.
  template <unsigned Groups>
  struct Block {
    static constexpr unsigned kVectors = 8 * Groups;
    Floats v[kVectors];
  };

  unsigned groups() const { return dense_.columns / 8; }
  unsigned parts() const { return 2 * groups(); }

  [[gnu::always_inline]] static Fours fours_at(const f32* from) {
    Fours four;
    std::memcpy(&four, from, sizeof four);
    return four;
  }
  /// Of four rows: each for the four lanes that hold it.
  [[gnu::always_inline]] static Floats lanes_at(const f32* from) {
    const Floats a = columns_at(from);
    return __builtin_shufflevector(a, a, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  }
  /// Of four columns. (The compiler makes stores and loads of a shuffle from four to sixteen.)
  [[gnu::always_inline]] static Floats columns_at(const void* from) {
#if defined(__AVX512F__)
    return reinterpret_cast<Floats>(_mm512_broadcast_f32x4(_mm_loadu_ps(static_cast<const f32*>(from))));
#else
    Floats all;
    for (unsigned k = 0; k < 4; ++k) std::memcpy(reinterpret_cast<f32*>(&all) + 4 * k, from, 4 * sizeof(f32));
    return all;
#endif
  }

  /// Four k of every second of eight columns.
  void place_fours(const f32* from, unsigned part, unsigned q) {
    const Fours a = fours_at(from), b = fours_at(from + 2 * K), c = fours_at(from + 4 * K), d = fours_at(from + 6 * K);
    const Fours ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Fours ef = __builtin_shufflevector(a, b, 2, 6, 3, 7), gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const Fours all[] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                         __builtin_shufflevector(ef, gh, 0, 1, 4, 5), __builtin_shufflevector(ef, gh, 2, 3, 6, 7)};
    for (unsigned k = 0; k < 4; ++k) std::memcpy(y_ + ((q + k) * parts() + part) * 4, &all[k], sizeof all[k]);
  }

  [[gnu::always_inline]] Floats x_of(unsigned q, unsigned warp, unsigned c) const {
    return floats_at(x_ + (q * kFours + 4 * warp + c / 4 % 2 * 2 + c % 2) * kSideBySide);
  }
  [[gnu::always_inline]] Floats y_of(unsigned q, unsigned group, unsigned c) const {
    return columns_at(y_ + (q * parts() + 2 * group + c / 8 * 2 + c / 2 % 2) * 4);
  }

  template <class F>
  void for_blocks(F f) {
    unsigned group = 0;
    for (; group + kAtOnce <= groups(); group += kAtOnce) f(std::integral_constant<unsigned, kAtOnce>{}, group);
    for (; group < groups(); ++group) f(std::integral_constant<unsigned, 1>{}, group);
  }

  template <unsigned Groups>
  [[gnu::always_inline]] static bool is_exact(const Exact& exact, const Block<Groups>& sums) {
    if (!exact.admitted()) return false;
    Exact::Check check(exact);
#pragma GCC unroll 16
    for (unsigned c = 0; c < sums.kVectors; ++c) check.add(sums.v[c]);
    return check.passed();
  }

  template <unsigned Groups>
  [[gnu::always_inline]] void fuse(Block<Groups>& sums, unsigned warp, unsigned group) const {
    for (unsigned q = 0; q < K; ++q) {
      Floats x[4];
#pragma GCC unroll 4
      for (unsigned c = 0; c < 4; ++c) x[c] = x_of(q, warp, c % 2 + c / 2 * 4);
#pragma GCC unroll 4
      for (unsigned part = 0; part < 2 * Groups; ++part) {
        const Floats y = y_of(q, group, part / 2 * 8 + part % 2 * 2);
#pragma GCC unroll 4
        for (unsigned c = 0; c < 4; ++c) {
          Floats& sum = sums.v[part / 2 * 8 + c / 2 * 4 + part % 2 * 2 + c % 2];
          sum = fused(x[c], y, sum);
        }
      }
    }
  }

  void make_exponents() {
    if (has_exponents_) return;
    has_exponents_ = true;
    exponents_of(x_, K * kFours * kSideBySide, dense_.x_element, ex_);
    exponents_of(y_, K * parts() * 4, dense_.y_element, ey_);
  }

  Floats cut_off(Floats sums, unsigned warp, unsigned group, unsigned c) {
    make_exponents();
    const unsigned x = (4 * warp + c / 4 % 2 * 2 + c % 2) * kSideBySide, y = (2 * group + c / 8 * 2 + c / 2 % 2) * 4;
    const s32 least = least_exponent(dense_.c_element);
    const auto exponent = [&](unsigned q) __attribute__((always_inline)) {
      Ints of_x;
      load_vector(of_x, ex_ + q * kFours * kSideBySide + x);
      return of_x + reinterpret_cast<Ints>(columns_at(ey_ + q * parts() * 4 + y));
    };
    const auto product = [&](unsigned q) __attribute__((always_inline)) {
      return floats_at(x_ + q * kFours * kSideBySide + x) * columns_at(y_ + q * parts() * 4 + y);
    };
    if (dot_sixteen<false, K>(product, exponent, least, dense_.precision, reinterpret_cast<f32*>(&sums))) return sums;
    for (unsigned j = 0; j < kSideBySide; ++j) {
      sums[j] = canonical(dot_carefully<false>(
          K,
          [&](unsigned q) {
            return static_cast<f64>(x_[q * kFours * kSideBySide + x + j]) *
                   static_cast<f64>(y_[q * parts() * 4 + y + j % 4]);
          },
          [&](unsigned q) { return ex_[q * kFours * kSideBySide + x + j] + ey_[q * parts() * 4 + y + j % 4]; }, least,
          dense_.precision, sums[j]));
    }
    return sums;
  }

  const Dense& dense_;
  bool has_exponents_ = false;
  alignas(64) f32 x_[K * kFours * kSideBySide], y_[K * Columns];
  alignas(64) s32 ex_[K * kFours * kSideBySide], ey_[K * Columns];
};

}  // namespace bankshot::simt::BANKSHOT_ISA

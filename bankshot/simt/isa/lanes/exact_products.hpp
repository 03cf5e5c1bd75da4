// Products of matrices whose sums are exact in f32 in any order, so that fma makes them: then nothing is cut off, and
// the result is that of tensor_sums.hpp. Small integers are of this kind.
#pragma once

#include <algorithm>

#include "bankshot/simt/isa/lanes/half.hpp"
#include "bankshot/simt/isa/lanes/tensor_sums.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// Sums of products of `lines` times `columns` pairs, lines side by side: a multiple of sixteen of them.
struct Dense {
  unsigned lines, columns, k;
  Element x_element, y_element, c_element;
  const f32* x;  ///< [k][lines]
  const f32* y;  ///< [columns][k]
  Precision precision = {};
};

/// Where the bits of numbers lie: they are multiples of 2^low and below 2^high. Of zeros alone high < low.
struct BitRange {
  s32 high, low;
};

inline BitRange bit_range(const f32* x, unsigned count) {
  constexpr s32 kNone = 1000;
  Ints high = Ints{} - kNone, low = Ints{} + kNone;
  for (unsigned k = 0; k < count; k += kSideBySide) {
    Ints number{};
    if (k + kSideBySide <= count) {
      load_vector(number, x + k);
    } else {
      std::memcpy(&number, x + k, (count - k) * sizeof(f32));
    }
    number &= 0x7fffffff;
    const Ints field = larger(number >> 23, Ints{} + 1), fraction = (number & 0x7fffff) | 0x800000;
    // As a number, the lowest bit has its place in its exponent.
    const Ints last = reinterpret_cast<Ints>(__builtin_convertvector(fraction & -fraction, Floats)) >> 23;
    const Ints zero = number == Ints{};
    high = larger(high, zero ? Ints{} - kNone : field - 126);
    low = -larger(-low, zero ? Ints{} - kNone : 277 - field - last);
  }
  BitRange range{-kNone, kNone};
  for (unsigned j = 0; j < kSideBySide; ++j) {
    range.high = std::max(range.high, high[j]);
    range.low = std::min(range.low, low[j]);
  }
  return range;
}

/// What makes sums exact.
class Exact {
 public:
  /// @param x, y  all of d's factors
  Exact(const Dense& d, BitRange x, BitRange y) : bits_(std::min(d.precision.fraction, 22)) {
    const bool zero = x.high < x.low || y.high < y.low;  // all products are
    low_ = zero ? 0 : x.low + y.low;
    // Subnormal factors count with the least exponent of their format, and so do subnormal accumulators.
    s32 high = zero ? 0 : count_as(x.high, d.x_element) + count_as(y.high, d.y_element);
    for (unsigned products = 1; products < d.k; products *= 2) ++high;
    const s32 last = least_exponent(d.c_element) - d.precision.places;
    admitted_ = high - low_ <= bits_ && low_ > -100 && high < 100 && low_ >= last;
  }
  static Exact of(const Dense& d) {
    // Most numbers that are not admitted show it at once.
    const unsigned some = kSideBySide, xs = d.lines * d.k, ys = d.columns * d.k;
    const Exact first(d, bit_range(d.x, some), bit_range(d.y, std::min(some, ys)));
    return first.admitted_ ? Exact(d, bit_range(d.x, xs), bit_range(d.y, ys)) : first;
  }

  /// Products are multiples of 2^low, and any sum of them is below 2^(low + bits). So are accumulators that pass
  /// Check, and one of each has at most 24 bits.
  bool admitted() const { return admitted_; }

  /// Collects whether accumulators are multiples of 2^low below 2^(low + bits).
  class Check {
   public:
    explicit Check(const Exact& exact)
        : offset_(Floats{} + as_float(static_cast<u32>(exact.low_ + 150) << 23 | 0x400000)),
          outside_(-(s32{2} << exact.bits_)),
          first_(reinterpret_cast<Ints>(offset_) - (1 << exact.bits_)) {}
    void add(Floats c) {
      // With the offset added, a unit in the last place is 2^low.
      const Floats moved = c + offset_;
      far_ |= reinterpret_cast<Ints>(moved) - first_;
      other_ |= reinterpret_cast<Ints>(moved - offset_) ^ reinterpret_cast<Ints>(c);
    }
    bool passed() const { return !any_negative((other_ | (far_ & outside_)) != Ints{}); }

   private:
    Floats offset_;
    s32 outside_;
    Ints first_, far_ = {}, other_ = {};
  };

 private:
  static s32 count_as(s32 high, Element element) { return std::max(high, least_exponent(element) + 1); }

  s32 bits_, low_ = 0;
  bool admitted_ = false;
};

/// Products are added to Vectors × 16 lines of some columns of c. @return false, and c is as it was, if they had to be
/// exact and are not. @param c  of the first line and column
template <unsigned Vectors, unsigned Columns>
inline bool fuse_block(const Dense& d, const Exact* exact, const f32* x, const f32* y, f32* c) {
  Floats sums[Columns][Vectors];
  for (unsigned column = 0; column < Columns; ++column) {
    for (unsigned v = 0; v < Vectors; ++v)
      sums[column][v] = floats_at(c + column * d.lines + v * kSideBySide) + 0.0f;  // no -0
  }
  if (exact != nullptr) {
    Exact::Check check(*exact);
    for (const auto& column : sums) {
      for (const Floats& sum : column) check.add(sum);
    }
    if (!check.passed()) return false;
  }
  for (unsigned q = 0; q < d.k; ++q) {
    Floats factors[Vectors];
    for (unsigned v = 0; v < Vectors; ++v) factors[v] = floats_at(x + q * d.lines + v * kSideBySide);
    for (unsigned column = 0; column < Columns; ++column) {
      for (unsigned v = 0; v < Vectors; ++v) sums[column][v] = fused(factors[v], y[column * d.k + q], sums[column][v]);
    }
  }
  for (unsigned column = 0; column < Columns; ++column) {
    for (unsigned v = 0; v < Vectors; ++v)
      std::memcpy(c + column * d.lines + v * kSideBySide, &sums[column][v], sizeof(Floats));
  }
  return true;
}

/// c += x y in blocks that fit the host's registers. @param inexact  is called with the first line, the lines, the
/// first column and the columns of blocks whose sums are not exact
template <unsigned Vectors, unsigned Columns, class F>
inline void fuse_blocks(const Dense& d, const Exact* exact, f32* c, F inexact) {
  for (unsigned line = 0; line < d.lines; line += Vectors * kSideBySide) {
    for (unsigned column = 0; column < d.columns; column += Columns) {
      if (!fuse_block<Vectors, Columns>(d, exact, d.x + line, d.y + column * d.k, c + column * d.lines + line))
        inexact(line, Vectors * kSideBySide, column, Columns);
    }
  }
}

template <class F>
inline void fuse(const Dense& d, const Exact* exact, f32* c, F inexact) {
#if defined(__AVX512F__)
  constexpr unsigned kVectors = 4, kColumns = 4;
#else
  constexpr unsigned kVectors = 2, kColumns = 1;
#endif
  const bool wide = d.lines % (kVectors * kSideBySide) == 0;
  if (d.columns % 4 != 0) {
    return wide ? fuse_blocks<kVectors, 1>(d, exact, c, inexact) : fuse_blocks<1, 1>(d, exact, c, inexact);
  }
  return wide ? fuse_blocks<kVectors, kColumns>(d, exact, c, inexact) : fuse_blocks<1, kColumns>(d, exact, c, inexact);
}

/// c += x y where all sums have at most 24 bits: products of integers of up to 8 bits.
inline void multiply_integers(const Dense& d, f32* c) {
  fuse(d, nullptr, c, [](unsigned, unsigned, unsigned, unsigned) {});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

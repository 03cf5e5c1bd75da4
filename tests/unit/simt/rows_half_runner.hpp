// Runs one instruction on many values, lane by lane different, and the numbers of the 16-bit formats for references.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rows_harness.hpp"

namespace bankshot::simt::testing {

/// An instruction of one table of rows, prepared once.
class Runner {
 public:
  Runner(std::string_view isa, std::string_view text) : lanes_(lanes_of_isa(isa)) {
    prepared_ = prepare(*rows_of(isa), text);
    EXPECT_TRUE(prepared_) << text << " is not supported";
  }
  Instr& instr() { return prepared_->instr; }
  unsigned lanes() const { return lanes_; }

  /// @param sources  values of each source operand; as many runs are made as it takes
  /// @return the values of the first destination
  std::vector<uint64_t> operator()(const std::vector<std::vector<uint64_t>>& sources) {
    std::vector<uint64_t> results;
    const size_t count = sources[0].size();
    for (size_t begin = 0; begin < count; begin += lanes_) {
      const size_t n = std::min<size_t>(lanes_, count - begin);
      Registers registers;
      size_t source = 0;
      for (const Place& place : prepared_->places) {
        if (place.writes) continue;
        for (size_t l = 0; l < n; ++l)
          registers.set(place.reg, place.width, static_cast<unsigned>(l), sources[source][begin + l]);
        ++source;
      }
      EXPECT_EQ(source, sources.size());
      uint64_t carry = 0;
      execute(*prepared_, registers, all_lanes(lanes_), carry);
      const Place& d = prepared_->places[0];
      for (size_t l = 0; l < n; ++l) results.push_back(registers.get(d.reg, d.width, static_cast<unsigned>(l)));
    }
    return results;
  }

 private:
  unsigned lanes_;
  std::optional<Prepared> prepared_;
};

/// A 16-bit format in long double, which holds all its numbers and their midpoints exactly.
struct HalfFormat {
  int exponent_bits, mantissa_bits;
  uint16_t infinity() const { return static_cast<uint16_t>(((1u << exponent_bits) - 1) << mantissa_bits); }
  bool is_nan(uint64_t h) const { return (h & 0x7fff) > infinity(); }
  /// Of infinity, what it would be if the exponents went on: the limit of rounding.
  long double value(uint64_t h) const {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int field = static_cast<int>((h & 0x7fff) >> mantissa_bits),
              mantissa = static_cast<int>(h & ((1u << mantissa_bits) - 1));
    const long double magnitude = field == 0 ? std::ldexp(static_cast<long double>(mantissa), 1 - bias - mantissa_bits)
                                             : std::ldexp(static_cast<long double>(mantissa + (1 << mantissa_bits)),
                                                          field - bias - mantissa_bits);
    return h & 0x8000 ? -magnitude : magnitude;
  }
  /// The number that x rounds to, by looking for its neighbours. @param error  sign of what x lacks to the exact value
  /// @param mode  "rn", "rz", "rm" or "rp"
  uint16_t round(long double x, std::string_view mode = "rn", int error = 0) const {
    if (std::isnan(x)) return 0x7fff;
    const bool negative = std::signbit(x);
    const uint16_t sign = negative ? 0x8000 : 0;
    const long double magnitude = std::fabs(x);
    if (std::isinf(x)) return sign | infinity();
    uint16_t low = 0, high = infinity();  // low <= magnitude < high, as far as the format goes
    if (magnitude >= value(high)) {
      low = high;
    } else {
      while (high - low > 1) {
        const auto middle = static_cast<uint16_t>((low + high) / 2);
        (value(middle) <= magnitude ? low : high) = middle;
      }
    }
    const int outward = negative ? -error : error;  // what the magnitude lacks
    const bool exact = low < infinity() && value(low) == magnitude && error == 0;
    if (exact) return sign | low;
    if (low < infinity() && value(low) == magnitude && outward < 0) high = low--;
    bool up = mode == "rp" ? !negative : mode == "rm" ? negative : false;
    if (mode == "rn") {
      const long double middle = low < infinity() ? (value(low) + value(high)) / 2 : 0;
      up = magnitude > middle || (magnitude == middle && (outward > 0 || (outward == 0 && (low & 1))));
    }
    if (low >= infinity()) return sign | static_cast<uint16_t>(up ? infinity() : infinity() - 1);
    return sign | (up ? high : low);
  }
};
constexpr HalfFormat kF16{5, 10}, kBf16{8, 7};

inline uint32_t bits_of(float x) {
  uint32_t b;
  std::memcpy(&b, &x, 4);
  return b;
}
inline uint64_t bits_of(double x) {
  uint64_t b;
  std::memcpy(&b, &x, 8);
  return b;
}
inline float float_of(uint64_t bits) {
  const auto b = static_cast<uint32_t>(bits);
  float x;
  std::memcpy(&x, &b, 4);
  return x;
}
inline double double_of(uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, 8);
  return x;
}

/// All values of 16 bits.
inline std::vector<uint64_t> all_halves() {
  std::vector<uint64_t> all(65536);
  for (uint64_t h = 0; h < 65536; ++h) all[h] = h;
  return all;
}

/// One test for each instruction set the host has.
class OnEachIsa : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (rows_of(GetParam()) == nullptr) GTEST_SKIP() << "not on this host";
  }
};
#define BANKSHOT_ON_EACH_ISA(Suite)                                 \
  INSTANTIATE_TEST_SUITE_P(rows, Suite, ::testing::ValuesIn(kIsas), \
                           [](const auto& info) { return std::string(info.param); })

}  // namespace bankshot::simt::testing

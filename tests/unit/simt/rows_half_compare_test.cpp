// setp and set of f16 and bf16.
#include "rows_half_runner.hpp"

namespace bankshot::simt::testing {
namespace {

class HalfCompare : public OnEachIsa {};
BANKSHOT_ON_EACH_ISA(HalfCompare);

constexpr uint64_t kValues[] = {0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7fff, 0x4000};

bool holds(std::string_view comparison, float a, float b) {
  const bool unordered = a != a || b != b;
  if (comparison == "num") return !unordered;
  if (comparison == "nan") return unordered;
  if (comparison.size() == 3) return unordered || holds(comparison.substr(0, 2), a, b);
  if (comparison == "eq") return a == b;
  if (comparison == "ne") return a < b || a > b;
  if (comparison == "lt") return a < b;
  if (comparison == "le") return a <= b;
  return comparison == "gt" ? a > b : a >= b;
}

float value(uint64_t h, bool bf16) {
  const HalfFormat& format = bf16 ? kBf16 : kF16;
  if (format.is_nan(h)) return NAN;
  return (h & 0x7fff) == format.infinity() ? (h & 0x8000 ? -INFINITY : INFINITY) : static_cast<float>(format.value(h));
}

TEST_P(HalfCompare, all_operators_of_all_types_of_result) {
  std::vector<uint64_t> a, b;
  for (uint64_t x : kValues) {
    for (uint64_t y : kValues) a.push_back(x), b.push_back(y);
  }
  for (const std::string comparison :
       {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}) {
    for (const bool bf16 : {false, true}) {
      const std::string type = bf16 ? "bf16" : "f16";
      const auto p = Runner(GetParam(), "setp." + comparison + "." + type)({a, b});
      const auto ones = Runner(GetParam(), "set." + comparison + ".u32." + type)({a, b});
      const auto numbers = Runner(GetParam(), "set." + comparison + "." + type + "." + type)({a, b});
      for (size_t k = 0; k < a.size(); ++k) {
        const bool expected = holds(comparison, value(a[k], bf16), value(b[k], bf16));
        ASSERT_EQ(p[k], expected) << comparison << " " << type << std::hex << " " << a[k] << " " << b[k];
        ASSERT_EQ(ones[k], expected ? 0xffffffffu : 0);
        ASSERT_EQ(numbers[k], expected ? (bf16 ? 0x3f80u : 0x3c00u) : 0);
      }
    }
  }
}

TEST_P(HalfCompare, pairs_compare_each_half) {
  EXPECT_EQ(Runner(GetParam(), "set.gt.f16x2.f16x2")({{0x3c004000}, {0x40003c00}}),
            (std::vector<uint64_t>{0x00003c00}));
  EXPECT_EQ(Runner(GetParam(), "set.eq.u32.bf16x2")({{0x3c004000}, {0x3c003c00}}), (std::vector<uint64_t>{0xffff0000}));
}

TEST_P(HalfCompare, a_boolean_operator_combines_with_c) {
  EXPECT_EQ(Runner(GetParam(), "set.lt.and.u32.f16")({{0, 0, 0x3c00}, {0x3c00, 0x3c00, 0}, {1, 0, 1}}),
            (std::vector<uint64_t>{0xffffffff, 0, 0}));
  EXPECT_EQ(Runner(GetParam(), "setp.lt.xor.f16")({{0, 0, 0x3c00}, {0x3c00, 0x3c00, 0}, {1, 0, 1}}),
            (std::vector<uint64_t>{0, 1, 1}));
}

TEST_P(HalfCompare, subnormal_numbers_are_zeros_with_ftz) {
  EXPECT_EQ(Runner(GetParam(), "setp.eq.ftz.f16")({{1}, {0x8000}}), (std::vector<uint64_t>{1}));
  EXPECT_EQ(Runner(GetParam(), "setp.eq.f16")({{1}, {0x8000}}), (std::vector<uint64_t>{0}));
}

TEST_P(HalfCompare, q_is_the_comparison_of_the_upper_half) {
  for (const auto& [text, a, b, p, q] : {std::tuple{"setp.eq.f16x2", 0x10002u, 0x10003u, 0u, 1u}}) {
    auto prepared = prepare(*rows_of(GetParam()), text);
    ASSERT_TRUE(prepared);
    Registers registers;
    for (const Place& place : prepared->places) {
      if (!place.writes) registers.set(place.reg, place.width, 0, place.reg == 2 ? a : b);
    }
    uint64_t carry = 0;
    execute(*prepared, registers, 1, carry);
    EXPECT_EQ(registers.get(0, 0, 0), p) << text;
    EXPECT_EQ(registers.get(1, 0, 0), q) << text;
  }
}

}  // namespace
}  // namespace bankshot::simt::testing

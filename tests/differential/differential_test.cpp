// Random kernels: what the engine computes, on every instruction set of the host, is what a second interpreter
// computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/differential/compare.hpp"
#include "tests/differential/seeds.hpp"
#include "tests/differential/writer.hpp"

namespace bankshot::differential {
namespace {

#ifdef NDEBUG
constexpr uint64_t kUsual = 300;
#else
constexpr uint64_t kUsual = 25;  // builds for debugging, with sanitizers or with coverage
#endif

void expect_agreement(uint64_t seed, Comparison& comparison) {
  const Kernel kernel = random_kernel(seed);
  const Difference difference = comparison.compare(kernel);
  if (difference.kind == Difference::Kind::none) return;
  ASSERT_EQ(difference.kind, Difference::Kind::results) << "seed " << seed << ": " << difference.what;
  FAIL() << report_of(kernel, difference, comparison);
}

TEST(Differential, random_kernels_agree_with_a_second_interpreter) {
  const char* const set = std::getenv("BANKSHOT_DIFFERENTIAL_KERNELS");
  const uint64_t kernels = set != nullptr && *set != 0 ? std::strtoull(set, nullptr, 10) : kUsual;
  Comparison comparison;
  Forms reached = forms();
  comparison.note_forms_in(&reached);
  for (uint64_t seed = 1; seed <= kernels && !HasFatalFailure(); ++seed) expect_agreement(seed, comparison);
  // It says something only if much of the table is in the kernels.
  if (kernels < 300) return;
  EXPECT_GT(reached.reached(), 200u) << reached.list(false);
}

TEST(Differential, kernels_that_once_differed) {
  Comparison comparison;
  for (const uint64_t seed : kSeeds) expect_agreement(seed, comparison);
}

TEST(Differential, a_kernel_that_differs_is_reduced_to_what_differs) {
  // Register and instruction do not fit, which the reference does not look at and the engine refuses.
  Kernel kernel = random_kernel(7);
  constexpr int kGroup = 1'000'000;
  for (auto line = kernel.lines.begin(); line != kernel.lines.end(); ++line) {
    if (line->text != "ret;\n}" || std::next(line) != kernel.lines.end()) continue;
    kernel.lines.insert(line, {"cvt.rn.f16x2.e4m3x2 %q3, %h0;", kGroup});
    break;
  }
  Comparison comparison;
  const Difference difference = comparison.compare(kernel);
  ASSERT_EQ(difference.kind, Difference::Kind::results);
  EXPECT_NE(difference.what.find("register '%q3' has 64 bits"), std::string::npos) << difference.what;
  const Kernel small = reduced(kernel, comparison);
  for (const Line& line : small.lines) EXPECT_TRUE(line.group == -1 || line.group == kGroup) << line.text;
  EXPECT_EQ(comparison.compare(small).kind, Difference::Kind::results);
}

TEST(Differential, mistakes_of_a_kernel_are_not_differences) {
  Kernel kernel = random_kernel(7);
  for (Line& line : kernel.lines) {
    if (line.text == "ret;\n}" && &line == &kernel.lines.back()) line.text = "st.global.u32 [%in+1000000], 1;\nret;\n}";
  }
  Comparison comparison;
  const Difference difference = comparison.compare(kernel);
  EXPECT_EQ(difference.kind, Difference::Kind::undefined);
  EXPECT_NE(difference.what.find("no such address"), std::string::npos) << difference.what;
}

/// What the reference says of instructions whose results were worked out by hand.
TEST(Differential, the_reference_does_what_the_manual_says) {
  const auto of = [](const std::string& opcode, const std::vector<std::string>& modifiers,
                     std::vector<uint64_t> sources) {
    Values values;
    std::copy(sources.begin(), sources.end(), values.s.begin());
    const Meaning meaning = meaning_of(opcode, modifiers, sources.size());
    if (!meaning) return uint64_t{0xdead};
    meaning(values);
    return values.d;
  };
  EXPECT_EQ(of("shf", {"r", "clamp", "b32"}, {0x11111111, 0x22222222, 40}), 0x22222222u);
  EXPECT_EQ(of("shf", {"l", "wrap", "b32"}, {0x80000000, 1, 33}), 3u);
  EXPECT_EQ(of("shr", {"s16"}, {0x8000, 100}), ~uint64_t{0});
  EXPECT_EQ(of("bfe", {"s32"}, {0x00000f00, 8, 4}), ~uint64_t{0});
  EXPECT_EQ(of("prmt", {"b32"}, {0x33221100, 0x77665544, 0x7531}), 0x77553311u);
  EXPECT_EQ(of("mul", {"hi", "s64"}, {~uint64_t{0}, 2}), ~uint64_t{0});  // -2 / 2^64
  EXPECT_EQ(of("mad", {"hi", "sat", "s32"}, {0x7fffffff, 0x7fffffff, 0x7fffffff}), 0x7fffffffu);
  EXPECT_EQ(of("fma", {"rz", "f32"}, {0x3f800001, 0x3f800001, 0}), 0x3f800002u);
  EXPECT_EQ(of("fma", {"rp", "f32"}, {0x3f800001, 0x3f800001, 0}), 0x3f800003u);
  // 2049 is halfway between two numbers of f16 and goes to the even one; a little more goes up.
  EXPECT_EQ(of("fma", {"rn", "f16"}, {0x6800, 0x3c00, 0x3c00}), 0x6800u);
  EXPECT_EQ(of("cvt", {"rn", "f16", "f64"}, {0x40a0020000001000}), 0x6801u);
  EXPECT_EQ(of("cvt", {"rzi", "s32", "f64"}, {0x7ff8000000000000}), wrapped(least(Type::s32), Type::s32));
  EXPECT_EQ(of("cvt", {"rn", "satfinite", "e4m3x2", "f32"}, {0x41880000, 0x4e6e6b28}), 0x587eu);  // 17 to 16; 1e9
  EXPECT_EQ(of("min", {"f32"}, {0x7fc00000, 0x3f800000}), 0x3f800000u);
  EXPECT_EQ(of("vadd4", {"s32", "s32", "s32", "sat"}, {0x7f01807f, 0x01ff80ff, 0}), 0x7f00807eu);
  EXPECT_EQ(of("fma", {"rn", "approx", "f32"}, {0, 0, 0}), 0xdeadu);  // not known
}

}  // namespace
}  // namespace bankshot::differential

// Random kernels: what the engine computes, on every instruction set of the host, is what a second interpreter computes.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace bankshot::differential

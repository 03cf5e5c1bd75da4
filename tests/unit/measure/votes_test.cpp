// Random votes by measurement, model and simulation: what is measured on a simulated GPU is what its description says.
#include <gtest/gtest.h>

#include "bankshot/measure/vote_check.hpp"
#include "model_runner.hpp"

namespace bankshot::measure {
namespace {

scratchpad::AtomicsModel model_of(const scratchpad::AtomicsTimes& times) {
  scratchpad::LockGeometry geometry;
  geometry.locks = *scratchpad::parse_lock_hash("none", {14, 10, 5});
  return scratchpad::lock_model(geometry, times);
}

VoteCheck checked(ModelRunner& measured, ModelRunner& simulated, const scratchpad::AtomicsTimes& model,
                  unsigned warps = 8) {
  auto check = check_votes(measured, simulated, model_of(model), 1, 1, warps);
  EXPECT_TRUE(check) << check.error().message;
  return *check;
}

TEST(MeasureVotes, a_model_of_the_gpu_measured_differs_by_nothing) {
  ModelRunner gpu, same;
  gpu.law = same.law = lock_law(kTpds);
  const VoteCheck check = checked(gpu, same, kTpds);
  // 32, 256 and 1,024 words take 8 copies, 4,096 take 2: 1 + 3 mappings, sorted and not.
  ASSERT_EQ(check.cases.size(), 4u * 7);
  EXPECT_EQ(check.cases.back().layout.copies, 2u);
  EXPECT_EQ(check.cases[1].layout.copies, 8u);
  EXPECT_EQ(check.apart(&VoteCase::model).most, 0);
  EXPECT_EQ(check.apart(&VoteCase::simulated).most, 0);
}

TEST(MeasureVotes, tells_how_far_another_model_is_off) {
  ModelRunner gpu, other;
  gpu.law = lock_law(kFsm);
  other.law = [](Access, const Pattern&) { return 59.0; };
  const VoteCheck check = checked(gpu, other, kTpds);
  // Each round takes 10 less to 2 more, each bank level 0 to 4 less: within 10 of 118.
  EXPECT_GT(check.apart(&VoteCase::model).median, 0);
  EXPECT_LE(check.apart(&VoteCase::model).most, 100 * 10 / 118.0);
  // The time of the stretched 32 words without any conflict is 118, the others take longer.
  EXPECT_GE(check.apart(&VoteCase::simulated).most, 50);
  for (const VoteCase& one : check.cases) {
    ASSERT_EQ(one.measured.size(), 8u);
    for (size_t k = 0; k < 8; ++k) EXPECT_EQ(one.simulated[k], 59);
  }
}

TEST(MeasureVotes, what_does_not_fit_is_left_out) {
  ModelRunner gpu, small;
  gpu.law = small.law = lock_law(kTpds);
  small.about.shared_bytes = 4 * (1024 + 1);
  const VoteCheck check = checked(gpu, small, kTpds);
  // 32 words, 8 copies; 256, 4 copies; 1,024, one copy only.
  ASSERT_EQ(check.cases.size(), 7u + 7 + 1);
  EXPECT_EQ(check.cases[8].layout.copies, 4u);
  for (const VoteCase& one : check.cases) EXPECT_LE(one.layout.size(), 1024u);
  small.about.shared_bytes = 4 * 20;
  EXPECT_TRUE(checked(gpu, small, kTpds).cases.empty());
  EXPECT_EQ(checked(gpu, small, kTpds).apart(&VoteCase::model).most, 0);
}

}  // namespace
}  // namespace bankshot::measure

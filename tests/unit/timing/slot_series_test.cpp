// Issue slots over the time of a launch.
#include "bankshot/timing/base/slot_series.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace bankshot::timing {
namespace {

uint64_t slots(const SlotSeries& series, size_t span, Cause cause) {
  return series.spans()[span][static_cast<unsigned>(cause)];
}

TEST(SlotSeries, counts_slots_in_the_spans_of_their_cycles) {
  SlotSeries series;
  series.add(Cause::memory, 10, 40, 2);  // 6 cycles of the first span, 16 of the second, 8 of the third
  series.add(Cause::issued, 40, 41, 1);
  series.end(41);
  EXPECT_EQ(series.cycles(), 16u);
  ASSERT_EQ(series.spans().size(), 3u);
  EXPECT_EQ(slots(series, 0, Cause::memory), 12u);
  EXPECT_EQ(slots(series, 1, Cause::memory), 32u);
  EXPECT_EQ(slots(series, 2, Cause::memory), 16u);
  EXPECT_EQ(slots(series, 2, Cause::issued), 1u);
}

TEST(SlotSeries, doubles_its_spans_when_the_launch_outlasts_them) {
  SlotSeries series;
  series.add(Cause::memory, 0, 16 * 64, 1);
  EXPECT_EQ(series.cycles(), 16u);
  EXPECT_EQ(series.spans().size(), 64u);
  series.add(Cause::barrier, 16 * 64, 16 * 64 + 1, 1);
  EXPECT_EQ(series.cycles(), 32u);
  ASSERT_EQ(series.spans().size(), 33u);
  EXPECT_EQ(slots(series, 31, Cause::memory), 32u);
  EXPECT_EQ(slots(series, 32, Cause::barrier), 1u);
}

TEST(SlotSeries, takes_slots_back) {
  SlotSeries series;
  series.add(Cause::pipeline, 0, 40, 1);
  series.add(Cause::pipeline, 20, 40, uint64_t(-1));
  series.end(20);
  ASSERT_EQ(series.spans().size(), 2u);
  EXPECT_EQ(slots(series, 1, Cause::pipeline), 4u);
}

TEST(SlotSeries, merging_sms_that_ended_at_other_times_aligns_their_spans) {
  SlotSeries series, longer;
  series.add(Cause::memory, 0, 20, 1);
  longer.add(Cause::memory, 0, 16 * 65, 1);
  series.merge(longer);
  series.end(16 * 65);
  EXPECT_EQ(series.cycles(), 32u);
  ASSERT_EQ(series.spans().size(), 33u);
  EXPECT_EQ(slots(series, 0, Cause::memory), 32u + 20);
  EXPECT_EQ(slots(series, 32, Cause::memory), 16u);
}

RC_GTEST_PROP(SlotSeries, holds_every_slot_once_in_its_span_however_it_was_counted, ()) {
  const auto length = static_cast<Cycle>(*rc::gen::inRange(1, 5000));
  SlotSeries whole, pieces, other;
  whole.add(Cause::execution, 0, length, 3);
  for (Cycle at = 0; at < length;) {
    const Cycle until = std::min(length, at + static_cast<Cycle>(*rc::gen::inRange(1, 2000)));
    (*rc::gen::arbitrary<bool>() ? pieces : other).add(Cause::execution, at, until, 3);
    at = until;
  }
  pieces.merge(other);
  pieces.end(length);
  whole.end(length);
  RC_ASSERT(pieces == whole);
  RC_ASSERT(whole.spans().size() <= SlotSeries::kMostSpans);
  for (size_t k = 0; k < whole.spans().size(); ++k)
    RC_ASSERT(slots(whole, k, Cause::execution) == 3 * std::min(whole.cycles(), length - k * whole.cycles()));
}

}  // namespace
}  // namespace bankshot::timing

// Who is where, drawn from when each sub-warp leaves the parts of the pipeline, against stages that are stepped.
#include "bankshot/timing/pipelines/stage_chart.hpp"

#include <gtest/gtest.h>

#include <random>

#include "stepped_stages.hpp"

namespace bankshot::timing {
namespace {

std::vector<uint64_t> ids(const std::vector<std::optional<SubWarp>>& stages) {
  std::vector<uint64_t> all;
  for (const auto& one : stages) all.push_back(one ? one->id : StageRow::kNobody);
  return all;
}
std::vector<uint64_t> ids(const std::deque<SubWarp>& queue) {
  std::vector<uint64_t> all;
  for (const SubWarp& one : queue) all.push_back(one.id);
  return all;
}

FetchSequence random_sequence(std::mt19937& random) {
  FetchSequence sequence;
  for (uint32_t id = 0; id < 60; ++id) {
    const unsigned kind = random() % 4;
    if (kind == 0) {
      sequence.emplace_back();
    } else {
      sequence.push_back(SubWarp{id, kind == 1, 1 + static_cast<unsigned>(random() % 5)});
    }
  }
  return sequence;
}

TEST(StageChart, every_row_is_that_of_stages_that_are_stepped) {
  std::mt19937 random(4);
  for (unsigned n = 0; n < 300; ++n) {
    const FetchSequence sequence = random_sequence(random);
    const StageShape shape{static_cast<Organisation>(n % 3),        1 + static_cast<unsigned>(random() % 6),
                           1 + static_cast<unsigned>(random() % 5), static_cast<unsigned>(random() % 4),
                           static_cast<unsigned>(random() % 4),     random() % 2 == 0};
    SteppedStages stepped(shape);
    size_t next = 0;
    Cycle cycles = 0;
    StageChart(shape, sequence).each_cycle([&](const StageRow& row) {
      const StageStall stall = stepped.step(next < sequence.size() ? sequence[next] : std::nullopt);
      next += stall == StageStall::none ? 1 : 0;
      const auto what = ::testing::Message() << "sequence " << n << ", cycle " << row.cycle;
      EXPECT_EQ(row.cycle, cycles++);
      EXPECT_EQ(row.front, ids(stepped.front())) << what;
      EXPECT_EQ(row.memory, ids(stepped.memory())) << what;
      EXPECT_EQ(row.beside, ids(stepped.beside())) << what;
      EXPECT_EQ(row.premem, ids(stepped.premem())) << what;
      EXPECT_EQ(row.nonmem, ids(stepped.nonmem())) << what;
      EXPECT_EQ(row.write_back, stepped.write_back() ? stepped.write_back()->id : StageRow::kNobody) << what;
      EXPECT_EQ(row.stall == StageStall::none, stall == StageStall::none) << what;
    });
    EXPECT_GE(next, sequence.size());
    stepped.step(std::nullopt);
    EXPECT_TRUE(stepped.is_empty()) << n;
    ASSERT_FALSE(HasFailure());
  }
}

TEST(StageChart, a_sequence_is_read_word_by_word) {
  const auto read = parse_fetches(" S3 N - M");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 4u);
  EXPECT_TRUE((*read)[0]->memory);
  EXPECT_EQ((*read)[0]->degree, 3u);
  EXPECT_FALSE((*read)[1]->memory);
  EXPECT_FALSE((*read)[2].has_value());
  EXPECT_EQ((*read)[3]->id, 3u);
  EXPECT_TRUE((*read)[3]->memory);
}

TEST(StageChart, where_nothing_is_fetched_there_is_no_row) {
  const StageChart chart(StageShape{}, {std::nullopt, std::nullopt});
  unsigned rows = 0;
  chart.each_cycle([&](const StageRow&) { ++rows; });
  EXPECT_EQ(rows, 0u);
  EXPECT_EQ(chart.last(), 0u);
}

}  // namespace
}  // namespace bankshot::timing

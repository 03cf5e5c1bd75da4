// A sample of CTAs: which they are, and the error of what is estimated from them, by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "bankshot/simt/run/cta_sample.hpp"

namespace bankshot::simt {
namespace {

std::vector<uint64_t> clusters_of(const CtaSample& sample) {
  std::vector<uint64_t> clusters;
  for (uint64_t k = 0; k < sample.count(); ++k) clusters.push_back(sample[k]);
  return clusters;
}

TEST(CtaSample, one_cta_of_each_stretch_runs) {
  // Stretches 0-2, 3-5 and 6-9; 0.618 of 3, 0.236 of 3, 0.854 of 4.
  const CtaSample sample(10, 1, 3);
  EXPECT_FALSE(sample.is_all());
  EXPECT_EQ(clusters_of(sample), (std::vector<uint64_t>{1, 3, 9}));
}

TEST(CtaSample, all_ctas_run_where_there_are_no_more) {
  for (const CtaSample& sample : {CtaSample(3, 1, 3), CtaSample(3, 1, 7), CtaSample(3, 1, 0)}) {
    EXPECT_TRUE(sample.is_all());
    EXPECT_EQ(clusters_of(sample), (std::vector<uint64_t>{0, 1, 2}));
  }
}

TEST(CtaSample, clusters_run_as_a_whole_and_there_are_at_least_two) {
  EXPECT_EQ(CtaSample(100, 4, 10).count(), 3u);  // 12 CTAs
  EXPECT_EQ(CtaSample(100, 16, 10).count(), 2u);
  EXPECT_TRUE(CtaSample(2, 16, 10).is_all());
}

TEST(CtaSample, columns_of_a_grid_are_met_evenly_whatever_their_number) {
  // A stretch is a row, so that equal places in stretches would be one column.
  for (const uint64_t columns : {16, 17, 32, 64}) {
    const CtaSample sample(columns * 256, 1, 256);
    std::vector<unsigned> met(columns);
    for (const uint64_t cluster : clusters_of(sample)) ++met[cluster % columns];
    for (const unsigned times : met) {
      EXPECT_GE(times, 256 / columns - 2) << columns;
      EXPECT_LE(times, 256 / columns + 2) << columns;
    }
  }
}

TEST(CtaSample, places_rise_and_stay_within_the_largest_grids) {
  const uint64_t most = uint64_t{1} << 62;
  uint64_t last = 0;
  const CtaSample sample(most, 1, 1000);
  for (const uint64_t cluster : clusters_of(sample)) {
    EXPECT_GT(cluster, last);
    EXPECT_LT(cluster, most);
    last = cluster;
  }
}

TEST(ClusterSpread, the_error_of_a_sum_is_that_of_students_t) {
  // 10 and 14 of 4 clusters: variance 8, so the mean has 8 / 2 · (1 - 2 / 4) = 2; Student's t is 12.706.
  ClusterSpread::Sums sums;
  sums.add(10);
  sums.add(14);
  EXPECT_NEAR(sums.error(2, 4), 12.706 * 4 * std::sqrt(2.0), 1e-9);
}

TEST(ClusterSpread, equal_clusters_have_no_error_nor_have_all_of_them) {
  ClusterSpread::Sums equal, all;
  for (int k = 0; k < 5; ++k) equal.add(uint64_t{1} << 40);
  EXPECT_EQ(equal.error(5, 1000), 0);
  all.add(1);
  all.add(9);
  EXPECT_EQ(all.error(2, 2), 0);
}

TEST(ClusterSpread, workers_are_added_up) {
  ClusterSpread::Sums one, other, both;
  one.add(3);
  other.add(8);
  other.add(4);
  both.add(3);
  both.add(8);
  both.add(4);
  one.merge(other);
  EXPECT_EQ(one.error(3, 9), both.error(3, 9));
  EXPECT_GT(one.error(3, 9), 0);
}

}  // namespace
}  // namespace bankshot::simt

#include "bankshot/sweep/engines/batches.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "bankshot/support/temporary_folder.hpp"
#include "bankshot/sweep/engines/result_lines.hpp"
#include "bankshot/sweep/engines/slurm_queue.hpp"

namespace bankshot::sweep {
namespace {

std::vector<Job> jobs(const std::vector<double>& seconds) {
  std::vector<Job> all;
  for (const double one : seconds) all.push_back({.id = all.size() + 1, .seconds = one});
  return all;
}

std::vector<size_t> sizes(const std::vector<std::vector<Job>>& tasks) {
  std::vector<size_t> all;
  for (const auto& task : tasks) all.push_back(task.size());
  return all;
}

using Sizes = std::vector<size_t>;

TEST(Batches, a_task_takes_ten_minutes) {
  // 8 x 200 s: three make 600 s.
  EXPECT_EQ(sizes(batches(jobs(std::vector(8, 200.0)), 0, 1)), (Sizes{3, 3, 2}));
}

TEST(Batches, a_longer_point_is_a_task_of_its_own) {
  const auto tasks = batches(jobs({250, 900, 250}), 0, 1);
  ASSERT_EQ(sizes(tasks), (Sizes{1, 2}));
  EXPECT_EQ(tasks[0][0].id, 2u);  // the longest first
}

TEST(Batches, no_fewer_tasks_than_can_run_at_once) {
  // 24 x 1 s on four cores: 6 s each.
  EXPECT_EQ(sizes(batches(jobs(std::vector(24, 1.0)), 0, 4)), (Sizes{6, 6, 6, 6}));
  EXPECT_EQ(sizes(batches(jobs({1, 1, 1}), 0, 100)), (Sizes{1, 1, 1}));
}

TEST(Batches, points_of_unknown_length_come_32_to_a_task) {
  EXPECT_EQ(sizes(batches(jobs(std::vector(80, 0.0)), 0, 1)), (Sizes{32, 32, 16}));
}

TEST(Batches, a_task_has_at_most_1000_points) {
  EXPECT_EQ(sizes(batches(jobs(std::vector(2500, 0.01)), 0, 1)), (Sizes{1000, 1000, 500}));
}

TEST(Batches, the_number_of_points_can_be_given) {
  EXPECT_EQ(sizes(batches(jobs({900, 900, 1, 1, 1}), 2, 100)), (Sizes{2, 2, 1}));
  EXPECT_TRUE(batches({}, 2, 1).empty());
  EXPECT_TRUE(batches({}, 0, 1).empty());
}

TEST(ResultFile, gives_each_outcome_once_and_no_half_line) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string path = folder->path() + "/results";
  const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
  const auto line = [](uint64_t id) {
    Outcome outcome;
    outcome.id = id;
    return to_line(outcome) + "\n";
  };
  const auto ids = [](const std::vector<Outcome>& outcomes) {
    std::vector<uint64_t> all;
    for (const Outcome& outcome : outcomes) all.push_back(outcome.id);
    return all;
  };
  ResultFile file(path);
  EXPECT_TRUE(file.fresh().empty());  // it is not there yet
  write(line(1) + line(2) + line(3).substr(0, 9));
  EXPECT_EQ(ids(file.fresh()), (std::vector<uint64_t>{1, 2}));
  EXPECT_TRUE(file.fresh().empty());
  write(line(1) + line(2) + line(3) + "no JSON\n" + line(4));
  EXPECT_EQ(ids(file.fresh()), (std::vector<uint64_t>{3, 4}));
  write(line(5));  // another node began anew: shorter
  EXPECT_TRUE(file.fresh().empty());
  EXPECT_EQ(ids(file.all()), (std::vector<uint64_t>{5}));
}

TEST(Slurm, knows_which_states_are_the_end) {
  EXPECT_TRUE(slurm::has_ended("TIMEOUT"));
  EXPECT_TRUE(slurm::has_ended("NODE_FAIL"));
  EXPECT_FALSE(slurm::has_ended("PENDING"));
  EXPECT_FALSE(slurm::has_ended("COMPLETING"));
  EXPECT_FALSE(slurm::has_ended("REQUEUED"));
}

TEST(Slurm, knows_what_nobody_should_wait_for) {
  EXPECT_TRUE(slurm::waits_in_vain({0, "PENDING", "PartitionConfig", false}));
  EXPECT_FALSE(slurm::waits_in_vain({0, "PENDING", "Resources", false}));
  EXPECT_FALSE(slurm::waits_in_vain({0, "RUNNING", "PartitionConfig", false}));
}

}  // namespace
}  // namespace bankshot::sweep

// What bankshot fix compares.
#include <gtest/gtest.h>

#include <vector>

#include "bankshot/fix/compare.hpp"

namespace bankshot::fix {
namespace {

WitnessedRun run() {
  WitnessedRun run;
  run.output = "a\nb\n";
  run.seen.witnesses = {{.launches = 1,
                         .dynamic_shared = {{"k", {256, 256}}},
                         .events = 1,
                         .named = {"launch of k"},
                         .digest = "d",
                         .left = {}}};
  run.seen.report.kernels.emplace_back();
  run.seen.report.kernels[0].launches = 1;
  return run;
}

TEST(Fix, equal_runs_differ_in_nothing) { EXPECT_EQ(difference(run(), run()), ""); }

TEST(Fix, the_first_difference_is_named) {
  WitnessedRun other = run();
  other.output = "a\nc\n";
  EXPECT_EQ(difference(run(), other), "standard output, line 2: 'b' and 'c'");
  other = run();
  other.output = "a\nb";  // only the last line's end
  EXPECT_EQ(difference(run(), other), "standard output, the last line's end");
  other = run();
  other.error = "oh";
  EXPECT_EQ(difference(run(), other), "standard error, line 1: nothing and 'oh'");
  other = run();
  other.seen.ending.status = 3;
  EXPECT_EQ(difference(run(), other), "exit status 0 and 3");
  other = run();
  other.seen.witnesses[0].left.push_back("device memory of 4 bytes: 00");
  EXPECT_EQ(difference(run(), other),
            "memory that is left at the end, allocation 1: nothing and 'device memory of 4 bytes: 00'");
  other.seen.witnesses[0].digest = "e";
  EXPECT_EQ(difference(run(), other), "memory, an event behind the first 1");
  other.seen.witnesses[0].events = 2;
  EXPECT_EQ(difference(run(), other), "memory, 1 and 2 events");
  other.seen.witnesses[0].named[0] = "launch of l";
  EXPECT_EQ(difference(run(), other), "memory, event 1: 'launch of k' and 'launch of l'");
  other.seen.witnesses.clear();
  EXPECT_EQ(difference(run(), other), "1 and 0 processes that used the GPU");
}

TEST(Fix, numbers_that_change_from_run_to_run_are_not_compared_and_everything_else_is) {
  WitnessedRun one = run(), two = run(), three = run();
  one.output = "sum 7\ntook 1.25e-3 s\n";
  two.output = "sum 7\ntook 3 s\n";
  const Unsteady times = unsteady(one, two);
  EXPECT_EQ(times.text(), "the numbers in line 2 of standard output");
  EXPECT_EQ(difference(one, two, times), "");
  three.output = "sum 7\ntook 99.5 s\n";
  EXPECT_EQ(difference(one, three, times), "");
  three.output = "sum 8\ntook 1 s\n";
  EXPECT_EQ(difference(one, three, times), "standard output, line 1: 'sum 7' and 'sum 8'");
  three.output = "sum 7\ntook nan s\n";
  EXPECT_EQ(difference(one, three, times), "standard output, line 2: 'took # s' and 'took nan s'");
  three.output = "sum 7\ntook 1 s";
  EXPECT_EQ(difference(one, three, times), "standard output, the last line's end");
  two.output = "sum 7\nfailed after 3 s\n";  // more than numbers
  EXPECT_EQ(difference(one, two, unsteady(one, two)),
            "standard output, line 2: 'took 1.25e-3 s' and 'failed after 3 s'");
}

TEST(Fix, rejects_runs_whose_memory_nobody_saw) {
  EXPECT_EQ(unproved(run()), "");
  WitnessedRun other = run();
  other.seen.report.kernels[0].launches = 2;
  EXPECT_EQ(unproved(other),
            "2 launches ran, and of 1 it is known what they left in memory: a process did not come to an orderly end");
}

TEST(Fix, dynamic_shared_memory_is_that_of_the_largest_launch) {
  EXPECT_EQ(dynamic_shared(run(), "k").most, 256u);
  EXPECT_EQ(dynamic_shared(run(), "kk").most, 0u);
}

}  // namespace
}  // namespace bankshot::fix

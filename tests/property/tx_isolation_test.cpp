// Transactions on shared memory are isolated: random programs, under random schedules and all organisations of conflict
// detection, do what their transactions do one after the other in the order of their commits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/property/tx_seeds.hpp"

namespace bankshot::simt::tx {
namespace {

void expect_isolation(unsigned lanes, unsigned usual) {
  Machine machine;
  machine.warp_size = lanes;
  Driver driver(machine);
  const Seeds seeds(usual, std::to_string(lanes));
  for (uint64_t seed = seeds.first; seed != seeds.end; ++seed) {
    std::mt19937_64 random(seed);
    const uint32_t threads = random_threads(random, lanes);
    const tx::Program program = random_program(random(), threads);
    ASSERT_EQ(driver.in_both_ways(program, random), "")
        << "seed " << seed << ", " << program.ctas << " CTAs of " << program.threads << " threads\n"
        << ptx(program);
  }
  const scratchpad::TxTotals& totals = driver.totals();
  EXPECT_EQ(totals.lanes, totals.commits + totals.aborts);
  EXPECT_EQ(totals.aborts, totals.conflicts + totals.killed);
  if (seeds.end - seeds.first < 50) return;
  // It says something only where all that can happen does.
  EXPECT_GT(totals.commits, 10'000u / kSlower);
  EXPECT_GT(totals.aborts, totals.commits / 2);
  EXPECT_GT(totals.false_conflicts, 0u);
  EXPECT_GT(totals.read_conflicts, 0u);
  EXPECT_GT(totals.warp_serialised, 0u);
  EXPECT_GT(totals.cta_serialised, 0u);
  EXPECT_GT(totals.killed, 0u);
}

TEST(TxIsolation, of_warps_of_4_lanes) { expect_isolation(4, 1600); }
TEST(TxIsolation, of_warps_of_8_lanes) { expect_isolation(8, 1600); }
TEST(TxIsolation, of_warps_of_32_lanes) { expect_isolation(32, 1000); }
TEST(TxIsolation, of_warps_of_64_lanes) { expect_isolation(64, 600); }

/// Programs of three CTAs, in the engine and on a chip with one SM of a GPU that we ship. @param changes  of its
/// description
void expect_isolation_on(const std::string& name, std::vector<std::string> changes) {
  const std::string which = text(name, changes);
  changes.push_back("gpu.sms=1");
  const auto gpu = load(name, changes);
  ASSERT_TRUE(gpu) << which;
  Driver driver(gpu->machine);
  const Seeds seeds(48, which);
  for (uint64_t seed = seeds.first; seed != seeds.end; ++seed) {
    std::mt19937_64 random(seed);
    const uint32_t threads = std::min(random_threads(random, gpu->machine.warp_size), gpu->max_threads_per_block);
    const tx::Program program = random_program(random(), threads, 3);
    const std::string where = which + ", seed " + std::to_string(seed) + ", " + std::to_string(threads) + " threads\n";
    ASSERT_EQ(driver.as_usual(program), "") << where << ptx(program);
    ASSERT_EQ(driver.on_chip(program, *gpu->timing), "") << where << ptx(program);
  }
}

TEST(TxIsolation, on_the_gpu_of_the_paper) {
  expect_isolation_on("southern-islands-lds", {});
  expect_isolation_on("southern-islands-lds", {"transactions.detection=exact", "transactions.sets=separate"});
  expect_isolation_on("southern-islands-lds", {"transactions.filter_bits=4", "issue.policy=gto"});
  expect_isolation_on("southern-islands-lds",
                      {"transactions.filter_hash=multiply", "transactions.sets=separate", "issue.schedulers=1"});
  expect_isolation_on("southern-islands-lds", {"transactions.warps=one"});
}

TEST(TxIsolation, on_gpus_of_other_schedulers_and_atomics) {
  expect_isolation_on("h100", {});
  expect_isolation_on("h100", {"transactions.unit=perfect", "issue.policy=two-level", "issue.width=2"});
  expect_isolation_on("gtx480", {"transactions.detection=exact", "issue.policy=lrr"});
  expect_isolation_on("k20", {"transactions.filter_bits=32", "transactions.filter_hash=xor"});
}

TEST(TxIsolation, on_the_elastic_pipeline) {
  expect_isolation_on("cf11", {});
  expect_isolation_on("cf11", {"issue.pipeline=elastic", "transactions.sets=separate"});
  expect_isolation_on(
      "cf11", {"issue.pipeline=elastic", "issue.policy=lrr", "issue.commit=reorder", "transactions.detection=exact"});
  expect_isolation_on("cf11", {"issue.pipeline=elastic", "issue.policy=gto", "issue.commit=hold", "issue.aware=last"});
}

}  // namespace
}  // namespace bankshot::simt::tx

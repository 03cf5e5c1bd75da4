// Transactions on shared and global memory are isolated from those of all CTAs: random programs, under random schedules
// and on simulated GPUs with several SMs, do what their transactions do one after the other in the order of their
// commits.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/property/tx_seeds.hpp"

namespace bankshot::simt::tx {
namespace {

void expect_global_isolation(unsigned lanes, unsigned usual) {
  Machine machine;
  machine.warp_size = lanes;
  Driver driver(machine);
  const Seeds seeds(usual, "global" + std::to_string(lanes));
  for (uint64_t seed = seeds.first; seed != seeds.end; ++seed) {
    std::mt19937_64 random(seed);
    const uint32_t threads = random_threads(random, lanes), ctas = 1 + static_cast<uint32_t>(random() % 4);
    const tx::Program program = random_program(random(), threads, ctas, true);
    ASSERT_EQ(driver.in_both_ways(program, random), "")
        << "seed " << seed << ", " << program.ctas << " CTAs of " << program.threads << " threads\n"
        << ptx(program);
  }
  const scratchpad::TxTotals& totals = driver.totals();
  EXPECT_EQ(totals.lanes, totals.commits + totals.aborts);
  EXPECT_EQ(totals.aborts, totals.conflicts + totals.killed + totals.invalid);
  if (seeds.end - seeds.first < 30) return;
  // It says something only where all that can happen does.
  EXPECT_GT(totals.commits, 5'000u / kSlower);
  EXPECT_GT(totals.invalid, totals.commits / 10);
  EXPECT_GT(totals.conflicts, totals.commits / 4);
  EXPECT_GT(totals.warp_serialised, 0u);
  EXPECT_GT(totals.cta_serialised, 0u);
  EXPECT_GT(totals.killed, 0u);
}

TEST(TxGlobalIsolation, of_warps_of_4_lanes) { expect_global_isolation(4, 300); }
TEST(TxGlobalIsolation, of_warps_of_8_lanes) { expect_global_isolation(8, 240); }
TEST(TxGlobalIsolation, of_warps_of_32_lanes) { expect_global_isolation(32, 100); }
TEST(TxGlobalIsolation, of_warps_of_64_lanes) { expect_global_isolation(64, 48); }

/// Programs of several CTAs, in the engine and on a chip of several SMs. @param changes  of the GPU's description
void expect_global_isolation_on(const std::string& name, std::vector<std::string> changes) {
  const std::string which = text(name, changes);
  changes.push_back("gpu.sms=3");
  const auto gpu = load(name, changes);
  ASSERT_TRUE(gpu) << which;
  Driver driver(gpu->machine);
  const Seeds seeds(12, "global " + which);
  for (uint64_t seed = seeds.first; seed != seeds.end; ++seed) {
    std::mt19937_64 random(seed);
    const uint32_t threads = std::min(random_threads(random, gpu->machine.warp_size), gpu->max_threads_per_block);
    const tx::Program program = random_program(random(), threads, 2 + static_cast<uint32_t>(random() % 5), true);
    const std::string where = which + ", seed " + std::to_string(seed) + ", " + std::to_string(program.ctas) +
                              " CTAs of " + std::to_string(threads) + " threads\n";
    ASSERT_EQ(driver.as_usual(program), "") << where << ptx(program);
    ASSERT_EQ(driver.on_chip(program, *gpu->timing), "") << where << ptx(program);
  }
  if (seeds.end - seeds.first < 10) return;
  EXPECT_GT(driver.on_chips().conflicts, 100u) << which;
  EXPECT_GT(driver.on_chips().invalid, 100u) << which;
}

TEST(TxGlobalIsolation, on_the_gpu_of_the_paper) {
  expect_global_isolation_on("southern-islands-lds", {});
  expect_global_isolation_on("southern-islands-lds", {"transactions.detection=exact", "transactions.sets=separate"});
  expect_global_isolation_on("southern-islands-lds", {"transactions.filter_bits=4", "issue.policy=gto"});
  expect_global_isolation_on("southern-islands-lds", {"transactions.warps=one"});
}

TEST(TxGlobalIsolation, on_gpus_of_other_schedulers_and_memories) {
  expect_global_isolation_on("h100", {});
  expect_global_isolation_on("h100", {"transactions.unit=perfect", "issue.policy=two-level", "issue.width=2"});
  expect_global_isolation_on("gtx480", {"transactions.detection=exact", "issue.policy=lrr"});
  expect_global_isolation_on("k20", {"transactions.filter_bits=32", "transactions.filter_hash=xor"});
}

TEST(TxGlobalIsolation, on_the_elastic_pipeline) {
  expect_global_isolation_on("cf11", {});
  expect_global_isolation_on(
      "cf11", {"issue.pipeline=elastic", "issue.policy=lrr", "issue.commit=reorder", "transactions.sets=separate"});
  expect_global_isolation_on("cf11",
                             {"issue.pipeline=elastic", "issue.policy=gto", "issue.commit=hold", "issue.aware=last"});
}

}  // namespace
}  // namespace bankshot::simt::tx

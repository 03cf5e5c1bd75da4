// What `bankshot simulate` prints of launches made up by hand.
#include <gtest/gtest.h>

#include "bankshot/report/text/comparison_text.hpp"
#include "bankshot/report/text/text.hpp"
#include "timing_fixture.hpp"

namespace bankshot::report {
namespace {

std::string text(const RunReport& report, unsigned top = 10) {
  return to_text(report, {.top = top, .read_sources = false});
}

/// The report with other counters of its kernel.
std::string text_of(const std::function<void(timing::Counters&)>& change) {
  RunReport report = made_simulation();
  change(report.kernels[0].timing->counters);
  return text(report);
}

bool has(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }

TEST(ReportTimingText, tells_speed_causes_conflicts_and_memory) {
  EXPECT_EQ(text(made_simulation()), R"(bankshot: ./app on Test GPU, simulated, accesses as written in the PTX
2 SMs at 1 GHz; scheduler lrr, pipeline queued, atomics native, bank hash none

scale(float*, int)
  1 launch, grid (4,2), block (32,8)
  cycles                         100 0.10 us at 1 GHz
  instructions                    40 warp                 1,280 thread
  IPC                          0.250 warp instructions a cycle of an active SM, 0.40 of the chip
  SMs                              2 of 2 had a CTA, 80.0 % of all SM cycles were active
  occupancy                     10.0 of 48 warps on average; 4 CTAs of 8 warps fit on an SM (limit: registers)
  issue slots of active SMs, and of the chip, by their use
     25.0 %  #####                  20.0 %  issued an instruction
     62.5 %  #############          50.0 %  waiting for data from shared memory
     12.5 %  ###                    30.0 %  no warp to issue from
  shared memory                    4 accesses, busy in 60.6 % of the active cycles
  wavefronts                      97 needed                   4 ideal
  conflicts                       93 wavefronts; their cycles: 80 exposed, 13 hidden
  do bank conflicts cost anything? Yes: in 50.0 % of its active cycles an SM waits for them.
    Without conflicts it would save at most these cycles directly; a run with --bank-hash xor shows the whole gain.
  L1                              10 loads, 50.0 % hit, 10.0 % join a fetch under way
  L2 reads                         4 sectors, 25.0 % hit
  DRAM                           3.8 GB/s of 8.0 (48.0 %); 12 bursts read, 0 written, 75.0 % row hits

      slots waited  of active    conflicts      exposed  line that waited
                95     59.4 %           93           80  kernel.cu:8
      mostly for: waiting for data from shared memory
                 5      3.1 %            0            0  kernel.cu:7
      mostly for: waiting for data from shared memory
)");
}

TEST(ReportTimingText, hidden_conflicts_cost_nothing) {
  const std::string all = text_of([](timing::Counters& c) {
    c.conflict_cycles_hidden = 93;
    c.conflict_cycles_exposed = 0;
  });
  EXPECT_TRUE(has(all, "do bank conflicts cost anything? No: other work hides all 93 cycles of them.\n")) << all;
}

TEST(ReportTimingText, less_than_a_percent_hardly_costs) {
  const std::string all = text_of([](timing::Counters& c) { c.conflict_cycles_exposed = 1; });
  EXPECT_TRUE(
      has(all, "do bank conflicts cost anything? Hardly: in 0.6 % of its active cycles an SM waits for them.\n"))
      << all;
}

TEST(ReportTimingText, conflicts_that_the_atomics_unit_does_not_charge_cost_nothing) {
  const std::string all = text_of([](timing::Counters& c) { c.shared_wavefronts = 4; });
  EXPECT_TRUE(has(all, "do bank conflicts cost anything? No: the atomics unit does not charge the ")) << all;
  EXPECT_FALSE(has(all, "exposed, "));
}

// Rounds are lost where atomics go over locks; elsewhere nobody goes round, and there is no lock to hash.
TEST(ReportTimingText, rounds_of_locks_are_told_beside_conflicts) {
  RunReport report = made_simulation();
  timing::Counters& c = report.kernels[0].timing->counters;
  c.slots[static_cast<unsigned>(timing::Cause::atomic)] = c.slots[0];  // 20 % of the old slots, so 1 / 6 of all
  EXPECT_FALSE(has(text(report), "Retries of atomics")) << "native";
  report.machine->atomics = "lock";
  report.machine->lock_hash = "xor";
  EXPECT_TRUE(has(text(report), "Retries of atomics are not counted here: 16.7 % of the issue slots wait"))
      << text(report);
  EXPECT_TRUE(has(text(report), "bank hash none, lock hash xor\n"));
}

TEST(ReportTimingText, what_was_not_used_is_not_told) {
  const std::string all = text_of([](timing::Counters& c) {
    c.shared_accesses = c.l1_loads = c.l2_reads = c.dram_reads = 0;
    c.l2_writes = 1;
  });
  EXPECT_TRUE(has(all, "  shared memory is not used\n"));
  EXPECT_FALSE(has(all, "L1 ")) << all;
  EXPECT_FALSE(has(all, "DRAM")) << all;
  EXPECT_TRUE(has(all, "  L2 writes                        1 sector, 0.0 % hit\n")) << all;
}

TEST(ReportTimingText, a_grid_smaller_than_the_chip_is_told) {
  RunReport report = made_simulation();
  KernelTiming& timing = *report.kernels[0].timing;
  timing.launches[0].grid = {1, 1, 1};
  EXPECT_TRUE(has(text(report),
                  "  SMs                              1 of 2 had a CTA, 80.0 % of all SM cycles were active; the grid "
                  "is smaller than the chip\n"));
  timing.launches.push_back(timing.launches[0]);
  timing.launches[1].grid = {1, 3, 1};
  EXPECT_TRUE(has(text(report), " 2 of 2 had a CTA in the largest launch, 80.0 % of all SM cycles were active\n"));
}

TEST(ReportTimingText, a_hash_is_not_proposed_where_there_is_one) {
  RunReport report = made_simulation();
  report.machine->bank_hash = "xor";
  EXPECT_TRUE(has(text(report), "    Without conflicts it would save at most these cycles directly.\n"));
}

TEST(ReportTimingText, banks_that_outlive_their_ctas_are_not_busier_than_always) {
  EXPECT_TRUE(has(text_of([](timing::Counters& c) { c.active_cycles = 90; }), "busy in 100.0 % of the active cycles"));
}

TEST(ReportTimingText, several_kernels_are_summed_up_first) {
  RunReport report = made_simulation();
  EXPECT_FALSE(has(text(report), "kernels"));
  const timing::LaunchTiming timing = made_timing();
  for (int k = 0; k < 2; ++k) report.add(made_launch({}), "other", {4, 2, 1}, {32, 8, 1}, {}, &timing);
  EXPECT_TRUE(has(text(report), "bank hash none\n2 kernels, 3 launches: 300 cycles, 0.30 us\n\nscale")) << text(report);
}

TEST(ReportTimingText, a_stopped_launch_is_partial) {
  RunReport report = made_simulation();
  report.kernels[0].timing->partial_launches = 1;
  EXPECT_TRUE(has(text(report), "  partial: 1 launch was stopped before its end; the numbers cover what ran\n"));
}

TEST(ReportTimingText, top_limits_the_lines) {
  const std::string all = text(made_simulation(), 1);
  EXPECT_TRUE(has(all, "data from shared memory\n    1 line waited less (--top 2 shows all)\n")) << all;
  EXPECT_FALSE(has(text(made_simulation(), 0), "slots waited"));
}

TEST(ReportTimingText, a_launch_without_cycles_divides_by_nothing) {
  RunReport report = made_simulation();
  report.kernels[0].timing = KernelTiming();
  EXPECT_TRUE(has(text(report), "  cycles                           0 0.00 us at 1 GHz\n"));
}

TEST(ReportComparison, has_a_line_for_each_gpu_and_the_speedup_over_the_first) {
  RunReport slow = made_simulation(), fast = made_simulation();
  fast.gpu = "Fast GPU";
  fast.machine->core_khz = 2 * slow.machine->core_khz;
  fast.kernels[0].timing->counters.cycles = 40;
  const std::vector<std::string> gpus = {"slow", "fast"};
  const std::vector<RunReport> reports = {slow, fast};
  EXPECT_EQ(comparison_text(gpus, reports, {}), R"(bankshot: ./app on 2 GPUs, simulated
slow: Test GPU, 2 SMs at 1 GHz; scheduler lrr, pipeline queued, atomics native, bank hash none
fast: Fast GPU, 2 SMs at 2 GHz; scheduler lrr, pipeline queued, atomics native, bank hash none

scale(float*, int), 1 launch
  GPU           cycles         time   speedup    IPC  slots without an instruction, mostly
  slow             100      0.10 us    1.00 ×   0.25  waiting for data from shared memory (62 %)
  fast              40      0.02 us    5.00 ×   0.25  waiting for data from shared memory (62 %)
)");
}

TEST(ReportComparison, says_where_a_kernel_did_not_run_and_sums_up_several) {
  RunReport both = made_simulation(), one = made_simulation();
  both.kernels.push_back(both.kernels[0]);
  both.kernels[1].name = "other";
  both.kernels[1].demangled = "other()";
  const std::vector<std::string> gpus = {"a", "b"};
  const std::vector<RunReport> reports = {both, one};
  const std::string all = comparison_text(gpus, reports, {});
  EXPECT_TRUE(has(all, "other(), 1 launch\n")) << all;
  EXPECT_TRUE(has(all, "  b       did not run\n")) << all;
  EXPECT_TRUE(has(all, "all kernels\n")) << all;
  EXPECT_TRUE(has(all, "  a               200      0.20 us    1.00 ×")) << all;
  EXPECT_TRUE(has(all, "  b               100      0.10 us    2.00 ×")) << all;
}

}  // namespace
}  // namespace bankshot::report

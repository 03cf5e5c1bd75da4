// What `bankshot simulate` prints of launches made up by hand.
#include <gtest/gtest.h>

#include "bankshot/report/text.hpp"
#include "report_timing_fixture.hpp"

namespace bankshot::report {
namespace {

std::string text(const RunReport& report, unsigned top = 10) { return to_text(report, {.top = top, .read_sources = false}); }

/// The report with other counters of its kernel.
std::string text_of(const std::function<void(timing::Counters&)>& change) {
  RunReport report = made_simulation();
  change(report.kernels[0].timing->counters);
  return text(report);
}

bool has(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }

TEST(ReportTimingText, tells_speed_causes_conflicts_and_memory) {
  EXPECT_EQ(text(made_simulation()), R"(bankshot: ./app on Test GPU, simulated
2 SMs at 1 GHz; scheduler lrr, pipeline split, atomics native, bank hash none

scale(float*, int)
  1 launch, grid (4,2), block (32,8)
  cycles                         100 0.10 us at 1 GHz
  instructions                    40 warp                 1,280 thread
  IPC                          0.200 warp instructions a cycle of an SM, 0.40 of the chip
  occupancy                      8.0 of 48 warps on average; 4 CTAs of 8 warps fit on an SM (limit: registers)
  issue slots by what became of them
     20.0 %  ####                  issued an instruction
     50.0 %  ##########            data from shared memory is waited for
     30.0 %  ######                no warp is there
  shared memory                    4 accesses, busy in 48.5 % of the time
  wavefronts                      97 needed                   4 ideal
  conflicts                       93 wavefronts; their cycles: 80 exposed, 13 hidden
  do the conflicts cost anything? Yes: in 40.0 % of its time an SM waits for them.
  L1                              10 loads, 50.0 % hit, 10.0 % join a fetch under way
  L2 reads                         4 sectors, 25.0 % hit
  DRAM                           3.8 GB/s of 8.0 (48.0 %); 12 bursts read, 0 written, 75.0 % row hits

      slots waited   of all  mostly for         conflicts      exposed  line that waited
                95   47.5 %  scratchpad                93           80  kernel.cu:8
                 5    2.5 %  scratchpad                 0            0  kernel.cu:7
)");
}

TEST(ReportTimingText, hidden_conflicts_cost_nothing) {
  const std::string all = text_of([](timing::Counters& c) {
    c.conflict_cycles_hidden = 93;
    c.conflict_cycles_exposed = 0;
  });
  EXPECT_TRUE(has(all, "do the conflicts cost anything? No: other work hides all 93 cycles of them.\n")) << all;
}

TEST(ReportTimingText, less_than_a_percent_hardly_costs) {
  const std::string all = text_of([](timing::Counters& c) { c.conflict_cycles_exposed = 1; });
  EXPECT_TRUE(has(all, "do the conflicts cost anything? Hardly: in 0.5 % of its time an SM waits for them.\n")) << all;
}

TEST(ReportTimingText, conflicts_that_the_atomics_unit_does_not_charge_cost_nothing) {
  const std::string all = text_of([](timing::Counters& c) { c.shared_wavefronts = 4; });
  EXPECT_TRUE(has(all, "do the conflicts cost anything? No: the atomics unit does not charge the ")) << all;
  EXPECT_FALSE(has(all, "exposed, "));
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

TEST(ReportTimingText, a_stopped_launch_is_partial) {
  RunReport report = made_simulation();
  report.kernels[0].timing->partial_launches = 1;
  EXPECT_TRUE(has(text(report), "  partial: 1 launch was stopped before its end, the numbers are of what ran\n"));
}

TEST(ReportTimingText, top_limits_the_lines) {
  const std::string all = text(made_simulation(), 1);
  EXPECT_TRUE(has(all, "kernel.cu:8\n    1 line waited less (--top 2 shows all)\n")) << all;
  EXPECT_FALSE(has(text(made_simulation(), 0), "slots waited"));
}

TEST(ReportTimingText, a_launch_without_cycles_divides_by_nothing) {
  RunReport report = made_simulation();
  report.kernels[0].timing = KernelTiming();
  EXPECT_TRUE(has(text(report), "  cycles                           0 0.00 us at 1 GHz\n"));
}

}  // namespace
}  // namespace bankshot::report

// A simulated launch made up for the tests of the report: numbers that keep the laws, small enough to work out by hand.
#pragma once

#include "bankshot/report/run/run_report.hpp"
#include "fixture.hpp"

namespace bankshot::report {

/// 2 SMs with one scheduler at 1 GHz; a DRAM channel of 8 bytes a cycle at 1 GHz: 8 GB/s.
inline SimulatedMachine made_machine() {
  SimulatedMachine machine;
  machine.scheduler = "lrr";
  machine.pipeline = "queued";
  machine.atomics = "native";
  machine.core_khz = 1'000'000;
  machine.sms = 2;
  machine.max_warps = 48;
  machine.dram_khz = 1'000'000;
  machine.dram_burst_bytes = 32;
  machine.dram_burst_cycles = 4;
  return machine;
}

/// 100 cycles of 2 SMs: 200 slots, 40 issued, 100 waited for shared memory, 60 without a warp. Line 8 of kernel.cu has
/// two instructions, line 7 one.
inline timing::LaunchTiming made_timing() {
  timing::LaunchTiming launch;
  timing::Counters& c = launch.counters;
  c.cycles = 100;
  c.sm_cycles = 200;
  c.active_cycles = 160;
  c.warp_instructions = c.machine_instructions = 40;
  c.thread_instructions = 1280;
  c.slots[static_cast<unsigned>(timing::Cause::issued)] = 40;
  c.slots[static_cast<unsigned>(timing::Cause::scratchpad)] = 100;
  c.slots[static_cast<unsigned>(timing::Cause::no_warp)] = 60;
  timing::SlotSeries::Slots at_first{}, then{};  // cycles 0 to 63 and 64 to 99
  at_first[static_cast<unsigned>(timing::Cause::issued)] = 30;
  at_first[static_cast<unsigned>(timing::Cause::scratchpad)] = 70;
  at_first[static_cast<unsigned>(timing::Cause::no_warp)] = 28;
  for (unsigned k = 0; k < timing::kCauses; ++k) then[k] = c.slots[k] - at_first[k];
  launch.over_time = {64, {at_first, then}};
  c.ctas = 8;
  c.warp_cycles = 1600;
  c.shared_accesses = 4;
  c.shared_wavefronts = 97;
  c.shared_ideal = 4;
  c.shared_busy_cycles = 97;
  c.conflict_cycles_exposed = 80;
  c.conflict_cycles_hidden = 13;
  c.bank_lanes[3] = 128;
  c.l1_loads = 10;
  c.l1_load_hits = 5;
  c.l1_load_merged = 1;
  c.l1_load_misses = 4;
  c.l2_reads = 4;
  c.l2_read_hits = 1;
  c.l2_read_misses = 3;
  c.dram_reads = 12;
  c.dram_row_hits = 9;
  c.dram_row_misses = 3;
  launch.ctas_per_sm = 4;
  launch.warps_per_cta = 8;
  launch.limited_by = "registers";
  const auto line = [&](uint32_t ptx_line, const char* op, uint64_t issued, uint64_t waited, uint64_t exposed) {
    timing::LineTiming one{{"kernel.cu", ptx_line / 10, ptx_line}, op, {}};
    one.counters.issued = issued;
    one.counters.slots[0] = issued;
    one.counters.slots[static_cast<unsigned>(timing::Cause::scratchpad)] = waited;
    one.counters.conflict_cycles = exposed == 0 ? 0 : 93;
    one.counters.exposed = exposed;
    launch.lines.push_back(one);
  };
  line(70, "st.shared.f32", 10, 5, 0);
  line(86, "add.f32", 10, 65, 0);
  line(88, "ld.shared.f32", 20, 30, 80);
  return launch;
}

/// One simulated launch of a kernel with 93 conflicts at line 8.
inline RunReport made_simulation() {
  RunReport report;
  report.program = "./app";
  report.gpu = "Test GPU";
  report.machine = made_machine();
  const timing::LaunchTiming timing = made_timing();
  report.add(made_launch({column(88, 3), row()}), "_Z5scalePfi", {4, 2, 1}, {32, 8, 1}, {}, &timing);
  return report;
}

}  // namespace bankshot::report

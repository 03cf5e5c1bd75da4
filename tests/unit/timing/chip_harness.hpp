// Simulates a kernel given as PTX text on a small machine whose numbers are easy to add up.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bankshot/timing/chip/chip.hpp"
#include "parameters.hpp"

namespace bankshot::timing {

inline ChipOptions one_thread() {
  ChipOptions options;
  options.threads = 1;
  return options;
}

/// One SM with one scheduler. Integer results after 4 cycles, shared data after 10, constants after 5; nothing else
/// takes more than its cycle. Memory: 8 cycles each way, 20 in the second-level cache.
inline Config small_machine() {
  Config config;
  config.sms = 1;
  config.max_warps = 48;
  config.l2_bytes = 64 * 1024;
  config.issue.barrier_cycles = 1;
  config.issue.branch_cycles = 0;
  for (UnitConfig& unit : config.units) unit = {1, 32, 4};
  config.load_store = {32, 4, 5, 64};
  config.scratchpad.latency = 10;
  config.l1 = {.bytes = 16 * 1024, .carveouts_kb = {}, .latency = 12, .mshrs = 32};
  config.interconnect.latency = 8;
  return config;
}

class ChipTest : public ::testing::Test {
 protected:
  /// A module of one kernel `k` with a pointer parameter `out` and this body.
  static std::string kernel(const std::string& body, const std::string& before = {}) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n" + before +
           "\n.visible .entry k(.param .u64 out) {\n.reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .pred %p<8>; .reg .f32 "
           "%f<40>;\n" +
           body + "\n}\n";
  }

  simt::Engine& engine() {
    if (!engine_) {
      simt::EngineOptions options;
      options.threads = 1;
      options.machine.warp_size = config.warp_size;
      options.machine.scratchpad = config.rules;
      options.machine.transactions = transactions;
      options.observer = observer;
      options.machine_code = machine_code;
      options.timing = machine_code != 0;
      engine_ = std::make_unique<simt::Engine>(options);
    }
    return *engine_;
  }

  /// Loads and simulates `k` with a zeroed buffer of `words`; what it leaves there is in `out`.
  Result<SimulatedLaunch, simt::Fault> simulate(const std::string& text, simt::Dim3 grid, simt::Dim3 block,
                                                size_t words = 64, unsigned ctas_per_sm = 8) {
    auto program = engine().load(text, "test.ptx");
    if (!program) {
      ADD_FAILURE() << format_diagnostics(program.error(), "test.ptx", text);
      return simt::Fault{};
    }
    if (!chip) chip = std::make_unique<Chip>(config, options);
    const uint64_t buffer = *engine().memory().allocate(words * 4, simt::MemoryKind::device);
    simt::LaunchConfig launch;
    launch.grid = grid;
    launch.block = block;
    launch.cluster = cluster;
    launch.params = std::as_bytes(std::span(&buffer, 1));
    auto result = chip->launch(engine(), **program, "k", launch, {ctas_per_sm, "CTA slots"});
    out.resize(words);
    std::memcpy(out.data(), reinterpret_cast<const void*>(buffer), words * 4);
    engine().memory().free(buffer);
    return result;
  }

  /// Cycles of a launch of one warp; every law of conservation is looked at on the way.
  Cycle cycles(const std::string& body, simt::Dim3 block = {32, 1, 1}, simt::Dim3 grid = {1, 1, 1}) {
    return cycles_of_text(kernel(body), block, grid);
  }
  Cycle cycles_of_text(const std::string& text, simt::Dim3 block, simt::Dim3 grid) {
    const auto result = simulate(text, grid, block, 4096);
    if (!result) {
      ADD_FAILURE() << result.error().message;
      return 0;
    }
    last = *result;
    expect_conservation(last.timing.counters);
    return last.timing.counters.cycles;
  }

  void expect_conservation(const Counters& c) const {
    uint64_t slots = 0;
    for (const uint64_t cause : c.slots) slots += cause;
    EXPECT_EQ(slots, uint64_t{config.sms} * config.issue.schedulers * config.issue.width * c.cycles);
    EXPECT_EQ(c.slots[0], c.machine_instructions);
    EXPECT_EQ(c.conflict_cycles_exposed + c.conflict_cycles_hidden, c.shared_wavefronts - c.shared_ideal);
    EXPECT_EQ(c.shared_busy_cycles, c.shared_wavefronts + c.tx_access_cycles);
    EXPECT_EQ(c.l1_loads, c.l1_load_hits + c.l1_load_merged + c.l1_load_misses);
    EXPECT_EQ(c.packets_to_memory, c.packets_to_sms);
    EXPECT_EQ(c.packets_to_memory, c.l1_load_misses + c.l1_stores + c.l1_atomics);
    EXPECT_EQ(c.l2_reads, c.l2_read_hits + c.l2_read_merged + c.l2_read_misses);
    EXPECT_EQ(c.l2_writes, c.l2_write_hits + c.l2_write_misses);
    EXPECT_EQ(c.dram_reads + c.dram_writes, c.dram_row_hits + c.dram_row_misses);
    EXPECT_EQ(c.sm_cycles, config.sms * c.cycles);
    EXPECT_LE(c.active_cycles, c.sm_cycles);
    EXPECT_LE(c.conflict_cycles_exposed, c.active_cycles);
    EXPECT_LE(c.warp_cycles, config.max_warps * c.active_cycles);
  }

  static void expect_same(const SimulatedLaunch& a, const SimulatedLaunch& b) {
    for (const CounterName& counter : counter_names()) {
      EXPECT_EQ(a.timing.counters.*counter.value, b.timing.counters.*counter.value) << counter.name;
    }
    EXPECT_EQ(a.timing.counters.slots, b.timing.counters.slots);
    for (const scratchpad::TxCounterName& counter : scratchpad::tx_counter_names()) {
      EXPECT_EQ(a.stats.transactions.*counter.value, b.stats.transactions.*counter.value) << counter.name;
    }
  }

  /// What runs next is of `config` as it is now, the engine too.
  void renew() {
    chip.reset();
    engine_.reset();
  }

  uint64_t slots(Cause cause) const { return last.timing.counters.slots[static_cast<unsigned>(cause)]; }

  Config config = small_machine();
  scratchpad::TxConfig transactions;  ///< of the engine, as `config` is of the chip
  ChipOptions options = one_thread();
  simt::TransactionObserver* observer = nullptr;  ///< of what runs next
  unsigned machine_code =
      0;  ///< of the engine: instructions are those of machine code for this architecture, as expected
  std::unique_ptr<Chip> chip;
  SimulatedLaunch last;
  simt::Dim3 cluster;
  std::vector<uint32_t> out;

 private:
  std::unique_ptr<simt::Engine> engine_;
};

}  // namespace bankshot::timing

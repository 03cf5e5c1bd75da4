// What a chip consists of and where its launch stands: of chip.cpp and chip_ctas.cpp alone.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "bankshot/simt/run/launch.hpp"
#include "bankshot/support/thread_pool.hpp"
#include "bankshot/timing/chip/chip.hpp"
#include "bankshot/timing/chip/sampling.hpp"
#include "bankshot/timing/memory/host_places.hpp"
#include "bankshot/timing/memory/partition.hpp"
#include "bankshot/timing/sm/sm.hpp"

namespace bankshot::timing {

/// Launches that are taken to be alike: the program's serial, the kernel, grid, block and bytes of shared memory.
using LaunchKind = std::tuple<uint64_t, uint32_t, std::array<uint32_t, 6>, uint32_t>;

/// Nothing crosses the interconnect in less than its latency, so SMs and partitions may advance that far on their own:
/// a quantum. What is sent in one is received in the next.
struct Chip::State {
  /// A partition, and the boxes in which its answers lie, by SM: one is read while the other is filled.
  struct Memory {
    unsigned channel;
    Partition partition;
    std::array<std::vector<std::vector<Packet>>, 2> outbox;
    std::vector<Packet> answers;
    bool has_sent = false;
  };

  State(const Config& given, ChipOptions chosen) : config(given), options(std::move(chosen)) { build(); }

  void build() {
    sms.clear();
    memories.clear();
    for (unsigned k = 0; k < config.sms; ++k) sms.emplace_back(config, k);
    for (unsigned k = 0; k < config.dram.channels; ++k) {
      memories.push_back({k, Partition(config), {}, {}, false});
      for (auto& box : memories.back().outbox) box.resize(config.sms);
    }
    is_clean = true;
  }

  const Config config;
  ChipOptions options;
  std::deque<Sm> sms;
  std::deque<Memory> memories;
  ThreadPool pool;
  std::unordered_map<uint64_t, Operations> programs;  ///< by LoadedProgram::serial
  HostPlaces host;
  Cycle time = 0;        ///< where the next launch begins
  Cycle used = 0;        ///< cycles of all launches
  bool is_clean = true;  ///< nothing is under way: not so after a launch that did not come to its end
  std::map<LaunchKind, LaunchSample> samples;  ///< with options.sample
  simt::LaunchResources functional;            ///< for CTAs that are not simulated

  // Of the launch.
  const simt::Launch* launch = nullptr;
  uint64_t ctas = 0, next_cta = 0;  ///< those that have started
  CtaPlan plan;                     ///< which are left out
  uint64_t skip_to = 0;             ///< CTAs below run functionally, now
  uint64_t skipped = 0;             ///< have done so
  uint32_t cluster = 1;             ///< CTAs of one
  Cycle begin = 0, quantum = 0;     ///< start of the launch, of the quantum
  Cycle limit = kNever;             ///< where max_cycles are used up
  Cycle quantum_end = 0;
  unsigned parity = 0;
  bool stopped = false;
  const simt::Fault* fault = nullptr;
  std::vector<simt::Output> outputs;          ///< what CTAs have printed
  std::vector<Sm::Pending> order;             ///< room
  std::vector<std::vector<Packet>> arrivals;  ///< by SM: room
  std::vector<uint64_t> seen;                 ///< by SM: generation of the memory of which it keeps lookups
  std::chrono::steady_clock::time_point told{};

  void set_up(const simt::LaunchSetup& setup, const simt::Launch& launch, const Residency& residency);
  void part(unsigned k);
  void sm_part(Sm& sm);
  void notice_frees(Sm& sm);
  void memory_part(Memory& memory);
  bool between();
  bool go_on();
  bool skip(simt::ClusterRunner& runner);
  bool starts_next();
  bool l2_is_settled() const;
  void perform_pending();
  void share_ports();
  bool find_fault();
  void dispatch(Cycle at);
  void dispatch_clusters(Cycle at);
  void check_clusters();
  bool break_deadlock();
  bool is_finished() const;
  bool choose_next_quantum();
  Cycle next_event() const;
  void tell(bool at_end);
  uint64_t warp_instructions();
  Cycle end_of_launch();
  void drain(Cycle from);
  SimulatedLaunch result(const simt::LaunchSetup& setup, Cycle end, std::vector<simt::Worker>& functional_workers);
};

}  // namespace bankshot::timing

// The simulated GPU: SMs, interconnect, memory partitions. Launches run on it one after the other.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bankshot/simt/run/engine.hpp"
#include "bankshot/timing/base/config.hpp"
#include "bankshot/timing/chip/launch_timing.hpp"

namespace bankshot::timing {

/// Launch progress.
struct ChipProgress {
  uint64_t ctas_done = 0, ctas = 0;
  Cycle cycles = 0;  ///< of this launch
  uint64_t warp_instructions = 0;
};

struct ChipOptions {
  unsigned threads = 0;       ///< host threads; 0: all cores
  Cycle max_cycles = kNever;  ///< of all launches together, without the time between them; then a launch stops, partial
  bool sample = false;        ///< part of the work runs functionally, and its cycles are estimated: sampling.hpp
  Cycle timeline_cycles = 0;  ///< spans are kept of what begins in so many cycles from the first CTAs on
  const std::atomic<bool>* stop = nullptr;            ///< looked at now and then: true stops the launch, partial
  std::function<void(const ChipProgress&)> progress;  ///< called at times, by one thread, and at the end of a launch
};

/// What one CTA of a kernel takes of an SM, and how many fit.
struct Residency {
  unsigned ctas_per_sm = 1;
  std::string limited_by;  ///< "registers" …
};

/// A launch that came to its end or was stopped.
struct SimulatedLaunch {
  simt::LaunchStats stats;  ///< as of Engine::launch; sites counted under the chip's own rules, hash included
  LaunchTiming timing;
};

/// Results and counters do not depend on the number of threads. The chip's time goes on from launch to launch and the
/// second-level cache keeps what it has; the first-level caches start empty.
class Chip {
 public:
  /// @param config  checked: names of components exist (find_… of the registries)
  Chip(const Config& config, ChipOptions options);
  ~Chip();

  /// Runs a kernel to its end, as Engine::launch does, with the same effects on memory for programs without data races.
  /// Not thread-safe. @return counters, or the fault that came first in time, of equals on the lowest SM
  Result<SimulatedLaunch, simt::Fault> launch(simt::Engine& engine, simt::Program& program, std::string_view kernel,
                                              const simt::LaunchConfig& launch, const Residency& residency);

  /// A copy or fill between launches has written global memory. Copies go through the second-level cache, which has the
  /// last of it as written when the next launch begins. Takes no time. Source: as GPGPU-Sim (perf_sim_memcpy).
  /// @param address  in the memory of the engine whose kernels are launched
  void copied(const simt::Memory& memory, uint64_t address, uint64_t bytes);

  const Config& config() const;
  Cycle cycles() const;  ///< of all launches

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bankshot::timing

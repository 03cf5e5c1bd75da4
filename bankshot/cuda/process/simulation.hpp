// The simulated GPU of a process: what launches run on when the request asks for it.
#pragma once

#include <string>
#include <string_view>

#include "bankshot/cuda/process/progress.hpp"
#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/report/json/timeline_json.hpp"
#include "bankshot/timing/chip/chip.hpp"

namespace bankshot::cuda {

class ReportFile;

class Simulation {
 public:
  /// @param threads  of the host, 0: all cores @param progress  outlives this
  Simulation(const timing::Config& config, const SimulateRequest& request, unsigned threads, Progress& progress);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  /// That of this process, or null.
  static Simulation* current();

  /// As timing::Chip::copied.
  void copied(const simt::Memory& memory, uint64_t address, uint64_t bytes) { chip_.copied(memory, address, bytes); }
  /// As timing::Chip::launch. A SIGINT that HeldInterrupt holds stops it. Writes the timeline if one is wanted.
  Result<timing::SimulatedLaunch, simt::Fault> launch(simt::Engine& engine, simt::Program& program,
                                                      const std::string& kernel, const simt::LaunchConfig& config,
                                                      const timing::Residency& residency);

  const timing::Config& config() const { return chip_.config(); }

  /// That all launches so far have taken on the simulated GPU.
  double seconds() const { return (static_cast<double>(chip_.cycles()) + skipped_) / (1e3 * chip_.config().core_khz); }

  /// Whether the process has to end: it was interrupted, or max_cycles have passed.
  bool is_over(const timing::LaunchTiming& last) const;
  /// Ends it, with the report as it is: by SIGINT, or with kStoppedStatus.
  [[noreturn]] void end_process(ReportFile& report);

 private:
  void write_timeline();

  double skipped_ = 0;  ///< estimated cycles of the part that was not simulated

  Progress& progress_;
  timing::Chip chip_;
  report::TimelineJson timeline_;
  std::string timeline_path_;  ///< empty until it is first written
};

}  // namespace bankshot::cuda

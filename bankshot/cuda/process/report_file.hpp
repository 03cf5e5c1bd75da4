// The report of this process, for `bankshot explain`: report-<pid>.json in the report folder of the request.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "bankshot/timing/chip/launch_timing.hpp"

namespace bankshot::cuda {

/// Collects launches and writes them to a temporary file that is then renamed: at the end of the process, and after
/// every launch as long as that costs little, so that a killed program loses nothing or little. Does nothing if no
/// report is wanted.
class ReportFile {
 public:
  ReportFile();
  ~ReportFile();

  /// Additional data of a simulated launch.
  struct Simulated {
    const timing::Config& config;
    const timing::LaunchTiming& timing;
  };
  /// @param kernel  mangled @param module  that it is of @param facts  for this launch @param simulated  null if it was
  /// not
  void add(const gpu::Gpu& gpu, const std::string& kernel, const report::ModuleId& module, simt::Dim3 grid,
           simt::Dim3 block, const simt::LaunchStats& stats, const report::KernelFacts& facts,
           const Simulated* simulated = nullptr);

  /// Notes a launch that failed. @param kernel  mangled, empty if it is not known
  void add_failed(const gpu::Gpu& gpu, std::string_view kernel, std::string_view reason);

  /// Writes the current state; the file says that the program did not finish. Postponed while writing has taken more
  /// than a small share of the time since the first launch and the last write is less than a quarter of a second ago.
  void refresh();
  /// Writes the whole report, if there was a launch. @param gpu  null if it is unknown; else there may be findings
  /// without a launch
  void finish(const gpu::Gpu* gpu);
  /// The same for a process that ends prematurely.
  void stop();

 private:
  struct Contents;
  Contents* contents(const gpu::Gpu& gpu);
  void write(bool ended);

  std::unique_ptr<Contents> contents_;  ///< null until the first launch
  bool dirty_ = false;
  std::chrono::steady_clock::time_point begun_{}, written_{};
  std::chrono::steady_clock::duration spent_{};  ///< on writing
};

}  // namespace bankshot::cuda

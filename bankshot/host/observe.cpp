#include "bankshot/host/observe.hpp"

#include "bankshot/host/signals.hpp"

namespace bankshot::host {

Result<Observation> observe(const Setup& setup, const std::vector<std::string>& command, const LaunchOptions& options) {
  const Signals held;  // or Ctrl-C would leave the folder behind
  const Result<ReportFolder> folder = ReportFolder::make();
  if (!folder) return folder.error();
  Setup own = setup;
  own.request.report_folder = folder->path();
  const Result<Ending> ending = launch(own.target, own.environment(), options);
  if (!ending) return ending.error();
  // Nothing is written to the terminal before the folder is gone: a closed pipe would end us.
  Observation seen{folder->collect(), *ending};
  report::RunReport& report = seen.report;
  report.program = command[0];
  report.partial |= ending->signal != 0;
  if (report.kernels.empty()) {
    report.gpu = setup.gpu.name;
    report.warp_size = setup.gpu.machine.warp_size;
    report.machine_code = setup.request.joined ? setup.gpu.machine_code() : 0;
    report.checked = setup.request.machine_code == cuda::UseOfMachineCode::accesses;
    report.rules = setup.gpu.machine.scratchpad;
    if (setup.request.l1) report.l1 = setup.gpu.l1_rules();
  }
  return seen;
}

}  // namespace bankshot::host

#include "bankshot/cli/observe.hpp"

#include <cstdio>

#include "bankshot/cli/report_folder.hpp"
#include "bankshot/cli/signals.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::cli {

Result<Observation> observe(Setup& setup, const std::vector<std::string>& command, const ObserveOptions& options) {
  const Signals held;  // or Ctrl-C would leave the folder behind
  const Result<ReportFolder> folder = ReportFolder::make();
  if (!folder) return folder.error();
  setup.environment["BANKSHOT_COUNT"] = "1";
  setup.environment["BANKSHOT_REPORT_DIR"] = folder->path();
  if (options.trace_accesses != 0) setup.environment["BANKSHOT_TRACE"] = std::to_string(options.trace_accesses);
  const Result<Ending> ending = launch(setup.target, setup.environment, options.launch);
  if (!ending) return ending.error();
  // Nothing is written to the terminal before the folder is gone: a closed pipe would end us.
  Observation seen{*ending, {}, {}, folder->timelines()};
  seen.report = folder->collect(seen.problems);
  seen.report.program = command[0];
  seen.report.partial |= ending->signal != 0;
  if (seen.report.kernels.empty()) {
    seen.report.gpu = setup.gpu.name;
    seen.report.warp_size = setup.gpu.machine.warp_size;
    seen.report.rules = setup.gpu.machine.scratchpad;
  }
  return seen;
}

void say_how_it_ended(const Setup& setup, const Ending& ending) {
  if (const std::string killed = killed_text(setup.target, ending); !killed.empty()) {
    std::fprintf(stderr, "bankshot: %s\n", killed.c_str());
  }
  if (ending.signal == 0 && ending.status != 0) {
    std::fprintf(stderr, "bankshot: %s ended with status %d\n", setup.target.path.c_str(), ending.status);
  }
}

bool say_failed_launches(const report::RunReport& report) {
  const uint64_t failed = report.failed_launches();
  if (failed == 0) return false;
  std::fprintf(stderr, "bankshot: %s %s of a kernel failed\n", report::grouped(failed).c_str(),
               failed == 1 ? "launch" : "launches");
  return true;
}

}  // namespace bankshot::cli

#include "bankshot/host/observe.hpp"

#include <algorithm>

#include "bankshot/host/signals.hpp"
#include "bankshot/support/digest.hpp"

namespace bankshot::host {

namespace {

/// Notes which instructions had hashes of their own. An error if no kernel that ran is in the file.
void add_hashes(const Setup& setup, Observation& seen) {
  report::RunReport& report = seen.report;
  size_t found = 0;
  for (report::Kernel& kernel : report.kernels) {
    const auto hashed = std::ranges::find_if(setup.hashes.kernels, [&](const report::HashedKernel& one) {
      return one.name == kernel.name && one.module == kernel.module.digest;
    });
    if (hashed == setup.hashes.kernels.end()) {
      if (!kernel.sites.empty()) report.without_hashes.push_back(kernel.demangled);
      continue;
    }
    ++found;
    for (report::Site& site : kernel.sites) {
      for (const report::HashedInstructions& one : hashed->hashes) {
        if (std::ranges::find(one.ptx_lines, site.source.ptx_line) != one.ptx_lines.end()) site.hash = one.hash;
      }
    }
  }
  if (found == 0 && !report.is_partial()) {
    seen.lost.push_back("none of the kernels that ran is in " + setup.request.instruction_hashes +
                        ", so nothing was counted under its hashes; trace and search this program again");
    return;
  }
  report.instruction_hashes = setup.request.instruction_hashes;
  if (Digest digest; digest.add_file(report.instruction_hashes)) report.instruction_hashes_digest = digest.text();
  if (report.machine) report.machine->bank_hash = "by instruction";
}

}  // namespace

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
  if (!own.request.instruction_hashes.empty()) add_hashes(own, seen);
  return seen;
}

}  // namespace bankshot::host

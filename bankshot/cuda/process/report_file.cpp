#include "bankshot/cuda/process/report_file.hpp"

#include <errno.h>

#include <cstdlib>
#include <string>

#include "bankshot/cuda/process/checking.hpp"
#include "bankshot/cuda/process/hand_in.hpp"
#include "bankshot/cuda/process/process_id.hpp"
#include "bankshot/cuda/process/request.hpp"
#include "bankshot/report/json/json.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::cuda {
namespace {

/// Time that writing may take: a little at once, for programs of a few hundred launches, then a share of all the time.
constexpr std::chrono::milliseconds kFree{50}, kLongest{250};
constexpr int kShare = 50;

}  // namespace

struct ReportFile::Contents {
  report::RunReport report;
  std::string path;
  pid_t pid = 0;  ///< of the process that launched: a fork's child does not write its parent's launches
};

ReportFile::ReportFile() = default;
ReportFile::~ReportFile() = default;

/// Makes them at the first launch of a process. @return null if no report is wanted
ReportFile::Contents* ReportFile::contents(const gpu::Gpu& gpu) {
  if (contents_ && contents_->pid == process_id()) return contents_.get();
  if (process_request().report_folder.empty()) return nullptr;
  note_begun();
  begun_ = std::chrono::steady_clock::now();
  contents_ = std::make_unique<Contents>();
  contents_->pid = process_id();
  contents_->path = free_path("report");
  contents_->report.program = program_invocation_name;
  contents_->report.gpu = gpu.name;
  contents_->report.warp_size = gpu.machine.warp_size;
  contents_->report.machine_code = process_request().joined ? gpu.machine_code() : 0;
  contents_->report.checked = process_request().machine_code == UseOfMachineCode::accesses;
  contents_->report.rules = gpu.machine.scratchpad;
  contents_->report.sample_ctas = process_request().sample_ctas;
  if (process_request().l1) contents_->report.l1 = gpu.l1_rules();
  return contents_.get();
}

void ReportFile::add(const gpu::Gpu& gpu, const std::string& kernel, const report::ModuleId& module, simt::Dim3 grid,
                     simt::Dim3 block, const simt::LaunchStats& stats, const report::KernelFacts& facts,
                     const Simulated* simulated) {
  if (Contents* all = contents(gpu)) {
    if (simulated) {
      all->report.machine = report::machine_of(simulated->config, gpu.machine.transactions);
      all->report.rules = simulated->config.rules;
    }
    all->report.add(stats, kernel, grid, block, module, simulated ? &simulated->timing : nullptr, facts);
    dirty_ = true;
    refresh();
  }
}

void ReportFile::add_failed(const gpu::Gpu& gpu, std::string_view kernel, std::string_view reason) {
  if (Contents* all = contents(gpu)) {
    all->report.add_failed(kernel, reason);
    dirty_ = true;
    refresh();
  }
}

void ReportFile::refresh() {
  if (!dirty_) return;
  const auto now = std::chrono::steady_clock::now();
  if (spent_ > kFree + (now - begun_) / kShare && now - written_ < kLongest) return;
  write(false);
}

void ReportFile::finish(const gpu::Gpu* gpu) {
  if (gpu != nullptr && checks() != nullptr) contents(*gpu);  // leaks need no launch
  if (contents_) write(true);
}

void ReportFile::stop() {
  if (contents_) write(false);
}

void ReportFile::write(bool ended) {
  if (contents_->pid != process_id()) return;
  const auto start = std::chrono::steady_clock::now();
  contents_->report.partial = !ended;
  if (const simt::Checks* const all = checks()) {
    contents_->report.checks = all->options();
    contents_->report.findings = all->findings();
  }
  hand_in(Output::report, contents_->path, report::to_json(contents_->report));
  dirty_ = false;
  written_ = std::chrono::steady_clock::now();
  spent_ += written_ - start;
}

}  // namespace bankshot::cuda

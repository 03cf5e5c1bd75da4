#include "bankshot/cuda/process/simulation.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "bankshot/cuda/process/hand_in.hpp"
#include "bankshot/cuda/process/interrupt.hpp"
#include "bankshot/cuda/process/report_file.hpp"
#include "bankshot/cuda/process/request.hpp"

namespace bankshot::cuda {
namespace {

timing::ChipOptions options(const SimulateRequest& request, unsigned threads, Progress& progress) {
  timing::ChipOptions options;
  options.threads = threads;
  options.max_cycles = request.max_cycles;
  options.sample = request.sample;
  options.timeline_cycles = request.timeline_cycles;
  options.stop = &HeldInterrupt::flag();
  options.progress = [&progress](const timing::ChipProgress& now) { progress.update(now); };
  return options;
}

Simulation* of_process = nullptr;

}  // namespace

Simulation::Simulation(const timing::Config& config, const SimulateRequest& request, unsigned threads,
                       Progress& progress)
    : progress_(progress), chip_(config, options(request, threads, progress)) {
  of_process = this;
}
Simulation::~Simulation() { of_process = nullptr; }
Simulation* Simulation::current() { return of_process; }

/// Whether launches of this process are simulated: for programs that load the library as a driver.
extern "C" __attribute__((visibility("default"))) bool bankshot_simulates() {
  return process_request().simulate.has_value();
}

Result<timing::SimulatedLaunch, simt::Fault> Simulation::launch(simt::Engine& engine, simt::Program& program,
                                                                const std::string& kernel,
                                                                const simt::LaunchConfig& config,
                                                                const timing::Residency& residency) {
  const timing::Cycle start = chip_.cycles();
  auto launch = chip_.launch(engine, program, kernel, config, residency);
  progress_.end();
  if (launch && launch->timing.sampled)
    skipped_ += launch->timing.sampled->cycles - static_cast<double>(launch->timing.counters.cycles);
  if (launch && !launch->timing.timeline.empty()) {
    timeline_.add(kernel, launch->timing, start);
    write_timeline();
  }
  return launch;
}

void Simulation::write_timeline() {
  if (process_request().report_folder.empty()) return;
  if (timeline_path_.empty()) timeline_path_ = free_path("timeline");
  hand_in(Output::timeline, timeline_path_, timeline_.text());
}

bool Simulation::is_over(const timing::LaunchTiming& last) const { return last.partial || HeldInterrupt::flag(); }

void Simulation::end_process(ReportFile& report) {
  report.stop();
  if (HeldInterrupt::flag()) end_by_interrupt();
  flush_files();
  // No destructors and no handlers: they may call us, and wait for the session for ever.
  for (;;) syscall(SYS_exit_group, kStoppedStatus);
}

}  // namespace bankshot::cuda

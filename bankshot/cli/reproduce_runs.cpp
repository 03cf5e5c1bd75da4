#include "bankshot/cli/reproduce_runs.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>

#include "bankshot/cli/gate.hpp"
#include "bankshot/cli/observe.hpp"
#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/report/run/pattern_set.hpp"

namespace bankshot::cli {
namespace {

constexpr unsigned kTraced = 1 << 16;  // different accesses kept of each instruction: all of them in what we run

/// What a program writes, of interest only if it fails: it is the same warnings over and over, of its PTX on an old
/// GPU.
class Said {
 public:
  Said() : descriptor_(memfd_create("said", MFD_CLOEXEC)) {}
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;
  ~Said() { close(descriptor_); }

  int descriptor() const { return descriptor_; }
  /// Prints it to standard error.
  void show() const {
    char text[4096];
    off_t at = 0;
    for (ssize_t got; (got = pread(descriptor_, text, sizeof text, at)) > 0; at += got)
      std::fwrite(text, 1, static_cast<size_t>(got), stderr);
  }

 private:
  int descriptor_;
};

std::vector<std::string> command_of(const experiment::Benchmark& benchmark, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {
      (std::filesystem::path(library_folder()).parent_path() / "kernels" / benchmark.program).string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace

Result<scratchpad::PatternSet> ExperimentRuns::trace(const experiment::Benchmark& benchmark,
                                                     const std::vector<std::string>& arguments) {
  const Command command = command_of(benchmark, arguments);
  const std::pair key{command, benchmark.kernel};
  if (const auto known = sets_.find(key); known != sets_.end()) return known->second;
  const Result<report::RunReport> report = kernel_of(benchmark, command, std::nullopt);
  if (!report) return report.error();
  Result<scratchpad::PatternSet> patterns = report::pattern_set(report->rules, report->kernels);
  if (patterns) sets_.emplace(key, *patterns);
  return patterns;
}

Result<experiment::Simulated> ExperimentRuns::simulate(const experiment::Benchmark& benchmark,
                                                       const std::vector<std::string>& arguments,
                                                       const experiment::Machine& machine) {
  const Result<report::RunReport> report = kernel_of(benchmark, command_of(benchmark, arguments), machine);
  if (!report) return report.error();
  experiment::Simulated sum;
  for (const report::Kernel& kernel : report->kernels) {
    if (!kernel.timing) continue;
    timing::add(sum, kernel.timing->counters);
    scratchpad::add(sum.transactions, kernel.transactions);
  }
  return sum;
}

Result<report::RunReport> ExperimentRuns::kernel_of(const experiment::Benchmark& benchmark, const Command& command,
                                                    const Simulated& machine) {
  const std::pair key{command, machine};
  if (!runs_.contains(key)) {
    Result<report::RunReport> report = run(command, machine);
    if (!report) return report.error();
    runs_.emplace(key, std::move(*report));
  }
  report::RunReport report = runs_.at(key);
  if (!benchmark.kernel.empty()) {
    if (const std::string reason = keep_kernels(report, {benchmark.kernel}); !reason.empty()) return Error{reason};
  }
  return report;
}

Result<report::RunReport> ExperimentRuns::run(const Command& command, const Simulated& machine) {
  if (access(command[0].c_str(), X_OK) != 0) {
    return Error{command[0] + " is not built; `make build` builds our kernels where nvcc or clang-19 is on PATH"};
  }
  RunOptions options = options_;
  options.bank_hash = machine ? machine->bank_hash : "";
  Result<Setup> setup = set_up(options, command);
  if (!setup) return setup.error();
  ObserveOptions how{.launch = {}, .trace_accesses = kTraced};
  if (machine) {
    cuda::SimulateRequest request;
    request.atomics = machine->atomics;
    request.lock_hash = machine->lock_hash;
    request.set = machine->set;
    const Result<timing::Config> config = cuda::simulated_config(setup->gpu, request, machine->bank_hash);
    if (!config) return config.error();
    setup->environment[cuda::kSimulateVariable] = cuda::to_text(request);
    how.trace_accesses = 0;
  }
  Said said;
  how.launch.output = how.launch.error = said.descriptor();
  const Result<Observation> seen = observe(*setup, command, how);
  if (!seen) return seen.error();
  interrupted_ |= seen->ending.signal == SIGINT;
  if (interrupted_) return Error{"interrupted"};
  if (seen->ending.shell_status() != 0 || seen->report.is_partial()) {
    said.show();
    return Error{command[0] + " failed"};
  }
  return seen->report;
}

}  // namespace bankshot::cli

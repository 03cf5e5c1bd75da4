#include "bankshot/cli/commands/reproduce_runs.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "bankshot/cli/base/keep_kernels.hpp"
#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/fix/prove.hpp"
#include "bankshot/fix/source.hpp"
#include "bankshot/host/captured.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/regions/by_instruction.hpp"
#include "bankshot/report/json/json.hpp"
#include "bankshot/report/run/pattern_set.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/support/installation.hpp"
#include "bankshot/support/temporary_folder.hpp"

namespace bankshot::cli {
namespace {

constexpr unsigned kTraced = 1 << 16;  // different accesses kept of each instruction: all of them in what we run

std::vector<std::string> command_of(const experiment::Benchmark& benchmark, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {program_of(benchmark)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::optional<Error> is_missing(const std::vector<std::string>& command) {
  if (access(command[0].c_str(), X_OK) == 0) return {};
  return Error{command[0] + " is not built; `make build` builds our kernels where nvcc or clang-19 is on PATH"};
}

void add(experiment::KernelForm& sum, const fix::Form& form) {
  sum.cycles += form.cycles.value_or(0);
  sum.warp_instructions += form.warp_instructions;
  sum.load_conflicts += form.loads.conflicts();
  sum.store_conflicts += form.stores.conflicts();
}

/// "a; b"
void append(std::string& list, const std::string& text) { list += (list.empty() ? "" : "; ") + text; }

/// Which arrays have which hashes or paddings, or why not.
void describe(const fix::ArrayPlan& array, experiment::FixedKernel& fixed) {
  const std::string name = fix::source_name(array.array.name);
  if (array.tried[fix::Remedy::hash].rewritten) {
    append(fixed.hashes, name + " " + scratchpad::spec(array.hash->hash));
  } else if (array.before.conflicts() != 0) {
    const auto& refusal = array.left_alone ? array.left_alone : array.tried[fix::Remedy::hash].refusal;
    append(fixed.left_alone, name + ": " + (refusal ? refusal->reason : "no hash of the class reduces its conflicts"));
  }
  if (array.tried[fix::Remedy::padding].rewritten) {
    append(fixed.paddings, fmt::format("{} rows of {} + {} words", name, array.padding->row, array.padding->words));
  }
}

/// The kernels of a plan that have `part` in their name, together.
experiment::FixedKernel fixed_kernel(const fix::Plan& plan, const std::string& part) {
  experiment::FixedKernel fixed;
  const auto is_meant = [&](const fix::KernelPlan& kernel) {
    return kernel.kernel.demangled.find(part) != std::string::npos;
  };
  const auto form_of = [&](fix::Remedy remedy) -> std::optional<experiment::KernelForm> {
    experiment::KernelForm sum;
    bool is_rewritten = false;
    for (const fix::KernelPlan& kernel : plan.kernels) {
      if (!is_meant(kernel)) continue;
      is_rewritten |= kernel.is_rewritten(remedy);
      add(sum, kernel.is_rewritten(remedy) ? kernel.forms[remedy] : kernel.original);
    }
    return is_rewritten ? std::optional(sum) : std::nullopt;
  };
  for (const fix::KernelPlan& kernel : plan.kernels) {
    if (!is_meant(kernel)) continue;
    add(fixed.original, kernel.original);
    for (const fix::ArrayPlan& array : kernel.arrays) describe(array, fixed);
  }
  fixed.hash = form_of(fix::Remedy::hash);
  fixed.padding = form_of(fix::Remedy::padding);
  return fixed;
}

}  // namespace

ExperimentRuns::ExperimentRuns(const RunOptions& options, sweep::Store* store) : options_(options), store_(store) {
  if (store_ == nullptr) return;
  for (const std::string& library : sweep::model_libraries()) digests_.watch(library);
}

std::string program_of(const experiment::Benchmark& benchmark) { return kernel_folder() + "/" + benchmark.program; }

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

Result<report::InstructionPatterns> ExperimentRuns::trace_by_instruction(const experiment::Benchmark& benchmark,
                                                                         const std::vector<std::string>& arguments) {
  const Command command = command_of(benchmark, arguments);
  if (const auto error = is_missing(command)) return *error;
  RunOptions options = options_;
  options.warns = false;
  Result<host::Setup> setup = set_up(options, command);
  if (!setup) return setup.error();
  setup->request.trace_accesses = kTraced;
  setup->request.modules = true;
  Result<host::Observation> seen = observe(*setup, command);
  if (!seen) return seen.error();
  if (!benchmark.kernel.empty()) {
    if (const std::string reason = keep_kernels(seen->report, {benchmark.kernel}); !reason.empty())
      return Error{reason};
  }
  return regions::by_instruction(seen->report, seen->ptx);
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

Result<experiment::FixedKernel> ExperimentRuns::fix(const experiment::Benchmark& benchmark,
                                                    const std::vector<std::string>& arguments,
                                                    const std::string& hash_class) {
  if (!benchmark.set.empty())
    return Error{"`set` changes a simulated GPU, but a program is fixed for a GPU as its file describes it"};
  const Result<const fix::Plan*> all = plan(command_of(benchmark, arguments), hash_class);
  if (!all) return all.error();
  experiment::FixedKernel fixed = fixed_kernel(**all, benchmark.kernel);
  if (fixed.original.cycles == 0) {  // nothing was rewritten, hence nothing simulated
    const Result<experiment::Simulated> simulated = simulate(benchmark, arguments, {});
    if (!simulated) return simulated.error();
    fixed.original.cycles = simulated->cycles;
  }
  return fixed;
}

Result<const fix::Plan*> ExperimentRuns::plan(const Command& command, const std::string& hash_class) {
  const std::pair key{command, hash_class};
  if (const auto known = plans_.find(key); known != plans_.end()) return &known->second;
  if (const auto error = is_missing(command)) return *error;
  RunOptions run = options_;
  run.without_machine_code = true;
  const Result<host::Setup> setup = set_up(run, command);
  if (!setup) return setup.error();
  fix::FixOptions options;
  options.hash_class = hash_class;
  const Result<fix::Fixed, fix::Failure> fixed = fix::fix_program(*setup, command, options);
  if (!fixed) {
    interrupted_ |= fixed.error().kind == fix::Failure::Kind::interrupted;
    return Error{command[0] + ": " + fixed.error().why};
  }
  if (!fixed->plan.no_cycles.empty()) return Error{command[0] + ": " + fixed->plan.no_cycles};
  return &plans_.emplace(key, fixed->plan).first->second;
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
  if (const auto error = is_missing(command)) return *error;
  RunOptions options = options_;
  options.bank_hash = machine ? machine->bank_hash : "";
  std::optional<TemporaryFolder> folder;
  if (machine && !machine->instruction_hashes.empty()) {
    Result<TemporaryFolder> made = TemporaryFolder::make();
    if (!made) return made.error();
    folder.emplace(std::move(*made));
    options.bank_hash.clear();
    options.instruction_hashes = folder->path() + "/hashes.json";
    if (const auto error = host::write_file(options.instruction_hashes, machine->instruction_hashes)) return *error;
  }
  options.warns = false;  // our own programs check their results
  Result<host::Setup> setup = set_up(options, command);
  if (!setup) return setup.error();
  setup->request.trace_accesses = kTraced;
  if (machine) {
    cuda::SimulateRequest request;
    request.atomics = machine->atomics;
    request.lock_hash = machine->lock_hash;
    request.set = machine->set;
    const Result<timing::Config> config =
        cuda::simulated_config(setup->gpu, request, options.bank_hash, !options.instruction_hashes.empty());
    if (!config) return config.error();
    setup->request.simulate = request;
    setup->request.trace_accesses = 0;
  }
  return stored(*setup, command, options.bank_hash);
}

Result<report::RunReport> ExperimentRuns::stored(host::Setup& setup, const Command& command,
                                                 const std::string& bank_hash) {
  const auto observed = [&]() -> Result<report::RunReport> {
    Result<host::Observation> seen = observe(setup, command);
    if (!seen) return seen.error();
    return std::move(seen->report);
  };
  if (store_ == nullptr) return observed();
  const Result<std::string> machine = sweep::machine_text(setup.gpu, setup.request.simulate, bank_hash);
  if (!machine) return machine.error();
  sweep::RunIdentity run;
  run.program = digests_.program(command[0]);
  run.arguments.assign(command.begin() + 1, command.end());
  if (!setup.request.instruction_hashes.empty()) run.inputs = {digests_.file(setup.request.instruction_hashes)};
  run.machine = *machine;
  run.mode = sweep::mode_text(setup.request);
  sweep::Point point;
  point.key = sweep::key_of(run);
  point.task.command = command;
  point.task.gpu = setup.request.gpu;
  digests_.watch(setup.request.gpu);
  sweep::Outcome outcome;
  try {
    outcome.id = store_->enter(point);
    if (const std::optional<std::string> known = store_->report(outcome.id)) {
      Result<report::RunReport> report = report::from_json(*known);
      if (report) return report;
    }
  } catch (const sweep::StoreError& error) {
    lose_store(error.what());
    return observed();
  }
  const auto start = std::chrono::steady_clock::now();
  Result<report::RunReport> report = observed();
  if (!report || is_changed(command[0], setup.request.gpu)) return report;
  outcome.kernels = sweep::kernels_of(*report);
  outcome.core_khz = report->machine ? report->machine->core_khz : 0;
  outcome.report = report::to_json(*report);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  try {
    store_->record(outcome);
  } catch (const sweep::StoreError& error) {
    lose_store(error.what());
  }
  return report;
}

bool ExperimentRuns::is_changed(const std::string& program, const std::string& gpu) const {
  std::vector<std::string> files = sweep::model_libraries();
  files.insert(files.end(), {program, gpu});
  return std::ranges::any_of(files, [&](const std::string& file) { return digests_.has_changed(file); });
}

void ExperimentRuns::lose_store(const std::string& why) {
  std::fprintf(stderr, "bankshot: note: results are no longer kept: %s\n", why.c_str());
  store_ = nullptr;
}

Result<host::Observation> ExperimentRuns::observe(host::Setup& setup, const Command& command) {
  // Of interest only if the program fails: it is the same warnings over and over, of its PTX on an old GPU.
  const Result<host::Captured> said = host::Captured::make();
  if (!said) return said.error();
  Result<host::Observation> seen =
      host::observe(setup, command, {.output = said->descriptor(), .error = said->descriptor()});
  if (!seen) return seen.error();
  interrupted_ |= seen->ending.signal == SIGINT;
  if (interrupted_) return Error{"interrupted"};
  if (!seen->lost.empty()) return Error{seen->lost[0]};
  if (seen->ending.shell_status() != 0 || seen->report.is_partial()) {
    std::fputs(said->text().c_str(), stderr);
    return Error{command[0] + " failed"};
  }
  return seen;
}

}  // namespace bankshot::cli

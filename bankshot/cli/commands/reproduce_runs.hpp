// The runs of our own programs that experiments ask for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/cli/base/run_options.hpp"
#include "bankshot/experiment/experiment.hpp"
#include "bankshot/fix/plan.hpp"
#include "bankshot/host/observe.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/sweep/store/store.hpp"

namespace bankshot::cli {

/// The program of a benchmark, a path.
std::string program_of(const experiment::Benchmark& benchmark);

/// Runs our own programs on one GPU and keeps what they did: several benchmarks are kernels of one run, and several
/// hash functions find the same hash.
class ExperimentRuns {
 public:
  /// @param store  of results that earlier runs left, and where those of this one go; null: none
  ExperimentRuns(const RunOptions& options, sweep::Store* store);

  Result<scratchpad::PatternSet> trace(const experiment::Benchmark& benchmark,
                                       const std::vector<std::string>& arguments);

  Result<report::InstructionPatterns> trace_by_instruction(const experiment::Benchmark& benchmark,
                                                           const std::vector<std::string>& arguments);

  /// Core cycles of the benchmark's kernels on a machine.
  Result<experiment::Simulated> simulate(const experiment::Benchmark& benchmark,
                                         const std::vector<std::string>& arguments, const experiment::Machine& machine);

  /// The benchmark's kernels as `bankshot fix` rewrites them, with hashes of a class.
  Result<experiment::FixedKernel> fix(const experiment::Benchmark& benchmark, const std::vector<std::string>& arguments,
                                      const std::string& hash_class);

  /// Somebody pressed Ctrl-C in a run: the error that came back has nothing to say.
  bool is_interrupted() const { return interrupted_; }

 private:
  using Command = std::vector<std::string>;
  /// The simulated machine; none: a trace is wanted, no time.
  using Simulated = std::optional<experiment::Machine>;

  /// The report of a run with the benchmark's kernels only.
  Result<report::RunReport> kernel_of(const experiment::Benchmark& benchmark, const Command& command,
                                      const Simulated& machine);
  /// All kernels of the program.
  Result<const fix::Plan*> plan(const Command& command, const std::string& hash_class);
  Result<report::RunReport> run(const Command& command, const Simulated& machine);
  /// The report of a run that the store has, or that is made and kept there.
  Result<report::RunReport> stored(host::Setup& setup, const Command& command, const std::string& bank_hash);
  /// Whether what decides the result of a run has changed since it was digested.
  bool is_changed(const std::string& program, const std::string& gpu) const;
  /// The store cannot be used any more: says so, and goes on without.
  void lose_store(const std::string& why);
  /// Runs a program of ours to its end.
  Result<host::Observation> observe(host::Setup& setup, const Command& command);

  RunOptions options_;
  sweep::Store* store_;
  sweep::FileDigests digests_;
  bool interrupted_ = false;
  std::map<std::pair<Command, Simulated>, report::RunReport> runs_;
  std::map<std::pair<Command, std::string>, scratchpad::PatternSet> sets_;  ///< by command and kernel
  std::map<std::pair<Command, std::string>, fix::Plan> plans_;              ///< by command and class of hashes
};

}  // namespace bankshot::cli

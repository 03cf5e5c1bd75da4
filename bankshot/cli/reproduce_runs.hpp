// The runs of our own programs that experiments ask for.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/cli/run_options.hpp"
#include "bankshot/experiment/experiment.hpp"
#include "bankshot/report/run_report.hpp"

namespace bankshot::cli {

/// Runs our own programs on one GPU and keeps what they did: several benchmarks are kernels of one run, and several hash
/// functions find the same hash.
class ExperimentRuns {
 public:
  explicit ExperimentRuns(const RunOptions& options) : options_(options) {}

  Result<scratchpad::PatternSet> trace(const experiment::Benchmark& benchmark,
                                       const std::vector<std::string>& arguments);

  /// Core cycles of the benchmark's kernels under a bank hash.
  Result<uint64_t> simulate(const experiment::Benchmark& benchmark, const std::vector<std::string>& arguments,
                            const std::string& bank_hash);

 private:
  /// The report of a run with the benchmark's kernels only. @param bank_hash  of the simulated GPU; empty: trace, no time
  Result<report::RunReport> kernel_of(const experiment::Benchmark& benchmark, const std::vector<std::string>& command,
                                      const std::string& bank_hash);
  Result<report::RunReport> run(const std::vector<std::string>& command, const std::string& bank_hash) const;

  RunOptions options_;
  std::map<std::pair<std::vector<std::string>, std::string>, report::RunReport> runs_;  ///< by command and bank hash
  std::map<std::pair<std::vector<std::string>, std::string>, scratchpad::PatternSet> sets_;  ///< by command and kernel
};

}  // namespace bankshot::cli

// One run of a program on one machine, and what came of it: what goes to a worker and what comes back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/cuda/process/request.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::sweep {

struct Task {
  uint64_t id = 0;                   ///< of its point in the store
  std::string key;                   ///< of its point
  std::vector<std::string> command;  ///< the program, a path, and its arguments
  std::string folder;                ///< in which it runs, absolute
  std::map<std::string, std::string> environment;
  std::string gpu;                                ///< file, absolute
  std::string bank_hash;                          ///< as on the command line; empty: what the GPU has
  std::optional<cuda::SimulateRequest> simulate;  ///< none: accesses are counted
  unsigned threads = 1;
};

struct KernelOutcome {
  std::string name;  ///< as in the source
  uint64_t launches = 0;
  double cycles = 0;  ///< of all launches; 0 if they were not simulated
  double error = 0;   ///< of that, to both sides, 95 %; 0 without sampling
  uint64_t warp_instructions = 0, thread_instructions = 0;
  uint64_t accesses = 0, wavefronts = 0, conflicts = 0;  ///< of shared memory
  /// JSON object: every counter of the simulation that is not 0. Empty if it was not simulated as a whole.
  std::string counters;
};

struct Outcome {
  uint64_t id = 0;
  std::string failure;  ///< why there is no result; empty: there is one
  bool killed = false;  ///< the program was, by SIGKILL: perhaps for want of memory
  double seconds = 0;   ///< that the run took
  uint64_t peak_bytes = 0;
  unsigned core_khz = 0;  ///< clock of the simulated cycles; 0: nothing was simulated
  std::vector<KernelOutcome> kernels;
  std::string report;  ///< the whole report as JSON, to be kept with the result; workers send none
};

/// As one line of JSON, without a newline.
std::string to_line(const Task& task);
std::string to_line(const Outcome& outcome);
/// Readers of the same; any text is allowed.
Result<Task> task_from(std::string_view line);
Result<Outcome> outcome_from(std::string_view line);

/// The kernels of a report.
std::vector<KernelOutcome> kernels_of(const report::RunReport& report);

/// What is asked of the program's process, but for the machine.
cuda::Request request_of(const Task& task);

/// Runs the program in this process's only child. Changes the working folder of this process.
Outcome run_task(const Task& task);

}  // namespace bankshot::sweep

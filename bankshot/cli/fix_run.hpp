// Runs of a program whose effects are compared: what it writes to its outputs, to memory, and how it ends.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bankshot/cli/observe.hpp"
#include "bankshot/cli/report_folder.hpp"

namespace bankshot::cli {

struct WitnessedRun {
  Observation seen;
  std::string output, error;               ///< what it wrote
  std::vector<std::string> witnesses;      ///< a text a process that used the GPU, by process number
  std::map<std::string, std::string> ptx;  ///< of the modules it loaded, by digest
};

/// Runs a program again and again under the same conditions: the same addresses, standard input from its beginning if
/// it is a file (else empty), outputs into files.
class RepeatedRuns {
 public:
  /// @param setup  of set_up(); must outlive this
  static Result<RepeatedRuns> make(Setup& setup, const std::vector<std::string>& command);

  /// @param patches  texts to load in place of modules, by digest
  Result<WitnessedRun> run(const std::map<std::string, std::string>& patches);

 private:
  RepeatedRuns(Setup& setup, std::vector<std::string> command, ReportFolder folder)
      : setup_(setup), command_(std::move(command)), folder_(std::move(folder)) {}

  Setup& setup_;
  std::vector<std::string> command_;
  ReportFolder folder_;
  unsigned count_ = 0;
};

/// Lines of the outputs, from 0, in which two runs of one program differ by numbers only: times and rates.
struct Unsteady {
  std::set<size_t> output, error;
  /// "the numbers in line 3 of standard output"; empty if there are none.
  std::string text() const;
};
Unsteady unsteady(const WitnessedRun& first, const WitnessedRun& second);

/// The first thing in which two runs differ, as a sentence; empty if they are the same bit for bit.
/// @param ignored  lines of which the numbers are not compared
std::string difference(const WitnessedRun& first, const WitnessedRun& second, const Unsteady& ignored = {});

/// What keeps a run from proving anything: processes that did not come to their end, launches nobody witnessed.
std::string unproved(const WitnessedRun& run);

/// The most dynamic shared memory that a launch of a kernel had, in bytes.
uint64_t dynamic_shared(const WitnessedRun& run, const std::string& kernel);

}  // namespace bankshot::cli

// Runs of a program whose effects are compared: what it writes to its outputs, to memory, and how it ends.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/host/observe.hpp"
#include "bankshot/support/temporary_folder.hpp"

namespace bankshot::fix {

struct WitnessedRun {
  host::Observation seen;     ///< with the witnesses and the PTX of its modules; nothing of it is lost
  std::string output, error;  ///< what it wrote
};

/// Runs a program again and again under the same conditions: the same addresses, standard input from its beginning if
/// it is a file (else empty); its outputs are captured in memory.
class RepeatedRuns {
 public:
  static Result<RepeatedRuns> make(host::Setup setup, const std::vector<std::string>& command);

  /// @param patches  texts to load in place of modules, by digest
  /// @return an error if the program could not be run, or what its processes handed in is lost
  Result<WitnessedRun> run(const std::map<std::string, std::string>& patches);

  /// The same with simulated launches. What the program does to memory and its accesses one by one are not recorded.
  Result<WitnessedRun> simulate(const std::map<std::string, std::string>& patches);

  /// The same with launches of these kernels recorded. What the program does to memory and its accesses one by one are
  /// not.
  Result<WitnessedRun> record(const std::vector<std::string>& kernels);

 private:
  Result<WitnessedRun> run(const cuda::Request& request, const std::map<std::string, std::string>& patches);
  RepeatedRuns(host::Setup setup, std::vector<std::string> command, TemporaryFolder folder)
      : setup_(std::move(setup)), command_(std::move(command)), folder_(std::move(folder)) {}

  host::Setup setup_;
  std::vector<std::string> command_;
  TemporaryFolder folder_;  ///< of the patches
  unsigned count_ = 0;
};

}  // namespace bankshot::fix

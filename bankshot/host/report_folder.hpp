// Where the processes of a program hand in their reports.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/cuda/process/recorded_launch.hpp"
#include "bankshot/cuda/process/witness_record.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/support/result.hpp"
#include "bankshot/support/temporary_folder.hpp"

namespace bankshot::host {

/// What the processes of a program handed in, in the order of their process numbers.
struct HandedIn {
  report::RunReport report;                    ///< of all of them; partial if anything is missing
  std::vector<std::string> timelines;          ///< JSON texts, one a process that simulated launches with one
  std::vector<cuda::WitnessRecord> witnesses;  ///< of the processes that came to their end
  std::map<std::string, std::string> ptx;      ///< of the modules that were loaded, by digest; if requested
  std::vector<cuda::RecordedLaunch> launches;  ///< those that the request named, the largest of each kernel and process
  std::vector<std::string> lost;               ///< what should be there and is not, a sentence each
  std::vector<std::string> unfinished;         ///< processes that were killed before they wrote a report, likewise
};

/// A private folder for one run, removed at the end of its lifetime.
class ReportFolder {
 public:
  /// An error if it cannot be made, or the disk has no room for its ledger.
  static Result<ReportFolder> make();

  const std::string& path() const { return folder_.path(); }

  HandedIn collect() const;

 private:
  explicit ReportFolder(TemporaryFolder folder) : folder_(std::move(folder)) {}
  TemporaryFolder folder_;
};

}  // namespace bankshot::host

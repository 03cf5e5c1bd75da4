// Where the processes of a program leave their reports.
#pragma once

#include <string>
#include <vector>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

/// A private folder that is removed with everything in it at the end of its lifetime.
class ReportFolder {
 public:
  /// In $TMPDIR, or /tmp.
  static Result<ReportFolder> make();
  ~ReportFolder();
  ReportFolder(ReportFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ReportFolder(const ReportFolder& other) = delete;
  ReportFolder& operator=(const ReportFolder&) = delete;

  const std::string& path() const { return path_; }

  /// All report-*.json in it, merged in the order of their process numbers, and the kernels that still ran by the
  /// running-*. A file that cannot be read makes the report partial and leaves a line in `problems`.
  report::RunReport collect(std::vector<std::string>& problems) const;
  /// The contents of all timeline-*.json in it, in the same order.
  std::vector<std::string> timelines() const;

 private:
  explicit ReportFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace bankshot::cli

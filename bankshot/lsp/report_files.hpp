// The report files of a workspace, as they were last read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/formats/notices.hpp"
#include "bankshot/lsp/advice.hpp"
#include "bankshot/lsp/line_map.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::lsp {

/// What tells that a file was written again.
struct Stamp {
  std::filesystem::file_time_type time = {};
  uintmax_t size = 0;
  bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const std::string& path);

struct ReportFile {
  std::string path;
  Stamp stamp = {};
  std::set<std::string> unquoted = {};  ///< sources of which not all lines with numbers are quoted
  /// Sentences for the user: why it could not be read, then the rest is empty; or what the run lacks.
  std::vector<std::string> problems = {};
  std::optional<report::RunReport> run = {};
  std::vector<formats::Notice> notices = {};  ///< of the run
  std::vector<Advice> advice = {};            ///< of bankshot fix
  std::map<std::string, Quotes> quotes = {};  ///< by the name of each file that it has a place in
};

/// Reads a report of explain, simulate, check or fix.
ReportFile read_report(const std::string& path);

/// Where reports are.
struct ReportPlaces {
  std::vector<std::string> files;     ///< each once
  std::vector<std::string> problems;  ///< sentences for the user
};

/// @param named    by the user; then these are all
/// @param folders  of the workspace, absolute. In each: what its bankshot.toml names as `reports`, or else the files
///                 bankshot*.json that are no baselines
ReportPlaces find_reports(const std::vector<std::string>& named, const std::vector<std::string>& folders);

/// What was read stays the same object until its file changes.
using ReportFiles = std::vector<std::shared_ptr<const ReportFile>>;

/// Reads again what changed. @return whether anything did
bool refresh(ReportFiles& reports, const std::vector<std::string>& files);

}  // namespace bankshot::lsp

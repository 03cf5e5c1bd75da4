#include "bankshot/host/report_folder.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "bankshot/cuda/process/ledger.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/report/json/json.hpp"
#include "bankshot/report/run/specializations.hpp"

namespace bankshot::host {
namespace {

namespace fs = std::filesystem;
using cuda::LedgerEntry;
using cuda::Output;

/// The files whose names begin and end so, by the number between: 99 comes before 100.
std::vector<std::string> files_like(const std::string& folder, const char* begin, const char* end) {
  std::vector<std::string> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(begin) && name.ends_with(end)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return files;
}

const char* name(Output output) {
  switch (output) {
    case Output::report: return "report";
    case Output::timeline: return "timeline";
    case Output::witness: return "record of memory";
    case Output::module: return "PTX";
    case Output::launch: return "record of a launch";
  }
  return "file";
}

/// What the ledger says is missing.
void add_missing(const std::string& folder, HandedIn& all) {
  const auto entries = cuda::read_ledger(folder);
  if (!entries) {
    all.lost.push_back("reports may be lost: " + entries.error().message);
    return;
  }
  for (const LedgerEntry& entry : *entries) {
    for (const Output output : {Output::report, Output::timeline, Output::witness, Output::module, Output::launch}) {
      if (const int error = entry.lost_to(output)) {
        all.lost.push_back(fmt::format("the {} of process {} is lost: {} cannot be written: {}; {}", name(output),
                                       entry.pid, folder, std::strerror(error), kNeedsRoom));
      }
    }
    if (entry.reported < entry.begun && entry.lost_to(Output::report) == 0)
      all.unfinished.push_back(fmt::format("process {} had not written its report when the program ended", entry.pid));
  }
}

}  // namespace

Result<ReportFolder> ReportFolder::make() {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  if (const auto error = cuda::make_ledger(folder->path()))
    return Error{"no space for reports in " + folder->path() + ": " + error->message + "; " + kNeedsRoom};
  return ReportFolder(std::move(*folder));
}

HandedIn ReportFolder::collect() const {
  HandedIn all;
  const auto each = [&](const char* begin, const char* end, const auto& take) {
    for (const std::string& file : files_like(path(), begin, end)) {
      const Result<std::string> text = read_text(file);
      const std::string problem = text ? take(file, *text) : text.error().message;
      if (!problem.empty()) all.lost.push_back("a file of a process cannot be read: " + problem);
    }
  };
  each("report-", ".json", [&](const std::string&, const std::string& text) {
    const Result<report::RunReport> one = report::from_json(text);
    if (one) all.report.merge(*one);
    return one ? "" : one.error().message;
  });
  each("running-", "", [&](const std::string&, const std::string& text) {
    const std::string kernel = text.c_str();  // up to the NUL
    if (!kernel.empty()) all.report.running.push_back(kernel);
    return "";
  });
  each("timeline-", ".json", [&](const std::string&, const std::string& text) {
    all.timelines.push_back(text);
    return "";
  });
  each("witness-", ".json", [&](const std::string&, const std::string& text) {
    const auto one = cuda::witness_from_json(text);
    if (one) all.witnesses.push_back(*one);
    return one ? "" : one.error().message;
  });
  each("launch-", ".recorded", [&](const std::string&, const std::string& text) {
    auto one = cuda::launch_from_file(text);
    if (one) all.launches.push_back(std::move(*one));
    return one ? "" : one.error().message;
  });
  each("", ".ptx", [&](const std::string& file, const std::string& text) {
    all.ptx[fs::path(file).stem().string()] = text;
    return "";
  });
  report::tell_apart(all.report);
  add_missing(path(), all);
  all.report.lost = all.lost.size();
  all.report.partial |= !all.report.running.empty() || !all.lost.empty() || !all.unfinished.empty();
  return all;
}

}  // namespace bankshot::host

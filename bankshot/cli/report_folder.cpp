#include "bankshot/cli/report_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bankshot/report/json/json.hpp"

namespace bankshot::cli {

namespace fs = std::filesystem;

Result<ReportFolder> ReportFolder::make() {
  const char* parent = std::getenv("TMPDIR");
  std::string path = std::string(parent != nullptr && *parent != 0 ? parent : "/tmp") + "/bankshot-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return Error{"cannot make a folder for the report, " + path + ": " + std::strerror(errno)};
  }
  std::error_code code;
  return ReportFolder(fs::absolute(path, code).string());
}

ReportFolder::~ReportFolder() {
  std::error_code code;
  if (!path_.empty()) fs::remove_all(path_, code);
}

namespace {

/// The files whose names begin and end so, by the number between.
std::vector<fs::path> files_like(const std::string& folder, const char* begin, const char* end) {
  std::vector<fs::path> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(begin) && name.ends_with(end)) files.push_back(entry.path());
  }
  const auto by_number = [](const fs::path& a, const fs::path& b) {
    const std::string left = a.filename().string(), right = b.filename().string();
    return left.size() != right.size() ? left.size() < right.size() : left < right;
  };
  std::sort(files.begin(), files.end(), by_number);
  return files;
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

report::RunReport ReportFolder::collect(std::vector<std::string>& problems) const {
  report::RunReport all;
  for (const fs::path& file : files_like(path_, "report-", ".json")) {
    const Result<report::RunReport> one = report::from_json(contents(file));
    if (one) {
      all.merge(*one);
    } else {
      all.partial = true;
      problems.push_back("the report of a process cannot be read: " + one.error().message);
    }
  }
  for (const fs::path& file : files_like(path_, "running-", "")) {
    const std::string kernel = contents(file).c_str();  // up to the NUL
    if (kernel.empty()) continue;
    all.running.push_back(kernel);
    all.partial = true;
  }
  return all;
}

std::vector<std::string> ReportFolder::timelines() const {
  std::vector<std::string> all;
  for (const fs::path& file : files_like(path_, "timeline-", ".json")) all.push_back(contents(file));
  return all;
}

}  // namespace bankshot::cli

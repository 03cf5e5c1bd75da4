#include "bankshot/cuda/report_file.hpp"

#include <errno.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "bankshot/cuda/say.hpp"
#include "bankshot/report/json.hpp"
#include "bankshot/report/run_report.hpp"

namespace bankshot::cuda {
namespace {

constexpr std::chrono::milliseconds kRefreshAfter{500};

const char* report_folder() {
  const char* folder = std::getenv("BANKSHOT_REPORT_DIR");
  return folder && *folder ? folder : nullptr;
}

/// @return false, and nothing left behind, if it could not be written whole
bool write_beside_and_rename(const std::string& path, const std::string& text) {
  const std::string beside = path + ".part";
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  if (file && std::rename(beside.c_str(), path.c_str()) == 0) return true;
  std::remove(beside.c_str());
  return false;
}

}  // namespace

struct ReportFile::Contents {
  report::RunReport report;
  std::string path;
  pid_t pid = 0;  ///< of the process that launched: a fork's child does not write its parent's launches
};

ReportFile::ReportFile() = default;
ReportFile::~ReportFile() = default;

bool ReportFile::wants_counts() {
  const char* value = std::getenv("BANKSHOT_COUNT");
  return value && std::strcmp(value, "1") == 0;
}

/// Makes them at the first launch of a process. @return null if nobody wants a report
ReportFile::Contents* ReportFile::contents(const gpu::Gpu& gpu) {
  if (contents_ && contents_->pid == getpid()) return contents_.get();
  const char* folder = report_folder();
  if (!folder || !wants_counts()) return nullptr;
  contents_ = std::make_unique<Contents>();
  contents_->pid = getpid();
  contents_->path = fmt::format("{}/report-{}.json", folder, contents_->pid);
  contents_->report.program = program_invocation_name;
  contents_->report.gpu = gpu.name;
  contents_->report.warp_size = gpu.machine.warp_size;
  contents_->report.rules = gpu.machine.scratchpad;
  return contents_.get();
}

void ReportFile::add(const gpu::Gpu& gpu, std::string_view kernel, simt::Dim3 grid, simt::Dim3 block,
                     const simt::LaunchStats& stats) {
  if (Contents* all = contents(gpu)) {
    all->report.add(stats, kernel, grid, block);
    dirty_ = true;
  }
}

void ReportFile::add_failed(const gpu::Gpu& gpu, std::string_view kernel, std::string_view reason) {
  if (Contents* all = contents(gpu)) {
    all->report.add_failed(kernel, reason);
    dirty_ = true;
  }
}

void ReportFile::refresh() {
  if (!dirty_ || std::chrono::steady_clock::now() - written_ < kRefreshAfter) return;
  contents_->report.partial = true;
  write();
}

void ReportFile::finish() {
  if (!contents_) return;
  contents_->report.partial = false;
  write();
}

void ReportFile::write() {
  if (contents_->pid != getpid()) return;
  if (!write_beside_and_rename(contents_->path, report::to_json(contents_->report)))
    say_once(contents_->path, fmt::format("{} cannot be written: {}", contents_->path, std::strerror(errno)));
  dirty_ = false;
  written_ = std::chrono::steady_clock::now();
}

}  // namespace bankshot::cuda

#include "bankshot/sweep/engines/job_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "bankshot/host/read_text.hpp"
#include "bankshot/host/write_file.hpp"

namespace bankshot::sweep {
namespace {

namespace fs = std::filesystem;

constexpr time_t kSilent = 600;  ///< seconds after which a sweep on another host counts as killed
constexpr const char* kStore = "store";
constexpr std::string_view kLock = "submitter@", kName = "bankshot-";

std::string this_host() {
  utsname host{};
  uname(&host);
  return host.nodename;
}

std::string lock_of(const std::string& folder) {
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    if (at->path().filename().string().starts_with(kLock)) return at->path().string();
  }
  return {};
}

/// The lock of a folder whose sweep is gone; -1 if it may still run.
int lock_left(const std::string& folder) {
  const std::string path = lock_of(folder);
  const int file = path.empty() ? -1 : open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return -1;
  struct stat status{};
  const bool is_silent = fstat(file, &status) == 0 && std::time(nullptr) - status.st_mtime > kSilent;
  const bool is_locked = flock(file, LOCK_EX | LOCK_NB) == 0;
  const bool is_ours = path.ends_with("/" + std::string(kLock) + this_host());
  // A lock that this host was given means something only for sweeps of this host.
  if ((is_locked && is_ours) || (is_silent && (is_locked || errno != EWOULDBLOCK))) return file;
  close(file);
  return -1;
}

}  // namespace

Result<JobFolder> JobFolder::make(const std::string& parent, const std::string& store) {
  const auto problem = [](const std::string& path, const char* why) {
    return Error{
        fmt::format("{} cannot be written: {}; choose a folder that all nodes see with --job-folder", path, why)};
  };
  std::error_code code;
  fs::create_directories(parent, code);
  if (code) return problem(parent, code.message().c_str());
  std::string path = fs::absolute(parent, code).lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  path += "/" + std::string(kName) + "XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return problem(parent, std::strerror(errno));
  const std::string lock = path + "/" + std::string(kLock) + this_host();
  JobFolder folder(path, open(lock.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (folder.lock_ < 0) return problem(path, std::strerror(errno));
  flock(folder.lock_, LOCK_EX | LOCK_NB);
  if (auto error = host::write_file(path + "/" + kStore, store)) return *error;
  return folder;
}

std::vector<JobFolder> JobFolder::left(const std::string& parent, const std::string& store) {
  std::vector<JobFolder> all;
  std::error_code code;
  for (fs::directory_iterator at(parent, code), end; !code && at != end; at.increment(code)) {
    if (!at->path().filename().string().starts_with(kName)) continue;
    const std::string path = fs::absolute(at->path()).lexically_normal().string();
    const Result<std::string> of = host::read_text(path + "/" + kStore);
    if (!of || *of != store) continue;
    if (const int lock = lock_left(path); lock >= 0) all.push_back(JobFolder(path, lock));
  }
  return all;
}

JobFolder::~JobFolder() {
  if (lock_ >= 0) close(lock_);
}

std::string JobFolder::name() const { return fs::path(path_).filename().string(); }

std::string JobFolder::file(size_t array, size_t task) const { return fmt::format("{}/{}-{}", path_, array, task); }

std::vector<std::string> JobFolder::stems(const char* kind) const {
  std::vector<std::string> all;
  std::error_code code;
  for (fs::directory_iterator at(path_, code), end; !code && at != end; at.increment(code)) {
    if (at->path().extension() == std::string(".") + kind) all.push_back(path_ + "/" + at->path().stem().string());
  }
  return all;
}

void JobFolder::touch() const {
  if (lock_ >= 0) futimens(lock_, nullptr);
  // Network file systems look again when a folder is opened.
  std::error_code code;
  for (fs::directory_iterator at(path_, code), end; !code && at != end; at.increment(code)) {
  }
}

void JobFolder::remove() {
  std::error_code code;
  fs::remove_all(path_, code);
}

}  // namespace bankshot::sweep

#include "bankshot/support/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>

namespace bankshot {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "bankshot-", kRandom = "XXXXXX";  ///< as mkdtemp takes it
constexpr time_t kOld = 600;  ///< seconds: between its making and its lock a folder is young

/// Locks a folder until the descriptor is closed, at the latest when the process ends. @return -1 if it is locked
int lock(const std::string& path) {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) == 0) return folder;
  if (folder >= 0) close(folder);
  return -1;
}

/// Removes what killed processes of this user have left in a folder.
void remove_left(const std::string& parent) {
  std::error_code code;
  const time_t now = std::time(nullptr);
  for (fs::directory_iterator at(parent, code), end; !code && at != end; at.increment(code)) {
    const std::string name = at->path().filename().string();
    if (name.size() != kName.size() + kRandom.size() || !name.starts_with(kName)) continue;
    struct stat status{};
    const bool ours = lstat(at->path().c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
    if (!ours || now - status.st_mtime < kOld) continue;
    const int locked = lock(at->path().string());
    if (locked < 0) continue;
    std::error_code ignored;
    fs::remove_all(at->path(), ignored);
    close(locked);
  }
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make() {
  const char* given = std::getenv("TMPDIR");
  const std::string parent = given != nullptr && *given != 0 ? given : "/tmp";
  remove_left(parent);
  std::string path = parent + "/" + std::string(kName) + std::string(kRandom);
  if (mkdtemp(path.data()) == nullptr)
    return Error{"cannot create the folder " + path + ": " + std::strerror(errno) + "; " + kNeedsRoom};
  std::error_code code;
  path = fs::absolute(path, code).string();
  return TemporaryFolder(path, lock(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code code;
  if (!path_.empty()) fs::remove_all(path_, code);
  if (lock_ >= 0) close(lock_);
}

}  // namespace bankshot

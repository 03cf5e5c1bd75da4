#include "bankshot/support/temporary_folder.hpp"

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
#include <string_view>

namespace bankshot {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "bankshot-", kRandom = "XXXXXX";  ///< as mkdtemp takes it
constexpr time_t kOld = 600;  ///< seconds; a younger folder may not be locked yet

/// A file that only make() creates: without it a folder is somebody else's, whatever its name. It is locked while the
/// folder is in use. Locks do not reach other hosts everywhere, so the host is in its name.
std::string marker_in(const std::string& folder) {
  utsname host{};
  uname(&host);
  return folder + "/.bankshot-temporary@" + host.nodename;
}

/// Locks a folder's marker until the descriptor is closed, at the latest when the process ends.
/// @param flags  for open()  @return -1 if there is none, or another process has it
int lock_marker(const std::string& marker, int flags) {
  const int file = open(marker.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
  if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  close(file);
  return -1;
}

/// Removes the folders that killed processes of this user have left.
void remove_left(const std::string& parent) {
  std::error_code code;
  const time_t now = std::time(nullptr);
  for (fs::directory_iterator at(parent, code), end; !code && at != end; at.increment(code)) {
    const std::string name = at->path().filename().string();
    if (name.size() != kName.size() + kRandom.size() || !name.starts_with(kName)) continue;
    struct stat status{};
    const bool ours = lstat(at->path().c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
    if (!ours || now - status.st_mtime < kOld) continue;
    const int marker = lock_marker(marker_in(at->path().string()), 0);
    if (marker < 0) continue;
    std::error_code ignored;
    fs::remove_all(at->path(), ignored);
    close(marker);
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
  const std::string marker = marker_in(path);
  const int locked = lock_marker(marker, O_CREAT | O_EXCL);
  if (locked < 0) unlink(marker.c_str());  // nobody could tell that it is in use
  return TemporaryFolder(path, locked);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code code;
  if (!path_.empty()) fs::remove_all(path_, code);
  if (marker_ >= 0) close(marker_);
}

}  // namespace bankshot

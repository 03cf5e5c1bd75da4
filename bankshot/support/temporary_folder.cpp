#include "bankshot/support/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <string_view>

namespace bankshot {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "bankshot-", kRandom = "XXXXXX";  ///< as mkdtemp takes it
/// A file that only make() creates: without it a folder is somebody else's, whatever its name. It holds the name of the
/// host, as locks do not reach other hosts everywhere, and is locked while the folder is in use.
constexpr const char* kMarker = "/.bankshot-temporary";
constexpr time_t kOld = 600;  ///< seconds; a younger folder may not be locked yet

std::string host() {
  utsname name{};
  return uname(&name) == 0 ? name.nodename : "";
}

/// Writes a file and locks it until the descriptor is closed, at the latest when the process ends.
/// @return -1 if that is not possible; then there is no file
int make_marker(const std::string& file) {
  const int marker = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (marker < 0) return -1;
  const std::string here = host();
  if (flock(marker, LOCK_EX | LOCK_NB) == 0 && write(marker, here.data(), here.size()) == std::ssize(here))
    return marker;
  close(marker);
  unlink(file.c_str());
  return -1;
}

/// The marker of this host in a folder that no process uses any more, locked; -1 if there is none.
int marker_of_the_dead(const std::string& file) {
  const int marker = open(file.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (marker < 0) return -1;
  std::string there(HOST_NAME_MAX + 1, 0);
  const ssize_t length = read(marker, there.data(), there.size());
  there.resize(static_cast<size_t>(std::max<ssize_t>(length, 0)));
  if (!there.empty() && there == host() && flock(marker, LOCK_EX | LOCK_NB) == 0) return marker;
  close(marker);
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
    const int marker = marker_of_the_dead(at->path().string() + kMarker);
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
  return TemporaryFolder(path, make_marker(path + kMarker));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code code;
  if (!path_.empty()) fs::remove_all(path_, code);
  if (marker_ >= 0) close(marker_);
}

}  // namespace bankshot

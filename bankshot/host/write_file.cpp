#include "bankshot/host/write_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bankshot/support/file_writing.hpp"

namespace bankshot::host {
namespace {

namespace fs = std::filesystem;

Error problem(const std::string& path, int error = errno) {
  return Error{path + " cannot be written: " + std::strerror(error)};
}

/// Signals that would end the process wait while one lives, for a half-written file to be renamed or removed. Only this
/// thread's mask changes, so that several may write at once.
class EndingHeld {
 public:
  EndingHeld() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~EndingHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndingHeld(const EndingHeld&) = delete;
  EndingHeld& operator=(const EndingHeld&) = delete;

 private:
  sigset_t before_;
};

bool is_special(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

std::string real_place(const std::string& path) {
  constexpr unsigned kMostLinks = 40;  // as the kernel follows
  std::error_code code;
  fs::path place = path;
  for (unsigned links = 0; links < kMostLinks && fs::is_symlink(place, code); ++links)
    place = place.parent_path() / fs::read_symlink(place, code);
  const fs::path real = fs::weakly_canonical(fs::absolute(place, code), code);
  return code ? path : real.string();
}

std::optional<Error> cannot_write(const std::string& path) {
  std::error_code code;
  if (fs::is_directory(path, code)) return Error{path + " cannot be written: it is a folder"};
  if (is_special(path)) return access(path.c_str(), W_OK) == 0 ? std::nullopt : std::optional(problem(path));
  std::string beside = real_place(path) + ".XXXXXX";
  const int file = mkostemp(beside.data(), O_CLOEXEC);  // permissions alone do not tell: /proc
  if (file < 0) return problem(path);
  close(file);
  unlink(beside.c_str());
  return std::nullopt;
}

std::optional<Error> write_file(const std::string& path, std::string_view text) {
  const FileSizeSignalHeld held;
  if (is_special(path)) {
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const int error = file < 0 ? errno : write_all(file, text);
    if (file >= 0) close(file);
    return error != 0 ? std::optional(problem(path, error)) : std::nullopt;
  }
  const EndingHeld ending_held;  // or Ctrl-C would leave half a file beside it
  const std::string place = real_place(path);
  std::string beside = place + ".XXXXXX";
  const int file = mkostemp(beside.data(), O_CLOEXEC);
  if (file < 0) return problem(path);
  const mode_t mask = umask(0);
  umask(mask);
  int error = write_all(file, text);
  if (error == 0 && fchmod(file, 0666 & ~mask) != 0) error = errno;
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(beside.c_str(), place.c_str()) != 0) error = errno;
  if (error == 0) return std::nullopt;
  unlink(beside.c_str());
  return problem(path, error);
}

}  // namespace bankshot::host

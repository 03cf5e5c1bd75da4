#include "bankshot/host/write_file.hpp"

#include <fcntl.h>
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

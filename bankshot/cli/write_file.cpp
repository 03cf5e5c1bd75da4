#include "bankshot/cli/write_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace bankshot::cli {
namespace {

namespace fs = std::filesystem;

Error problem(const std::string& path) { return Error{path + " cannot be written: " + std::strerror(errno)}; }

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool is_special(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

/// The place behind symbolic links, so that a link stays a link.
std::string real_place(const std::string& path) {
  std::error_code code;
  const fs::path real = fs::canonical(path, code);
  return code ? path : real.string();
}

}  // namespace

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
  if (is_special(path)) {
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const bool good = file >= 0 && write_all(file, text);
    if (file >= 0) close(file);
    if (!good) return problem(path);
    return std::nullopt;
  }
  const std::string place = real_place(path);
  std::string beside = place + ".XXXXXX";
  const int file = mkostemp(beside.data(), O_CLOEXEC);
  if (file < 0) return problem(path);
  const mode_t mask = umask(0);
  umask(mask);
  bool good = write_all(file, text) && fchmod(file, 0666 & ~mask) == 0;
  good = close(file) == 0 && good;
  if (good && std::rename(beside.c_str(), place.c_str()) == 0) return std::nullopt;
  const Error error = problem(path);
  unlink(beside.c_str());
  return error;
}

}  // namespace bankshot::cli

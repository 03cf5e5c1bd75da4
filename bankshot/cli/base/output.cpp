#include "bankshot/cli/base/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace bankshot::cli {
namespace {

[[noreturn]] void fail() {
  throw OutputError(std::string("standard output cannot be written: ") + std::strerror(errno != 0 ? errno : EIO));
}

}  // namespace

void print(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail();
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) fail();
}

void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free number is this one. The direction is the opposite one, so that uses fail.
    [[maybe_unused]] const int taken = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace bankshot::cli

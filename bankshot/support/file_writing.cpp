#include "bankshot/support/file_writing.hpp"

#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace bankshot {
namespace {

sigset_t only_file_size() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

bool is_pending() {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

}  // namespace

int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

FileSizeSignalHeld::FileSizeSignalHeld() : was_pending_(is_pending()) {
  const sigset_t held = only_file_size();
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

FileSizeSignalHeld::~FileSizeSignalHeld() {
  const int saved = errno;
  if (!was_pending_ && is_pending()) {  // it is ours: take it back before it can be delivered
    const sigset_t held = only_file_size();
    const timespec no_time{};
    sigtimedwait(&held, nullptr, &no_time);
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = saved;
}

}  // namespace bankshot

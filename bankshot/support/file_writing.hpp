// Writing to files, with an error where the system would send a signal.
#pragma once

#include <signal.h>

#include <string_view>

namespace bankshot {

/// Writes the whole text. SIGXFSZ must be held or ignored if a limit on file sizes is to be an error.
/// @return 0 or errno
int write_all(int file, std::string_view text);

/// While one lives, SIGXFSZ does not reach this thread: what would exceed a limit on file sizes (ulimit -f) fails with
/// EFBIG.
class FileSizeSignalHeld {
 public:
  FileSizeSignalHeld();
  ~FileSizeSignalHeld();
  FileSizeSignalHeld(const FileSizeSignalHeld&) = delete;
  FileSizeSignalHeld& operator=(const FileSizeSignalHeld&) = delete;

 private:
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace bankshot

// Ctrl-C during a launch: the launch stops and is reported, then the process ends as it would have.
#pragma once

#include <signal.h>

#include <atomic>

namespace bankshot::cuda {

/// While one lives, the first SIGINT sets flag() and does nothing else; a second one has its default effect. Python's
/// handler only makes a note for the interpreter, which does not run during a launch: there SIGINT sets flag() and is
/// passed on. Does nothing if the program has another handler or ignores the signal. At most one lives at a time.
class HeldInterrupt {
 public:
  HeldInterrupt();
  ~HeldInterrupt();
  HeldInterrupt(const HeldInterrupt&) = delete;
  HeldInterrupt& operator=(const HeldInterrupt&) = delete;

  /// Whether a SIGINT was held since the process began.
  static const std::atomic<bool>& flag();
  /// Whether it was passed on to Python, which ends the process or does not.
  static bool passed_on();
  /// Forgets one that was passed on.
  static void forget();
  /// Whether this process runs Python.
  static bool in_python();

 private:
  struct sigaction before_{};
  bool held_ = false;
};

/// Writes what the program and its kernels have printed so far. Does not wait for a thread that reads standard input;
/// while one does, of all files only stdout is written.
void flush_files();

/// Calls flush_files(), and ends the process by SIGINT's default effect.
[[noreturn]] void end_by_interrupt();

}  // namespace bankshot::cuda

// Signals that ask us to end, while a program runs or something of ours must be tidied up first.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>

namespace bankshot::host {

/// While one lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT do not end this process: what another process sends to us alone
/// is passed on to the running program, and what the terminal sends reaches the program anyway. Those that were ignored
/// (nohup) stay ignored.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  void block();
  void unblock();
  /// In a child of fork: what it would have had without us.
  void restore_defaults();
  /// @param child  that signals are passed on to; 0 for none
  static void pass_to(pid_t child);

 private:
  static constexpr std::array kHeld = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t mask_;
  std::array<struct sigaction, kHeld.size()> before_;
};

}  // namespace bankshot::host

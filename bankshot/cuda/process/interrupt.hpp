// Ctrl-C while a launch is simulated: the launch stops and is reported, then the process ends as it would have.
#pragma once

#include <signal.h>

#include <atomic>

namespace bankshot::cuda {

/// While one lives, the first SIGINT sets flag() and does nothing else; a second one has its default effect. Does
/// nothing if the program has its own handler or ignores the signal. At most one lives at a time.
class HeldInterrupt {
 public:
  HeldInterrupt();
  ~HeldInterrupt();
  HeldInterrupt(const HeldInterrupt&) = delete;
  HeldInterrupt& operator=(const HeldInterrupt&) = delete;

  /// Whether a SIGINT was held since the process began.
  static const std::atomic<bool>& flag();

 private:
  struct sigaction before_{};
  bool held_ = false;
};

/// Ends the process by SIGINT's default effect.
[[noreturn]] void end_by_interrupt();

}  // namespace bankshot::cuda

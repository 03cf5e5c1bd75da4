#include "bankshot/cuda/interrupt.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace bankshot::cuda {
namespace {

std::atomic<bool> came{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

void note(int) { came.store(true, std::memory_order_relaxed); }

}  // namespace

HeldInterrupt::HeldInterrupt() {
  if (sigaction(SIGINT, nullptr, &before_) != 0 || (before_.sa_flags & SA_SIGINFO) != 0 || before_.sa_handler != SIG_DFL) return;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  held_ = sigaction(SIGINT, &action, nullptr) == 0;
}

HeldInterrupt::~HeldInterrupt() {
  if (held_) sigaction(SIGINT, &before_, nullptr);
}

const std::atomic<bool>& HeldInterrupt::flag() { return came; }

void end_by_interrupt() {
  signal(SIGINT, SIG_DFL);
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
  raise(SIGINT);
  for (;;) syscall(SYS_exit_group, 128 + SIGINT);
}

}  // namespace bankshot::cuda

#include "bankshot/host/signals.hpp"

#include <cerrno>

namespace bankshot::host {
namespace {

volatile pid_t program = 0;

/// Signals of the terminal (si_code > 0) reach the whole foreground group, the program included.
void pass_on(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  if (program > 0 && info->si_code <= 0 && info->si_pid != program) kill(program, signal);
  errno = saved;
}

}  // namespace

Signals::Signals() {
  sigprocmask(SIG_BLOCK, nullptr, &mask_);
  for (size_t i = 0; i < kHeld.size(); ++i) {
    sigaction(kHeld[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action{};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(kHeld[i], &action, nullptr);
  }
}

Signals::~Signals() {
  for (size_t i = 0; i < kHeld.size(); ++i) sigaction(kHeld[i], &before_[i], nullptr);
  unblock();
}

void Signals::block() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : kHeld) sigaddset(&wanted, signal);
  sigprocmask(SIG_BLOCK, &wanted, nullptr);
}

void Signals::unblock() { sigprocmask(SIG_SETMASK, &mask_, nullptr); }

void Signals::restore_defaults() {
  for (const int held : kHeld) {
    struct sigaction action{};
    sigaction(held, nullptr, &action);
    if (action.sa_handler != SIG_IGN) signal(held, SIG_DFL);
  }
  unblock();
}

void Signals::pass_to(pid_t child) { program = child; }

}  // namespace bankshot::host

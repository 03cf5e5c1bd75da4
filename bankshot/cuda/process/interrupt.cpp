#include "bankshot/cuda/process/interrupt.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>

namespace bankshot::cuda {
namespace {

std::atomic<bool> came{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

std::atomic<int64_t> first{0};

int64_t milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// A second interrupt ends the process at once; but one that is sent to a process group reaches us twice, directly and
/// passed on by bankshot.
void note(int) {
  constexpr int64_t kSame = 500;
  if (!came.exchange(true)) {
    first.store(milliseconds());
  } else if (milliseconds() - first.load() > kSame) {
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
  }
}

std::atomic<void (*)(int)> of_python{nullptr};

void pass_on(int number) {
  came.store(true);
  of_python.load()(number);
}

}  // namespace

HeldInterrupt::HeldInterrupt() {
  if (sigaction(SIGINT, nullptr, &before_) != 0 || (before_.sa_flags & SA_SIGINFO) != 0) return;
  const bool is_default = before_.sa_handler == SIG_DFL;
  if (!is_default && (before_.sa_handler == SIG_IGN || !in_python())) return;
  struct sigaction action{};
  action.sa_handler = is_default ? note : pass_on;
  of_python.store(is_default ? nullptr : before_.sa_handler);
  action.sa_flags = SA_RESTART;
  held_ = sigaction(SIGINT, &action, nullptr) == 0;
}

HeldInterrupt::~HeldInterrupt() {
  if (held_) sigaction(SIGINT, &before_, nullptr);
}

const std::atomic<bool>& HeldInterrupt::flag() { return came; }

bool HeldInterrupt::passed_on() { return came && of_python.load() != nullptr; }

void HeldInterrupt::forget() { came.store(false); }

bool HeldInterrupt::in_python() { return dlsym(RTLD_DEFAULT, "PyErr_SetInterrupt") != nullptr; }

void flush_files() {
  if (ftrylockfile(stdin) == 0) {
    std::fflush(nullptr);
    funlockfile(stdin);
  } else if (ftrylockfile(stdout) == 0) {  // a thread reads standard input: fflush(nullptr) would wait for it
    fflush_unlocked(stdout);
    funlockfile(stdout);
  }
}

void end_by_interrupt() {
  flush_files();
  signal(SIGINT, SIG_DFL);
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
  raise(SIGINT);
  for (;;) syscall(SYS_exit_group, 128 + SIGINT);
}

}  // namespace bankshot::cuda

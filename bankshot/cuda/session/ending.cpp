#include "bankshot/cuda/session/ending.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>

#include "bankshot/cuda/process/checking.hpp"
#include "bankshot/cuda/process/witness.hpp"
#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda {

void finish_report() {
  Session& session = Session::get();
  const std::unique_lock lock(session.mutex(), std::try_to_lock);
  if (!lock) return;
  // What a fork's child holds is its parent's.
  const bool is_ours = session.is_described() && !session.is_forked();
  if (is_ours) tell_leaks(session.corrupted());
  session.report().finish(is_ours ? &session.gpu() : nullptr);
  if (Witness* witness = Witness::get()) witness->finish(session.is_open() ? &session.memory().engine() : nullptr);
}

/// _exit and _Exit of a program that is linked with one of the drop-in libraries, which call no destructor. libc's own
/// calls and those of programs that load the libraries later do not come here.
extern "C" __attribute__((visibility("default"), noreturn)) void bankshot__exit(int status) {
  finish_report();
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace bankshot::cuda

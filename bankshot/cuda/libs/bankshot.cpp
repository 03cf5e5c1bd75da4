// libbankshot.so: what happens when it is unloaded. Loading it does nothing.
#include "bankshot/cuda/session.hpp"

namespace {

/// The end of the process, after the program's own exit handlers and destructors.
__attribute__((destructor)) void write_report() {
  auto& session = bankshot::cuda::Session::get();
  // A thread that is still in a call holds the lock; its launch does not count then, but the process ends.
  if (!session.mutex().try_lock()) return;
  session.report().finish();
  session.mutex().unlock();
}

}  // namespace

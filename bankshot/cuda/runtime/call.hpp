// How functions of the runtime interface start: open the context; note the thread's last error.
#pragma once

#include "bankshot/cuda/interface/call.hpp"
#include "bankshot/cuda/interface/contexts.hpp"

namespace bankshot::cuda::runtime {

/// The calling thread's last error, for cudaGetLastError.
Status& last_error();

/// Notes an error as the thread's last one. @return `status`
inline Status remember(Status status) {
  if (status != Status::success) last_error() = status;
  return status;
}

/// Work that needs neither GPU nor context, under the lock.
template <class Work>
Status plain(Work&& work) {
  return remember(locked(work));
}

/// Work that needs the GPU's description but no context: queries of devices.
template <class Work>
Status query(Work&& work) {
  return plain([&](Session& session) {
    const Status status = session.describe();
    return status == Status::success ? work(session) : status;
  });
}

/// Work on the primary context, which is made if necessary. Fails with the error of an earlier kernel.
template <class Work>
Status call(Work&& work) {
  return plain([&](Session& session) {
    const Status status = session.open();
    use_primary_context();
    return status == Status::success ? work(session) : status;
  });
}

/// Every stream and event belongs to the primary context.
struct Runtime {
  template <class Work>
  static Status enter(const void*, Work&& work) {
    return call(work);
  }
};

inline constexpr auto call_about = Calls<Runtime>::about;
inline constexpr auto call_on = Calls<Runtime>::on;
inline constexpr auto issue = Calls<Runtime>::issue;
inline constexpr auto call_synchronized = Calls<Runtime>::synchronized;
inline constexpr auto call_unsafe = Calls<Runtime>::unsafe;

}  // namespace bankshot::cuda::runtime

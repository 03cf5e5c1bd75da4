// What every function of the runtime interface does around its own work: the lock, the state of the context, the
// thread's last error.
#pragma once

#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/driver/contexts.hpp"
#include "bankshot/cuda/graphs/stream_calls.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/cuda/process/session.hpp"

/// Defines the implementation of a function of the CUDA interfaces; libs/*.def say which exported names come here.
#define BANKSHOT_API(name) extern "C" __attribute__((visibility("default"))) ::bankshot::cuda::Status bankshot_##name

namespace bankshot::cuda::runtime {

/// The calling thread's last error, for cudaGetLastError.
Status& last_error();

/// Notes an error as the thread's last one, and passes it through.
inline Status remember(Status status) {
  if (status != Status::success) last_error() = status;
  return status;
}

/// Work that needs neither GPU nor context, under the lock.
template <class Work>
Status plain(Work&& work) {
  Session& session = Session::get();
  std::lock_guard lock(session.mutex());
  try {
    return remember(work(session));
  } catch (const std::bad_alloc&) {
    return remember(Status::out_of_memory);
  } catch (const std::exception& error) {
    say_once("exception", std::string("a call failed: ") + error.what());
    return remember(Status::unknown);
  }
}

/// Work that needs the GPU's description but no context: queries of devices.
template <class Work>
Status query(Work&& work) {
  return plain([&](Session& session) {
    const Status status = session.describe();
    return status == Status::success ? work(session) : status;
  });
}

/// Work on the context: makes it if need be, and fails with the error of a kernel that failed before.
template <class Work>
Status call(Work&& work) {
  return plain([&](Session& session) {
    const Status status = session.open();
    driver::use_primary();
    return status == Status::success ? work(session) : status;
  });
}

// On streams and for the device, as stream_calls.hpp says.
template <class Work>
Status call_about(void* stream, Work&& work) {
  return call(looking_at(stream, work));
}
template <class Work>
Status call_on(void* stream, Work&& work) {
  return call(waiting_for(stream, work));
}
template <class Now, class MakeNode>
Status issue(void* stream, Now&& now, MakeNode&& node) {
  return call(issued_on(stream, now, node));
}
/// Work that waits for everything on the device: not possible during a capture.
template <class Work>
Status call_synchronized(Work&& work) {
  return call(behind(before_synchronizing, work));
}
/// Work that may wait for the device, which captures may forbid.
template <class Work>
Status call_unsafe(Work&& work) {
  return call(behind(before_unsafe, work));
}

}  // namespace bankshot::cuda::runtime

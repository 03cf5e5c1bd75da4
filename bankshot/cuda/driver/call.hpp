// What every function of the driver interface does around its own work.
#pragma once

#include <exception>
#include <mutex>
#include <new>
#include <string>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/driver/contexts.hpp"
#include "bankshot/cuda/graphs/stream_calls.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/cuda/process/session.hpp"

#ifndef BANKSHOT_API
#define BANKSHOT_API(name) extern "C" __attribute__((visibility("default"))) ::bankshot::cuda::Status bankshot_##name
#endif

namespace bankshot::cuda::driver {

using DevicePointer = uint64_t;

/// The codes of the runtime interface that the driver interface has other words for.
inline Status driver_status(Status status) {
  switch (status) {
    case Status::invalid_configuration:
    case Status::invalid_pitch:
    case Status::invalid_symbol:
    case Status::invalid_channel_descriptor:
    case Status::invalid_filter_setting:
    case Status::invalid_memcpy_direction: return Status::invalid_value;
    case Status::invalid_device_function: return Status::not_found;
    default: return status;
  }
}

/// Work after cuInit, under the lock.
template <class Work>
Status query(Work&& work) {
  Session& session = Session::get();
  std::lock_guard lock(session.mutex());
  try {
    if (!Contexts::get().initialised) return Status::not_initialized;
    const Status status = session.describe();
    return driver_status(status == Status::success ? work(session) : status);
  } catch (const std::bad_alloc&) {
    return Status::out_of_memory;
  } catch (const std::exception& error) {
    say_once("exception", std::string("a call failed: ") + error.what());
    return Status::unknown;
  }
}

/// Work on the device, whether or not a context is current.
template <class Work>
Status call_anywhere(Work&& work) {
  return query([&](Session& session) {
    const Status status = session.open();
    return status == Status::success ? work(session) : status;
  });
}

/// Work on the current context.
template <class Work>
Status call(Work&& work) {
  return call_anywhere([&](Session& session) { return current() ? work(session) : Status::invalid_context; });
}

/// Whether a stream is one that every context has: null, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD.
inline bool is_of_current(const void* stream) { return reinterpret_cast<uintptr_t>(stream) <= 2; }

/// Work on what a handle names: other streams and events are of the context in which they were made, whichever is
/// current.
template <class Work>
Status call_by(const void* handle, Work&& work) {
  return is_of_current(handle) ? call(work) : call_anywhere(work);
}

// On streams and for the device, as stream_calls.hpp says.
template <class Work>
Status call_about(void* stream, Work&& work) {
  return call_by(stream, looking_at(stream, work));
}
template <class Work>
Status call_on(void* stream, Work&& work) {
  return call_by(stream, waiting_for(stream, work));
}
template <class Now, class MakeNode>
Status issue(void* stream, Now&& now, MakeNode&& node) {
  return call_by(stream, issued_on(stream, now, node));
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
template <class Work>
Status call_unsafe_by(const void* handle, Work&& work) {
  return call_by(handle, behind(before_unsafe, work));
}

template <class T, class U>
Status give(T* place, U value) {
  if (!place) return Status::invalid_value;
  *place = static_cast<T>(value);
  return Status::success;
}

}  // namespace bankshot::cuda::driver

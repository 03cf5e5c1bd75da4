// How functions of the driver interface start: cuInit, the current context, the driver's error codes.
#pragma once

#include "bankshot/cuda/interface/call.hpp"
#include "bankshot/cuda/interface/contexts.hpp"

namespace bankshot::cuda::driver {

using DevicePointer = uint64_t;

/// Translates codes that only the runtime interface has.
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
  return locked([&](Session& session) {
    if (!Contexts::get().initialised) return Status::not_initialized;
    const Status status = session.describe();
    return driver_status(status == Status::success ? work(session) : status);
  });
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
  return call_anywhere([&](Session& session) { return current_context() ? work(session) : Status::invalid_context; });
}

/// Whether a handle is one of the streams that every context has: null, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD.
inline bool is_of_current(const void* stream) { return reinterpret_cast<uintptr_t>(stream) <= 2; }

/// Work on a stream or event, which belongs to the context that made it, whichever is current.
template <class Work>
Status call_by(const void* handle, Work&& work) {
  return is_of_current(handle) ? call(work) : call_anywhere(work);
}

struct Driver {
  template <class Work>
  static Status enter(const void* handle, Work&& work) {
    return call_by(handle, work);
  }
};

inline constexpr auto call_about = Calls<Driver>::about;
inline constexpr auto call_on = Calls<Driver>::on;
inline constexpr auto issue = Calls<Driver>::issue;
inline constexpr auto call_synchronized = Calls<Driver>::synchronized;
inline constexpr auto call_unsafe = Calls<Driver>::unsafe;
inline constexpr auto call_unsafe_by = Calls<Driver>::unsafe_by;

}  // namespace bankshot::cuda::driver

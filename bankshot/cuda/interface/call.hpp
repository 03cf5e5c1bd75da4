// What every function of both CUDA interfaces does around its own work: take the lock, check the stream and its
// capture.
#pragma once

#include <exception>
#include <mutex>
#include <new>
#include <string>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/graphs/capture.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/cuda/session/session.hpp"

/// Defines the implementation of a function of the CUDA interfaces; libs/*.def say which exported names come here.
#define BANKSHOT_API(name) extern "C" __attribute__((visibility("default"))) ::bankshot::cuda::Status bankshot_##name

namespace bankshot::cuda {

/// Calls work(session) under the lock. @return its result; out_of_memory or unknown if it throws
template <class Work>
Status locked(Work&& work) {
  Session& session = Session::get();
  const std::lock_guard lock(session.mutex());
  try {
    return work(session);
  } catch (const std::bad_alloc&) {
    return Status::out_of_memory;
  } catch (const std::exception& error) {
    say_once("exception", std::string("a call failed: ") + error.what());
    return Status::unknown;
  }
}

/// Stores a result for the program. @return success, or invalid_value if `place` is null
template <class T, class U>
Status give(T* place, U value) {
  if (!place) return Status::invalid_value;
  *place = static_cast<T>(value);
  return Status::success;
}

/// Calls on a stream or on the whole device. The interfaces differ only in how they find the context.
/// @tparam Interface  has enter(handle, work), which calls work(session) under the lock with the context of that stream
///                    or event open; a null handle stands for the current context
template <class Interface>
struct Calls {
  /// Queries a stream. Checks the handle; works during a capture too.
  static constexpr auto about = [](void* stream, auto&& work) {
    return Interface::enter(stream, [&](Session& session) {
      return session.work().streams.find(stream) ? work(session) : Status::invalid_handle;
    });
  };

  /// Work that needs the stream to be idle. Fails while the stream is captured.
  static constexpr auto on = [](void* stream, auto&& work) {
    return Interface::enter(stream, [&](Session& session) {
      const Status status = before_waiting(session.work(), stream);
      return status == Status::success ? work(session) : status;
    });
  };

  /// Work on a stream: `now` carries it out or, if the stream is captured, `node` makes a graph node of it.
  /// @param node  returns a MadeWork
  static constexpr auto issue = [](void* stream, auto&& now, auto&& node) {
    return Interface::enter(stream, [&](Session& session) {
      Stream* capturing = nullptr;
      const Status status = before_work(session.work(), stream, capturing);
      if (status != Status::success) return status;
      return capturing ? capture(session.work(), *capturing, node(session)) : now(session);
    });
  };

  /// Calls a function of the program when the stream reaches it, which is now, or makes it a node if it is captured.
  static Status launch_host(void* stream, void (*function)(void*), void* data) {
    bool captured = false;
    const Status status = issue(
        stream, [](Session&) { return Status::success; },
        [&](Session&) {
          captured = true;
          return MadeWork(HostWork{{function, data}});
        });
    // Outside the lock: the function may wait for another thread that calls us.
    if (status == Status::success && !captured) function(data);
    return status;
  }

  /// Work that waits for the whole device. Fails during a capture.
  static constexpr auto synchronized = [](auto&& work) {
    return Interface::enter(nullptr, [&](Session& session) {
      const Status status = before_synchronizing(session.work());
      return status == Status::success ? work(session) : status;
    });
  };

  /// Work that may wait for the device, such as an allocation, which a capture may forbid.
  /// @param handle  stream or event, or null for the device
  static constexpr auto unsafe_by = [](const void* handle, auto&& work) {
    return Interface::enter(handle, [&](Session& session) {
      const Status status = before_unsafe(session.work());
      return status == Status::success ? work(session) : status;
    });
  };
  static constexpr auto unsafe = [](auto&& work) { return unsafe_by(nullptr, work); };
};

}  // namespace bankshot::cuda

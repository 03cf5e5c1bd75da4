// What functions of both CUDA interfaces do around their own work: the lock, and what streams and captures ask for.
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

/// Calls work(session) under the lock. @return what it returns, or out_of_memory or unknown if it throws
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

/// Writes a value to where the program wants it. @return success, or invalid_value if there is no place
template <class T, class U>
Status give(T* place, U value) {
  if (!place) return Status::invalid_value;
  *place = static_cast<T>(value);
  return Status::success;
}

/// Calls on streams and for the whole device, which differ between the interfaces only in how they come to the context.
/// @tparam Interface  has enter(handle, work): calls work(session) under the lock, with the context open in which a
///                    stream or event was made; a null handle stands for the current context
template <class Interface>
struct Calls {
  /// Looks at a stream, whose handle is checked. Whether it is captured makes no difference.
  static constexpr auto about = [](void* stream, auto&& work) {
    return Interface::enter(stream, [&](Session& session) {
      return session.work().streams.find(stream) ? work(session) : Status::invalid_handle;
    });
  };

  /// Work that must be carried out at once, on a stream that is then idle: not possible while it is captured.
  static constexpr auto on = [](void* stream, auto&& work) {
    return Interface::enter(stream, [&](Session& session) {
      const Status status = before_waiting(session.work(), stream);
      return status == Status::success ? work(session) : status;
    });
  };

  /// Work on a stream: carried out by `now`, or made a node of the graph for which the stream is captured.
  /// @param node  gives a MadeWork
  static constexpr auto issue = [](void* stream, auto&& now, auto&& node) {
    return Interface::enter(stream, [&](Session& session) {
      Stream* capturing = nullptr;
      const Status status = before_work(session.work(), stream, capturing);
      if (status != Status::success) return status;
      return capturing ? capture(session.work(), *capturing, node(session)) : now(session);
    });
  };

  /// Work that waits for everything on the device: not possible during a capture.
  static constexpr auto synchronized = [](auto&& work) {
    return Interface::enter(nullptr, [&](Session& session) {
      const Status status = before_synchronizing(session.work());
      return status == Status::success ? work(session) : status;
    });
  };

  /// Work on a stream or event, or on the device if the handle is null, that may wait for the device: captures may
  /// forbid it.
  static constexpr auto unsafe_by = [](const void* handle, auto&& work) {
    return Interface::enter(handle, [&](Session& session) {
      const Status status = before_unsafe(session.work());
      return status == Status::success ? work(session) : status;
    });
  };
  static constexpr auto unsafe = [](auto&& work) { return unsafe_by(nullptr, work); };
};

}  // namespace bankshot::cuda

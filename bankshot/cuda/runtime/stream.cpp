// Streams: always idle, since everything executes when it is issued.
#include <cstring>

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {
namespace {

constexpr unsigned kNonBlocking = 1;

}  // namespace

BANKSHOT_API(cudaStreamCreateWithPriority)(void** stream, unsigned flags, int priority) {
  return call([&](Session& session) {
    if (!stream || (flags & ~kNonBlocking)) return Status::invalid_value;
    *stream = session.streams().create(flags, priority);
    return Status::success;
  });
}

BANKSHOT_API(cudaStreamCreateWithFlags)(void** stream, unsigned flags) {
  return bankshot_cudaStreamCreateWithPriority(stream, flags, 0);
}

BANKSHOT_API(cudaStreamCreate)(void** stream) { return bankshot_cudaStreamCreateWithPriority(stream, 0, 0); }

BANKSHOT_API(cudaStreamDestroy)(void* stream) {
  return call([&](Session& session) { return destroy_stream(session, stream); });
}

BANKSHOT_API(cudaStreamSynchronize)(void* stream) {
  return call_on(stream, [](Session& session) {
    session.report().refresh();
    return Status::success;
  });
}

BANKSHOT_API(cudaStreamQuery)(void* stream) {
  return call_on(stream, [](Session&) { return Status::success; });
}

BANKSHOT_API(cudaStreamWaitEvent)(void* stream, void* event, unsigned flags) {
  return call([&](Session& session) { return wait_for_event(session, stream, event, flags); });
}

BANKSHOT_API(cudaLaunchHostFunc)(void* stream, void (*function)(void*), void* data) {
  if (!function) return remember(Status::invalid_value);
  bool captured = false;
  const Status status = issue(
      stream, [](Session&) { return Status::success; },
      [&](Session&) {
        captured = true;
        return MadeWork(HostWork{{function, data}});
      });
  // Outside the lock: a callback may wait for another thread that calls us.
  if (status == Status::success && !captured) function(data);
  return status;
}

BANKSHOT_API(cudaStreamAddCallback)(void* stream, void (*callback)(void*, Status, void*), void* data, unsigned flags) {
  if (!callback || flags) return remember(Status::invalid_value);
  const Status status = call_on(stream, [](Session&) { return Status::success; });
  if (status == Status::success) callback(stream, Status::success, data);
  return status;
}

BANKSHOT_API(cudaStreamGetFlags)(void* stream, unsigned* flags) {
  return call_about(stream, [&](Session& session) {
    if (!flags) return Status::invalid_value;
    *flags = session.streams().find(stream)->flags;
    return Status::success;
  });
}

BANKSHOT_API(cudaStreamGetPriority)(void* stream, int* priority) {
  return call_about(stream, [&](Session& session) {
    if (!priority) return Status::invalid_value;
    *priority = session.streams().find(stream)->priority;
    return Status::success;
  });
}

BANKSHOT_API(cudaStreamGetId)(void* stream, unsigned long long* id) {
  return call_about(stream, [&](Session& session) {
    if (!id) return Status::invalid_value;
    *id = session.streams().find(stream)->id;
    return Status::success;
  });
}

BANKSHOT_API(cudaStreamGetDevice)(void* stream, int* device) {
  return call_about(stream, [&](Session&) {
    if (!device) return Status::invalid_value;
    *device = 0;
    return Status::success;
  });
}

BANKSHOT_API(cudaStreamCopyAttributes)(void* to, void* from) {
  return call_about(
      to, [&](Session& session) { return session.streams().find(from) ? Status::success : Status::invalid_handle; });
}

// Attributes of a stream are hints: cache windows, how to wait, priorities.

BANKSHOT_API(cudaStreamSetAttribute)(void* stream, int, const void* value) {
  return call_about(stream, [&](Session&) { return value ? Status::success : Status::invalid_value; });
}

BANKSHOT_API(cudaStreamGetAttribute)(void* stream, int, void* value) {
  return call_about(stream, [&](Session&) {
    if (!value) return Status::invalid_value;
    std::memset(value, 0, sizeof(abi::LaunchAttribute::value));
    return Status::success;
  });
}

}  // namespace bankshot::cuda::runtime

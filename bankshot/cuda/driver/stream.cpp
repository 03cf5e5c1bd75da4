// Streams and events; see bankshot/cuda/streams.hpp.
#include <cstring>

#include "bankshot/cuda/abi.hpp"
#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/streams.hpp"

namespace bankshot::cuda::driver {
namespace {

/// Runs something on a stream outside the lock: a callback may wait for another thread that calls us.
template <class Work>
Status call_back(void* stream, Work&& work) {
  const Status status = call_on(stream, [](Session&) { return Status::success; });
  if (status == Status::success) work();
  return status;
}

Status idle(void* stream) {
  return call_on(stream, [](Session&) { return Status::success; });
}

}  // namespace

BANKSHOT_API(cuStreamCreateWithPriority)(void** stream, unsigned flags, int priority) {
  return call([&](Session& session) {
    if (flags > 1) return Status::invalid_value;
    return stream ? give(stream, session.streams().create(flags, priority)) : Status::invalid_value;
  });
}
BANKSHOT_API(cuStreamCreate)(void** stream, unsigned flags) {
  return bankshot_cuStreamCreateWithPriority(stream, flags, 0);
}
BANKSHOT_API(cuStreamDestroy_v2)(void* stream) {
  return call(
      [&](Session& session) { return session.streams().destroy(stream) ? Status::success : Status::invalid_handle; });
}
BANKSHOT_API(cuStreamSynchronize)(void* stream) {
  return call_on(stream, [](Session& session) {
    session.report().refresh();
    return Status::success;
  });
}
BANKSHOT_API(cuStreamQuery)(void* stream) { return idle(stream); }
BANKSHOT_API(cuStreamWaitEvent)(void* stream, void* event, unsigned) {
  return call_on(stream, [&](Session& session) { return session.events().query(event); });
}
BANKSHOT_API(cuLaunchHostFunc)(void* stream, void (*function)(void*), void* data) {
  return function ? call_back(stream, [&] { function(data); }) : Status::invalid_value;
}
BANKSHOT_API(cuStreamAddCallback)(void* stream, void (*callback)(void*, Status, void*), void* data, unsigned) {
  return callback ? call_back(stream, [&] { callback(stream, Status::success, data); }) : Status::invalid_value;
}
BANKSHOT_API(cuStreamGetFlags)(void* stream, unsigned* flags) {
  return call_on(stream, [&](Session& session) { return give(flags, session.streams().find(stream)->flags); });
}
BANKSHOT_API(cuStreamGetPriority)(void* stream, int* priority) {
  return call_on(stream, [&](Session& session) { return give(priority, session.streams().find(stream)->priority); });
}
BANKSHOT_API(cuStreamGetId)(void* stream, unsigned long long* id) {
  return call_on(stream, [&](Session& session) { return give(id, session.streams().find(stream)->id); });
}
BANKSHOT_API(cuStreamGetDevice)(void* stream, int* device) {
  return call_on(stream, [&](Session&) { return give(device, 0); });
}
BANKSHOT_API(cuStreamGetCtx)(void* stream, Context** context) {
  return call_on(stream, [&](Session&) { return give(context, current()); });
}
BANKSHOT_API(cuStreamAttachMemAsync)(void* stream, DevicePointer, size_t, unsigned) { return idle(stream); }
BANKSHOT_API(cuStreamCopyAttributes)(void* to, void* from) {
  const Status status = idle(to);
  return status == Status::success ? idle(from) : status;
}

// Attributes of a stream are hints: cache windows, how to wait, priorities.

BANKSHOT_API(cuStreamSetAttribute)(void* stream, int, const void* value) {
  return value ? idle(stream) : Status::invalid_value;
}
BANKSHOT_API(cuStreamGetAttribute)(void* stream, int, void* value) {
  if (!value) return Status::invalid_value;
  std::memset(value, 0, sizeof(abi::LaunchAttribute::value));
  return idle(stream);
}

// No stream ever captures: cuStreamBeginCapture is not supported.

BANKSHOT_API(cuStreamIsCapturing)(void* stream, int* status) {
  return call_on(stream, [&](Session&) { return give(status, 0); });
}
/// All versions of this function begin with these parameters, and the others say nothing when no capture is going on.
BANKSHOT_API(cuStreamGetCaptureInfo)(void* stream, int* status, unsigned long long* id) {
  return call_on(stream, [&](Session&) {
    if (id) *id = 0;
    return give(status, 0);
  });
}
BANKSHOT_API(cuThreadExchangeStreamCaptureMode)(int* mode) {
  thread_local int mine = 0;
  if (!mode || *mode < 0 || *mode > 2) return Status::invalid_value;
  std::swap(mine, *mode);
  return Status::success;
}

BANKSHOT_API(cuEventCreate)(void** event, unsigned flags) {
  return call([&](Session& session) { return session.events().create(event, flags); });
}
BANKSHOT_API(cuEventDestroy_v2)(void* event) {
  return call([&](Session& session) { return session.events().destroy(event); });
}
BANKSHOT_API(cuEventRecordWithFlags)(void* event, void* stream, unsigned) {
  return call_on(stream, [&](Session& session) { return session.events().record(event, session.now()); });
}
BANKSHOT_API(cuEventRecord)(void* event, void* stream) { return bankshot_cuEventRecordWithFlags(event, stream, 0); }
BANKSHOT_API(cuEventSynchronize)(void* event) {
  return call([&](Session& session) {
    session.report().refresh();
    return session.events().query(event);
  });
}
BANKSHOT_API(cuEventQuery)(void* event) {
  return call([&](Session& session) { return session.events().query(event); });
}
BANKSHOT_API(cuEventElapsedTime_v2)(float* milliseconds, void* start, void* end) {
  return call([&](Session& session) { return session.events().elapsed(milliseconds, start, end); });
}

}  // namespace bankshot::cuda::driver

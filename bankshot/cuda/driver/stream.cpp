// Streams and events; see bankshot/cuda/graphs/streams.hpp.
#include <cstring>

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/graphs/streams.hpp"
#include "bankshot/cuda/memory/managed_memory.hpp"

namespace bankshot::cuda::driver {
namespace {

/// Whether the stream is idle, which it always is unless it is captured.
Status idle(void* stream) {
  return call_on(stream, [](Session&) { return Status::success; });
}

}  // namespace

#define BANKSHOT_STREAM_CALL(name, parameters, expression)                                    \
  BANKSHOT_API(cu##name) parameters {                                                         \
    return call_about(stream, [&]([[maybe_unused]] Session& session) { return expression; }); \
  }
#include "bankshot/cuda/interface/stream_calls.def"

BANKSHOT_API(cuStreamCreateWithPriority)(void** stream, unsigned flags, int priority) {
  return call([&](Session& session) {
    if (flags > 1 || !stream) return Status::invalid_value;
    Stream* const made = session.work().streams.create(flags, priority);
    made->context = current_context();
    return give(stream, made);
  });
}
BANKSHOT_API(cuStreamCreate)(void** stream, unsigned flags) {
  return bankshot_cuStreamCreateWithPriority(stream, flags, 0);
}
BANKSHOT_API(cuStreamDestroy_v2)(void* stream) {
  return call_by(stream, [&](Session& session) { return destroy_stream(session.work(), stream); });
}
BANKSHOT_API(cuStreamSynchronize)(void* stream) {
  return call_on(stream, [](Session& session) {
    session.report().refresh();
    return Status::success;
  });
}
BANKSHOT_API(cuStreamQuery)(void* stream) { return idle(stream); }
BANKSHOT_API(cuStreamWaitEvent)(void* stream, void* event, unsigned flags) {
  return call_by(stream, [&](Session& session) { return wait_for_event(session.work(), stream, event, flags); });
}
BANKSHOT_API(cuLaunchHostFunc)(void* stream, void (*function)(void*), void* data) {
  if (!function) return Status::invalid_value;
  return Calls<Driver>::launch_host(stream, function, data);
}
BANKSHOT_API(cuStreamAddCallback)(void* stream, void (*callback)(void*, Status, void*), void* data, unsigned) {
  if (!callback) return Status::invalid_value;
  const Status status = idle(stream);
  if (status == Status::success) callback(stream, Status::success, data);
  return status;
}
BANKSHOT_API(cuStreamGetCtx)(void* stream, Context** context) {
  return call_about(stream, [&](Session& session) {
    if (is_of_current(stream)) return give(context, current_context());
    auto* const made_in = static_cast<Context*>(session.work().streams.find(stream)->context);
    return give(context, made_in && Contexts::get().is_valid(made_in) ? made_in : Contexts::get().primary());
  });
}
/// The second version also gives a green context, a share of the SMs; there are none.
BANKSHOT_API(cuStreamGetCtx_v2)(void* stream, Context** context, void** green) {
  if (green) *green = nullptr;
  return bankshot_cuStreamGetCtx(stream, context);
}
BANKSHOT_API(cuStreamAttachMemAsync)(void* stream, DevicePointer, size_t, unsigned) { return idle(stream); }
BANKSHOT_API(cuEventCreate)(void** event, unsigned flags) {
  return call([&](Session& session) { return session.work().events.create(event, flags); });
}
BANKSHOT_API(cuEventDestroy_v2)(void* event) {
  return call_by(event, [&](Session& session) { return session.work().events.destroy(event); });
}
BANKSHOT_API(cuEventRecordWithFlags)(void* event, void* stream, unsigned flags) {
  return call_by(stream,
                 [&](Session& session) { return record_event(session.work(), event, stream, flags, session.now()); });
}
BANKSHOT_API(cuEventRecord)(void* event, void* stream) { return bankshot_cuEventRecordWithFlags(event, stream, 0); }
BANKSHOT_API(cuEventSynchronize)(void* event) {
  return call_unsafe_by(event, [&](Session& session) {
    session.report().refresh();
    return query_event(session.work(), event);
  });
}
BANKSHOT_API(cuEventQuery)(void* event) {
  return call_unsafe_by(event, [&](Session& session) { return query_event(session.work(), event); });
}
BANKSHOT_API(cuEventElapsedTime_v2)(float* milliseconds, void* start, void* end) {
  return call_by(start, [&](Session& session) { return session.work().events.elapsed(milliseconds, start, end); });
}

}  // namespace bankshot::cuda::driver

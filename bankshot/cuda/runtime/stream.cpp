// Streams: always idle, since everything executes when it is issued.
#include <cstring>

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/memory/managed_memory.hpp"
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {
namespace {

constexpr unsigned kNonBlocking = 1;

}  // namespace

#define BANKSHOT_STREAM_CALL(name, parameters, expression)                                    \
  BANKSHOT_API(cuda##name) parameters {                                                       \
    return call_about(stream, [&]([[maybe_unused]] Session& session) { return expression; }); \
  }
#include "bankshot/cuda/interface/stream_calls.def"

BANKSHOT_API(cudaStreamCreateWithPriority)(void** stream, unsigned flags, int priority) {
  return call([&](Session& session) {
    if (!stream || (flags & ~kNonBlocking)) return Status::invalid_value;
    *stream = session.work().streams.create(flags, priority);
    return Status::success;
  });
}

BANKSHOT_API(cudaStreamCreateWithFlags)(void** stream, unsigned flags) {
  return bankshot_cudaStreamCreateWithPriority(stream, flags, 0);
}

BANKSHOT_API(cudaStreamCreate)(void** stream) { return bankshot_cudaStreamCreateWithPriority(stream, 0, 0); }

BANKSHOT_API(cudaStreamDestroy)(void* stream) {
  return call([&](Session& session) { return destroy_stream(session.work(), stream); });
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
  return call([&](Session& session) { return wait_for_event(session.work(), stream, event, flags); });
}

BANKSHOT_API(cudaLaunchHostFunc)(void* stream, void (*function)(void*), void* data) {
  if (!function) return remember(Status::invalid_value);
  return Calls<Runtime>::launch_host(stream, function, data);
}

BANKSHOT_API(cudaStreamAddCallback)(void* stream, void (*callback)(void*, Status, void*), void* data, unsigned flags) {
  if (!callback || flags) return remember(Status::invalid_value);
  const Status status = call_on(stream, [](Session&) { return Status::success; });
  if (status == Status::success) callback(stream, Status::success, data);
  return status;
}

}  // namespace bankshot::cuda::runtime

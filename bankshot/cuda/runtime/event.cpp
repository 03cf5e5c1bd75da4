// Events: reached when recorded; see bankshot/cuda/graphs/streams.hpp.
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {

BANKSHOT_API(cudaEventCreateWithFlags)(void** event, unsigned flags) {
  return call([&](Session& session) { return session.work().events.create(event, flags); });
}

BANKSHOT_API(cudaEventCreate)(void** event) { return bankshot_cudaEventCreateWithFlags(event, 0); }

BANKSHOT_API(cudaEventDestroy)(void* event) {
  return call([&](Session& session) { return session.work().events.destroy(event); });
}

BANKSHOT_API(cudaEventRecordWithFlags)(void* event, void* stream, unsigned flags) {
  return call([&](Session& session) { return record_event(session.work(), event, stream, flags, session.now()); });
}

BANKSHOT_API(cudaEventRecord)(void* event, void* stream) { return bankshot_cudaEventRecordWithFlags(event, stream, 0); }

BANKSHOT_API(cudaEventSynchronize)(void* event) {
  return call_unsafe([&](Session& session) {
    session.report().refresh();
    return query_event(session.work(), event);
  });
}

BANKSHOT_API(cudaEventQuery)(void* event) {
  return call_unsafe([&](Session& session) { return query_event(session.work(), event); });
}

BANKSHOT_API(cudaEventElapsedTime)(float* milliseconds, void* start, void* end) {
  return call([&](Session& session) { return session.work().events.elapsed(milliseconds, start, end); });
}

}  // namespace bankshot::cuda::runtime

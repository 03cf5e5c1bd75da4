// Events: reached when recorded. Times are the host's.
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {
namespace {

/// Work on an event, whose handle is checked.
template <class Work>
Status call_with(void* event, Work&& work) {
  return call([&](Session& session) {
    Event* found = session.events().find(event);
    return found ? work(session, *found) : Status::invalid_handle;
  });
}

}  // namespace

BANKSHOT_API(cudaEventCreateWithFlags)(void** event, unsigned flags) {
  return call([&](Session& session) {
    // 1 blocking sync, 2 disable timing, 4 interprocess, which needs 2. Source: CUDA runtime API reference
    if (!event || (flags & ~7u) || ((flags & 4) && !(flags & kEventDisableTiming))) return Status::invalid_value;
    *event = session.events().create(flags);
    return Status::success;
  });
}

BANKSHOT_API(cudaEventCreate)(void** event) { return bankshot_cudaEventCreateWithFlags(event, 0); }

BANKSHOT_API(cudaEventDestroy)(void* event) {
  return call(
      [&](Session& session) { return session.events().destroy(event) ? Status::success : Status::invalid_handle; });
}

BANKSHOT_API(cudaEventRecordWithFlags)(void* event, void* stream, unsigned) {
  return call_with(event, [&](Session& session, Event& found) {
    if (!session.streams().find(stream)) return Status::invalid_handle;
    found.recorded = true;
    found.time = std::chrono::steady_clock::now();
    return Status::success;
  });
}

BANKSHOT_API(cudaEventRecord)(void* event, void* stream) { return bankshot_cudaEventRecordWithFlags(event, stream, 0); }

BANKSHOT_API(cudaEventSynchronize)(void* event) {
  return call_with(event, [](Session& session, Event&) {
    session.report().refresh();
    return Status::success;
  });
}

BANKSHOT_API(cudaEventQuery)(void* event) {
  return call_with(event, [](Session&, Event&) { return Status::success; });
}

BANKSHOT_API(cudaEventElapsedTime)(float* milliseconds, void* start, void* end) {
  return call_with(start, [&](Session& session, Event& first) {
    const Event* last = session.events().find(end);
    if (!milliseconds) return Status::invalid_value;
    return last ? elapsed(first, *last, *milliseconds) : Status::invalid_handle;
  });
}

}  // namespace bankshot::cuda::runtime

#include "bankshot/cuda/graphs/streams.hpp"

#include <algorithm>

namespace bankshot::cuda {

Stream* StreamTable::create(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = std::clamp(priority, kHighestPriority, kLowestPriority);
  stream->id = next_id_++;
  Stream* handle = stream.get();
  streams_[handle] = std::move(stream);
  return handle;
}

bool StreamTable::destroy(const void* handle) { return streams_.erase(handle) != 0; }

Stream* StreamTable::find(const void* handle) {
  switch (reinterpret_cast<uintptr_t>(handle)) {
    case 0:
    case 1: return &legacy_;
    case 2: return &per_thread_;
    default: {
      const auto found = streams_.find(handle);
      return found == streams_.end() ? nullptr : found->second.get();
    }
  }
}

Status EventTable::create(void** handle, unsigned flags) {
  // Interprocess events must not keep the time. Source: CUDA runtime API reference, cudaEventCreateWithFlags
  constexpr unsigned kKnown = kEventBlockingSync | kEventDisableTiming | kEventInterprocess;
  if (!handle || (flags & ~kKnown)) return Status::invalid_value;
  if ((flags & kEventInterprocess) && !(flags & kEventDisableTiming)) return Status::invalid_value;
  auto event = std::make_unique<Event>();
  event->flags = flags;
  *handle = event.get();
  events_[*handle] = std::move(event);
  return Status::success;
}

Status EventTable::destroy(const void* handle) {
  return events_.erase(handle) != 0 ? Status::success : Status::invalid_handle;
}

Status EventTable::record(const void* handle, std::chrono::steady_clock::time_point now) {
  Event* event = find(handle);
  if (!event) return Status::invalid_handle;
  event->recorded = true;
  event->capture = 0;
  event->tail.clear();
  event->time = now;
  return Status::success;
}

Status EventTable::elapsed(float* milliseconds, const void* start, const void* end) const {
  const Event* first = find(start);
  const Event* last = find(end);
  if (!first) return Status::invalid_handle;
  if (!milliseconds) return Status::invalid_value;
  if (last && (first->capture || last->capture)) return Status::captured_event;
  if (!last || !first->recorded || !last->recorded) return Status::invalid_handle;
  if ((first->flags | last->flags) & kEventDisableTiming) return Status::invalid_handle;
  *milliseconds = std::chrono::duration<float, std::milli>(last->time - first->time).count();
  return Status::success;
}

Event* EventTable::find(const void* handle) const {
  const auto found = events_.find(handle);
  return found == events_.end() ? nullptr : found->second.get();
}

}  // namespace bankshot::cuda

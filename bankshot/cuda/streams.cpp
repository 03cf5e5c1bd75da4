#include "bankshot/cuda/streams.hpp"

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

Event* EventTable::create(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->flags = flags;
  Event* handle = event.get();
  events_[handle] = std::move(event);
  return handle;
}

bool EventTable::destroy(const void* handle) { return events_.erase(handle) != 0; }

Event* EventTable::find(const void* handle) const {
  const auto found = events_.find(handle);
  return found == events_.end() ? nullptr : found->second.get();
}

Status elapsed(const Event& start, const Event& end, float& milliseconds) {
  if (!start.recorded || !end.recorded || ((start.flags | end.flags) & kEventDisableTiming))
    return Status::invalid_handle;
  milliseconds = std::chrono::duration<float, std::milli>(end.time - start.time).count();
  return Status::success;
}

}  // namespace bankshot::cuda

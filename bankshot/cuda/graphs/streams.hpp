// Streams and events. Everything executes when it is issued, in issue order: a stream is always idle, an event is
// reached when it is recorded, and nothing is ever "not ready". This is one of the orders that CUDA allows.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "bankshot/cuda/abi/errors.hpp"

namespace bankshot::cuda {

struct Node;

struct Stream {
  unsigned flags = 0;  ///< 1 = non-blocking
  int priority = 0;
  uint64_t id = 0;
  void* context = nullptr;    ///< in which it was made; null: the primary one
  uint64_t capture = 0;       ///< id of the capture that it takes part in, or 0; capture.hpp
  std::vector<Node*> tail{};  ///< … and the dependencies of the next node
};

struct Event {
  unsigned flags = 0;  ///< kEvent…
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  uint64_t capture = 0;       ///< id of the capture in which it was recorded last, or 0
  std::vector<Node*> tail{};  ///< … and the nodes that preceded it
};

constexpr unsigned kEventBlockingSync = 1, kEventDisableTiming = 2, kEventInterprocess = 4;
constexpr int kLowestPriority = 0, kHighestPriority = -5;

class StreamTable {
 public:
  Stream* create(unsigned flags, int priority);
  bool destroy(const void* handle);
  /// The stream of a handle; null (legacy), 1 (legacy) and 2 (per thread) are the default streams. Null if it is
  /// invalid.
  Stream* find(const void* handle);
  void clear() {
    streams_.clear();
    legacy_ = {0, 0, 1};
    per_thread_ = {0, 0, 2};
  }

 private:
  std::unordered_map<const void*, std::unique_ptr<Stream>> streams_;
  Stream legacy_{0, 0, 1}, per_thread_{0, 0, 2};
  uint64_t next_id_ = 3;
};

/// What the event functions of both interfaces do. An invalid event gives invalid_handle.
class EventTable {
 public:
  /// @return success, or invalid_value if `handle` is null or flags contradict each other
  Status create(void** handle, unsigned flags);
  Status destroy(const void* handle);
  /// The event is reached from now on. Recording again moves it. @param now  Session::now() where launches may be
  /// simulated
  Status record(const void* handle, std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());
  /// An event that exists is reached, recorded or not, unless it was recorded in a capture: query_event().
  Status exists(const void* handle) const { return find(handle) ? Status::success : Status::invalid_handle; }
  /// Milliseconds between two events: of the host's clock, or of the simulated GPU's.
  /// @return success, invalid_value (nowhere to put them), invalid_handle if one has not been recorded or keeps no
  /// time,
  ///         or captured_event
  Status elapsed(float* milliseconds, const void* start, const void* end) const;
  void clear() { events_.clear(); }
  /// Null if it is none.
  Event* find(const void* handle) const;

 private:
  std::unordered_map<const void*, std::unique_ptr<Event>> events_;
};

}  // namespace bankshot::cuda

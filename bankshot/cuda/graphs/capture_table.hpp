// The captures of a process, by the streams that take part.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "bankshot/cuda/graphs/graph.hpp"
#include "bankshot/cuda/graphs/streams.hpp"

namespace bankshot::cuda {

/// Which calls a capture forbids to other threads, and a thread to itself.
enum class CaptureMode : int { global = 0, thread_local_mode = 1, relaxed = 2 };
enum class CaptureStatus : int { none = 0, active = 1, invalidated = 2 };

struct Capture {
  uint64_t id = 0;
  Graph* graph = nullptr;
  bool into_given = false;  ///< the graph is the program's
  CaptureMode mode = CaptureMode::global;
  std::thread::id thread;
  Stream* origin = nullptr;
  std::vector<Stream*> streams;
  std::vector<Node*> left;  ///< last nodes of streams that were destroyed
  bool invalidated = false;
};

/// Requires the session's lock.
class CaptureTable {
 public:
  bool any() const { return !all_.empty(); }
  Capture& begin();
  /// Null if it has ended.
  Capture* find(uint64_t id) const;
  void end(Capture& capture);
  /// Call when a stream is destroyed. Its nodes stay; the capture ends if it began on this stream.
  void leave(Stream& stream);
  void clear() { all_.clear(); }
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& [id, capture] : all_) visit(*capture);
  }

 private:
  std::unordered_map<uint64_t, std::unique_ptr<Capture>> all_;
  uint64_t next_id_ = 1;
};

/// Appends the nodes that are not there yet.
void add_once(std::vector<Node*>& nodes, const std::vector<Node*>& more);

}  // namespace bankshot::cuda

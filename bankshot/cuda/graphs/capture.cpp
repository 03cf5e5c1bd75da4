#include "bankshot/cuda/graphs/capture.hpp"

#include <algorithm>
#include <unordered_set>

namespace bankshot::cuda {
namespace {

constexpr unsigned kNonBlocking = 1, kRecordExternal = 1, kWaitExternal = 1;

CaptureMode& mode_of_thread() {
  thread_local CaptureMode mode = CaptureMode::global;
  return mode;
}

bool is_mode(int mode) { return mode >= 0 && mode <= 2; }

Capture* capture_of(WorkTables& tables, const Stream& stream) {
  return stream.capture ? tables.captures.find(stream.capture) : nullptr;
}

/// Puts the stream into a capture.
void join(Capture& capture, Stream& stream) {
  if (stream.capture == capture.id) return;
  stream.capture = capture.id;
  stream.tail.clear();
  capture.streams.push_back(&stream);
}

/// Whether everything that other streams have captured comes before what the origin has captured last.
bool is_joined(const Capture& capture) {
  std::unordered_set<const Node*> before;
  std::vector<const Node*> look(capture.origin->tail.begin(), capture.origin->tail.end());
  while (!look.empty()) {
    const Node* node = look.back();
    look.pop_back();
    if (!before.insert(node).second) continue;
    for (const Edge& edge : node->dependencies) look.push_back(edge.node);
  }
  const auto all_before = [&](const std::vector<Node*>& nodes) {
    return std::ranges::all_of(nodes, [&](const Node* node) { return before.contains(node); });
  };
  return all_before(capture.left) &&
         std::ranges::all_of(capture.streams, [&](const Stream* stream) { return all_before(stream->tail); });
}

bool is_legacy(WorkTables& tables, const Stream* stream) { return stream == tables.streams.find(nullptr); }

/// Work on the default stream waits for all blocking streams.
Status check_default_stream(WorkTables& tables) {
  Status status = Status::success;
  tables.captures.for_each([&](Capture& capture) {
    const auto blocks = [](const Stream* stream) { return !(stream->flags & kNonBlocking); };
    if (std::ranges::none_of(capture.streams, blocks)) return;
    capture.invalidated = true;
    status = Status::stream_capture_implicit;
  });
  return status;
}

}  // namespace

Result<std::vector<Edge>, Status> edges_to(WorkTables& tables, const Graph& graph, Node* const* nodes,
                                           const abi::EdgeData* data, size_t count) {
  if (count > 0 && !nodes) return Status::invalid_value;
  std::vector<Edge> edges;
  std::unordered_set<const Node*> seen;
  for (size_t i = 0; i < count; ++i) {
    const Node* node = nodes[i];
    if (!tables.graphs.contains(node) || node->graph != &graph || !seen.insert(node).second)
      return Status::invalid_value;
    edges.push_back({nodes[i], data ? data[i] : abi::EdgeData{}});
  }
  return edges;
}

Status begin_capture(WorkTables& tables, void* handle, int mode, Graph* into, Node* const* nodes,
                     const abi::EdgeData* data, size_t count) {
  Stream* stream = tables.streams.find(handle);
  if (!stream) return Status::invalid_handle;
  if (!is_mode(mode)) return Status::invalid_value;
  if (is_legacy(tables, stream)) return Status::stream_capture_unsupported;
  if (stream->capture) return Status::illegal_state;
  std::vector<Edge> edges;
  if (into) {
    if (!tables.graphs.contains(into)) return Status::invalid_value;
    auto found = edges_to(tables, *into, nodes, data, count);
    if (!found) return found.error();
    edges = std::move(*found);
  }
  Capture& capture = tables.captures.begin();
  capture.graph = into ? into : tables.graphs.create();
  capture.into_given = into != nullptr;
  capture.mode = static_cast<CaptureMode>(mode);
  capture.thread = std::this_thread::get_id();
  capture.origin = stream;
  join(capture, *stream);
  for (const Edge& edge : edges) stream->tail.push_back(edge.node);
  return Status::success;
}

Status end_capture(WorkTables& tables, void* handle, Graph** graph) {
  Stream* stream = tables.streams.find(handle);
  if (!stream) return Status::invalid_handle;
  Capture* capture = capture_of(tables, *stream);
  if (!graph && !(capture && capture->into_given)) return Status::invalid_value;
  if (graph) *graph = nullptr;
  if (!capture) return Status::illegal_state;
  if (capture->origin != stream) return Status::stream_capture_unmatched;
  if (capture->mode != CaptureMode::relaxed && capture->thread != std::this_thread::get_id())
    return Status::stream_capture_wrong_thread;
  const Status status = capture->invalidated   ? Status::stream_capture_invalidated
                        : !is_joined(*capture) ? Status::stream_capture_unjoined
                                               : Status::success;
  if (status == Status::success) {
    if (graph) *graph = capture->graph;
  } else if (!capture->into_given) {
    tables.graphs.destroy(capture->graph);
  }
  tables.captures.end(*capture);
  return status;
}

Status capture_status(WorkTables& tables, void* handle, int* status) {
  return capture_info(tables, handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

Status capture_info(WorkTables& tables, void* handle, int* status, unsigned long long* id, Graph** graph,
                    Node* const** nodes, const abi::EdgeData** data, size_t* count) {
  Stream* stream = tables.streams.find(handle);
  if (!stream) return Status::invalid_handle;
  if (!status) return Status::invalid_value;
  if (is_legacy(tables, stream) && tables.captures.any()) {
    // Asking is work on the default stream, but invalidates nothing. Source: CUDA runtime API reference,
    // cudaStreamIsCapturing
    bool blocks = false;
    tables.captures.for_each([&](const Capture& capture) {
      for (const Stream* member : capture.streams) blocks |= !(member->flags & kNonBlocking);
    });
    if (blocks) return Status::stream_capture_implicit;
  }
  const Capture* capture = capture_of(tables, *stream);
  const CaptureStatus now = !capture               ? CaptureStatus::none
                            : capture->invalidated ? CaptureStatus::invalidated
                                                   : CaptureStatus::active;
  *status = static_cast<int>(now);
  const bool active = now == CaptureStatus::active;
  if (id) *id = active ? capture->id : 0;
  if (graph) *graph = active ? capture->graph : nullptr;
  if (count) *count = active ? stream->tail.size() : 0;
  if (nodes) *nodes = active ? stream->tail.data() : nullptr;
  if (data) {
    thread_local std::vector<abi::EdgeData> plain;
    plain.assign(active ? stream->tail.size() : 0, {});
    *data = plain.data();
  }
  return Status::success;
}

Status change_dependencies(WorkTables& tables, void* handle, Node* const* nodes, const abi::EdgeData* data,
                           size_t count, unsigned flags) {
  Stream* stream = tables.streams.find(handle);
  if (!stream) return Status::invalid_handle;
  if (flags > 1) return Status::invalid_value;
  const Capture* capture = capture_of(tables, *stream);
  if (!capture) return Status::illegal_state;
  if (capture->invalidated) return Status::stream_capture_invalidated;
  const auto edges = edges_to(tables, *capture->graph, nodes, data, count);
  if (!edges) return edges.error();
  if (flags == 1) stream->tail.clear();
  for (const Edge& edge : *edges) add_once(stream->tail, {edge.node});
  return Status::success;
}

Status exchange_capture_mode(int* mode) {
  if (!mode || !is_mode(*mode)) return Status::invalid_value;
  const auto before = static_cast<int>(mode_of_thread());
  mode_of_thread() = static_cast<CaptureMode>(*mode);
  *mode = before;
  return Status::success;
}

Status before_work(WorkTables& tables, const void* handle, Stream*& capturing) {
  capturing = nullptr;
  Stream* stream = tables.streams.find(handle);
  if (!stream) return Status::invalid_handle;
  if (!tables.captures.any()) return Status::success;
  if (is_legacy(tables, stream)) return check_default_stream(tables);
  const Capture* capture = capture_of(tables, *stream);
  if (!capture) return Status::success;
  if (capture->invalidated) return Status::stream_capture_invalidated;
  capturing = stream;
  return Status::success;
}

Status before_waiting(WorkTables& tables, const void* handle) {
  Stream* capturing = nullptr;
  if (const Status status = before_work(tables, handle, capturing); status != Status::success) return status;
  if (!capturing) return Status::success;
  capture_of(tables, *capturing)->invalidated = true;
  return Status::stream_capture_unsupported;
}

Status before_synchronizing(WorkTables& tables) {
  if (!tables.captures.any()) return Status::success;
  tables.captures.for_each([](Capture& capture) { capture.invalidated = true; });
  return Status::stream_capture_unsupported;
}

Status before_unsafe(WorkTables& tables) {
  if (!tables.captures.any() || mode_of_thread() == CaptureMode::relaxed) return Status::success;
  const auto me = std::this_thread::get_id();
  Status status = Status::success;
  tables.captures.for_each([&](Capture& capture) {
    const bool mine = capture.thread == me && capture.mode != CaptureMode::relaxed;
    const bool anywhere = capture.mode == CaptureMode::global && mode_of_thread() == CaptureMode::global;
    if (!mine && !anywhere) return;
    capture.invalidated = true;
    status = Status::stream_capture_unsupported;
  });
  return status;
}

Status capture(WorkTables& tables, Stream& stream, MadeWork work, Node** node) {
  Capture& capture = *capture_of(tables, stream);
  if (!work) {
    capture.invalidated = true;
    return work.error();
  }
  std::vector<Edge> edges;
  for (Node* before : stream.tail) edges.push_back({before, {}});
  Node* added = capture.graph->add(std::move(*work), std::move(edges));
  stream.tail = {added};
  if (node) *node = added;
  return Status::success;
}

Status destroy_stream(WorkTables& tables, void* handle) {
  Stream* stream = tables.streams.find(handle);
  if (stream && stream->capture) tables.captures.leave(*stream);
  return tables.streams.destroy(handle) ? Status::success : Status::invalid_handle;
}

Status record_event(WorkTables& tables, void* handle, void* stream, unsigned flags,
                    std::chrono::steady_clock::time_point now) {
  Stream* capturing = nullptr;
  if (const Status status = before_work(tables, stream, capturing); status != Status::success) return status;
  if (flags > 1) return Status::invalid_value;
  Event* event = tables.events.find(handle);
  if (!event) return Status::invalid_handle;
  if (!capturing) {
    if (flags & kRecordExternal) return Status::illegal_state;
    return tables.events.record(handle, now);
  }
  if (flags & kRecordExternal) return capture(tables, *capturing, Work(EventWork{handle, true}));
  event->capture = capturing->capture;
  event->tail = capturing->tail;
  return Status::success;
}

Status wait_for_event(WorkTables& tables, void* handle, void* event_handle, unsigned flags) {
  Stream* stream = tables.streams.find(handle);
  const Event* event = tables.events.find(event_handle);
  if (!stream || !event) return Status::invalid_handle;
  if (flags > 1) return Status::invalid_value;
  Capture* mine = capture_of(tables, *stream);
  if (mine && mine->invalidated) return Status::stream_capture_invalidated;
  if (flags & kWaitExternal) {
    if (!mine) return Status::illegal_state;
    return capture(tables, *stream, Work(EventWork{event_handle, false}));
  }
  if (!event->capture) {
    if (!mine || !event->recorded) return Status::success;
    mine->invalidated = true;  // the graph would wait for what is not in it
    return Status::stream_capture_isolation;
  }
  Capture* theirs = tables.captures.find(event->capture);
  if (!theirs) return Status::captured_event;
  if (theirs->invalidated) return Status::stream_capture_invalidated;
  if (is_legacy(tables, stream)) {
    theirs->invalidated = true;
    return Status::stream_capture_implicit;
  }
  if (mine && mine != theirs) {
    mine->invalidated = theirs->invalidated = true;
    return Status::stream_capture_merge;
  }
  join(*theirs, *stream);
  add_once(stream->tail, event->tail);
  return Status::success;
}

Status query_event(WorkTables& tables, void* handle) {
  const Event* event = tables.events.find(handle);
  if (!event) return Status::invalid_handle;
  if (!event->capture) return Status::success;
  if (Capture* capture = tables.captures.find(event->capture)) capture->invalidated = true;
  return Status::captured_event;
}

}  // namespace bankshot::cuda

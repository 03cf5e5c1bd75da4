// Instances of graphs, objects that graphs keep alive, and the memory that graphs allocate.
#include <cstring>

#include "bankshot/cuda/graph_calls/graph_calls.hpp"
#include "bankshot/cuda/graph_calls/graph_run.hpp"
#include "bankshot/cuda/graphs/capture.hpp"
#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda::graphs {
namespace {

/// CUgraphMem_attribute.
enum MemoryAttribute : int { used_now, used_most, kept_now, kept_most };

uint64_t* counter(GraphMemoryUse& use, int which) {
  switch (which) {
    case used_now:
    case kept_now: return &use.mapped;
    case used_most: return &use.most_used;
    case kept_most: return &use.most_kept;
    default: return nullptr;
  }
}

Node* instance_node(Session& session, GraphExec* exec, const Node* node) {
  const auto found = session.work().graph_execs.find(exec);
  if (!found || !session.work().graphs.contains(node)) return nullptr;
  const auto copy = found->copies.find(node->id);
  if (copy == found->copies.end()) return nullptr;
  const NodeType type = type_of(copy->second->work);
  const bool can_be = type == NodeType::kernel || type == NodeType::copy || type == NodeType::fill;
  return can_be ? copy->second : nullptr;
}

/// A launch that is captured: a child of the graph for which it is, with the same limits as a child that is added.
MadeWork child_in_capture(Session& session, const Stream& stream, const Graph& launched) {
  if (has_memory(launched)) return Status::not_supported;
  auto child = launched.clone();
  child->inside = session.work().captures.find(stream.capture)->graph;
  return Work(ChildWork{std::move(child)});
}

}  // namespace

Status instantiate(Session& session, GraphExec** exec, Graph* graph, unsigned long long flags,
                   abi::InstantiateParameters* problem) {
  constexpr auto kKnown =
      GraphExec::kAutoFree | GraphExec::kUpload | GraphExec::kDeviceLaunch | GraphExec::kNodePriority;
  if (problem) problem->result = static_cast<int>(InstantiateResult::error);
  if (!exec || !session.work().graphs.contains(static_cast<const Graph*>(graph)) || (flags & ~kKnown) ||
      ((flags & GraphExec::kDeviceLaunch) && (flags & GraphExec::kAutoFree)))
    return Status::invalid_value;
  auto made = cuda::instantiate(*graph, flags);
  if (!made) {
    if (problem) {
      problem->result = static_cast<int>(made.error().result);
      problem->error_node = made.error().node;
    }
    return made.error().result == InstantiateResult::not_supported ? Status::not_supported : Status::invalid_value;
  }
  *exec = session.work().graph_execs.add(std::move(*made));
  if (problem) {
    problem->result = static_cast<int>(InstantiateResult::success);
    problem->error_node = nullptr;
  }
  return Status::success;
}

Status instantiate_with(Session& session, GraphExec** exec, Graph* graph, abi::InstantiateParameters* parameters) {
  if (!parameters) return Status::invalid_value;
  return instantiate(session, exec, graph, parameters->flags, parameters);
}

Status update(Session& session, GraphExec* exec, const Graph* graph, abi::UpdateResult* result) {
  const auto found = session.work().graph_execs.find(exec);
  if (!found || !session.work().graphs.contains(graph) || !result) return Status::invalid_value;
  const UpdateProblem problem = cuda::update(*found, *graph);
  *result = {static_cast<int>(problem.outcome), const_cast<Node*>(problem.node), const_cast<Node*>(problem.from)};
  return problem.outcome == UpdateOutcome::success ? Status::success : Status::graph_update_failure;
}

Status upload(Session& session, GraphExec* exec, void* stream) {
  if (!session.work().streams.find(stream)) return Status::invalid_handle;
  const auto found = session.work().graph_execs.find(exec);
  if (!found) return Status::invalid_value;
  found->uploaded = true;
  return Status::success;
}

Status destroy(Session& session, GraphExec* exec) {
  return session.work().graph_execs.destroy(exec) ? Status::success : Status::invalid_value;
}

Status flags(Session& session, const GraphExec* exec, unsigned long long* flags) {
  const auto found = session.work().graph_execs.find(exec);
  if (!found || !flags) return Status::invalid_value;
  *flags = found->flags;
  return Status::success;
}

Status enable(Session& session, GraphExec* exec, const Node* node, unsigned enabled) {
  Node* copy = instance_node(session, exec, node);
  if (!copy) return Status::invalid_value;
  copy->enabled = enabled != 0;
  return Status::success;
}

Status is_enabled(Session& session, GraphExec* exec, const Node* node, unsigned* enabled) {
  const Node* copy = instance_node(session, exec, node);
  if (!copy || !enabled) return Status::invalid_value;
  *enabled = copy->enabled;
  return Status::success;
}

Status launch(Session& session, GraphExec* exec, void* stream) {
  std::shared_ptr<GraphExec> found;
  {
    const std::lock_guard lock(session.mutex());
    found = session.work().graph_execs.find(exec);
    if (!found) return Status::invalid_value;
    Stream* capturing = nullptr;
    if (const Status status = before_work(session.work(), stream, capturing); status != Status::success) return status;
    if (capturing) return capture(session.work(), *capturing, child_in_capture(session, *capturing, *found->graph));
  }
  return cuda::launch(session, std::move(found), stream);
}

Status create_object(Session& session, UserObject** object, void* data, void (*destroy)(void*), unsigned references,
                     unsigned flags) {
  constexpr unsigned kNoDestructorSync = 1;  // required: the program may not wait for the destructor
  if (!object || !destroy || references == 0 || flags != kNoDestructorSync) return Status::invalid_value;
  *object = session.work().graphs.create_object({data, destroy, references});
  return Status::success;
}

Status retain(Session& session, UserObject* object, unsigned count) {
  if (!session.work().graphs.contains(static_cast<const UserObject*>(object)) || count == 0)
    return Status::invalid_value;
  object->callers += count;
  return Status::success;
}

Status release(Session& session, UserObject* object, unsigned count) {
  if (!session.work().graphs.contains(static_cast<const UserObject*>(object)) || count == 0 || count > object->callers)
    return Status::invalid_value;
  session.work().graphs.release(object, count, 0);
  return Status::success;
}

Status retain(Session& session, Graph* graph, UserObject* object, unsigned count, unsigned flags) {
  constexpr unsigned kMove = 1;  // the caller's references become the graph's
  GraphTable& table = session.work().graphs;
  if (!table.contains(static_cast<const Graph*>(graph)) || !table.contains(static_cast<const UserObject*>(object)) ||
      count == 0 || (flags & ~kMove))
    return Status::invalid_value;
  const bool moves = (flags & kMove) != 0;
  if (moves && count > object->callers) return Status::invalid_value;
  graph->retain(object, count, moves);
  return Status::success;
}

Status release(Session& session, Graph* graph, UserObject* object, unsigned count) {
  if (!session.work().graphs.contains(static_cast<const Graph*>(graph)) || count == 0) return Status::invalid_value;
  const auto held = graph->objects.find(object);
  if (held == graph->objects.end() || held->second < count) return Status::invalid_value;
  held->second -= count;
  if (held->second == 0) graph->objects.erase(held);
  session.work().graphs.release(object, 0, count);
  return Status::success;
}

void destroy_unused(Session& session) {
  std::vector<UserObject> unused;
  {
    const std::lock_guard lock(session.mutex());
    unused = session.work().graphs.take_unused();
  }
  for (const UserObject& object : unused) object.destroy(object.data);
}

Status memory_attribute(Session& session, int device, int which, void* value) {
  const uint64_t* found = counter(session.memory().graph_use, which);
  if (device != 0) return Status::invalid_device;
  if (!found || !value) return Status::invalid_value;
  std::memcpy(value, found, sizeof *found);
  return Status::success;
}

/// Only the marks of the highest use can be set, and only to 0, which sets them to what is in use.
Status set_memory_attribute(Session& session, int device, int which, const void* value) {
  uint64_t number = 1;
  if (device != 0) return Status::invalid_device;
  if (value) std::memcpy(&number, value, sizeof number);
  if ((which != used_most && which != kept_most) || number != 0) return Status::invalid_value;
  *counter(session.memory().graph_use, which) = *counter(session.memory().graph_use, which - 1);
  return Status::success;
}

Status trim(Session& session, int device) {
  if (device != 0) return Status::invalid_device;
  session.memory().graph_use.trim();
  return Status::success;
}

}  // namespace bankshot::cuda::graphs

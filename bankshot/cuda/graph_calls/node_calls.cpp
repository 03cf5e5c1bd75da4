// Nodes whose kind is in their parameters.
#include "bankshot/cuda/graph_calls/graph_calls.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda::graphs {

MadeWork operations_work(const abi::MemoryOperationsNode* parameters) {
  if (!parameters) return Status::invalid_value;
  return memory_operations_work(parameters->operations, parameters->count, parameters->flags);
}

Status operations_of(Session& session, Node* node, abi::MemoryOperationsNode* parameters) {
  auto* work = work_of<MemoryOperationsWork>(session, node);
  if (!work || !parameters) return Status::invalid_value;
  *parameters = {nullptr, static_cast<unsigned>(work->operations.size()), work->operations.data(), 0};
  return Status::success;
}

namespace {

/// Work that needs no more than its parameters.
MadeWork plain_work(Session& session, const abi::NodeParameters& parameters, MakeWork make) {
  switch (static_cast<NodeType>(parameters.type)) {
    case NodeType::kernel:
    case NodeType::copy: return make(session, parameters);
    case NodeType::fill: return fill_work(&parameters.fill);
    case NodeType::host: return host_work(&parameters.host);
    case NodeType::empty: return Work(EmptyWork{});
    case NodeType::wait_event: return event_work(session, parameters.event, false);
    case NodeType::record_event: return event_work(session, parameters.event, true);
    case NodeType::memory_operations: return operations_work(&parameters.memory_operations);
    case NodeType::free: return free_work(session.memory(), parameters.free);
    case NodeType::signal_semaphores:
    case NodeType::wait_semaphores:
      say_once("semaphores in graphs", "nodes for external semaphores are not supported in graphs");
      return Status::not_supported;
    default: return Status::invalid_value;
  }
}

}  // namespace

Status add_node(Session& session, Node** node, Graph* graph, Node* const* dependencies, const abi::EdgeData* data,
                size_t count, abi::NodeParameters* parameters, MakeWork make) {
  if (!parameters) return Status::invalid_value;
  switch (static_cast<NodeType>(parameters->type)) {
    case NodeType::child:
      return add_child(session, node, graph, dependencies, data, count, static_cast<Graph*>(parameters->child.graph),
                       parameters->child.ownership == 1);
    case NodeType::allocate:
      return add_allocate(session, node, graph, dependencies, data, count, &parameters->allocate);
    case NodeType::free: return add_free(session, node, graph, dependencies, data, count, parameters->free);
    case NodeType::conditional:
      return add_conditional(session, node, graph, dependencies, data, count, parameters->conditional);
    default: break;
  }
  return add(session, node, graph, dependencies, data, count, plain_work(session, *parameters, make));
}

Status set_node(Session& session, Node* node, const abi::NodeParameters* parameters, MakeWork make) {
  return parameters ? set(session, node, plain_work(session, *parameters, make)) : Status::invalid_value;
}

Status set_node(Session& session, GraphExec* exec, const Node* node, const abi::NodeParameters* parameters,
                MakeWork make) {
  if (!parameters) return Status::invalid_value;
  if (static_cast<NodeType>(parameters->type) == NodeType::child)
    return set_child(session, exec, node, static_cast<Graph*>(parameters->child.graph));
  return set(session, exec, node, plain_work(session, *parameters, make));
}

}  // namespace bankshot::cuda::graphs

// The functions on graphs that are the same in both interfaces. An invalid handle gives invalid_value.
#pragma once

#include "bankshot/cuda/graphs/graph_exec.hpp"
#include "bankshot/cuda/graphs/node_work.hpp"
#include "bankshot/cuda/launch/kernel_work.hpp"

namespace bankshot::cuda::graphs {

Status create(Session& session, Graph** graph, unsigned flags);
Status destroy(Session& session, Graph* graph);
Status clone(Session& session, Graph** copy, const Graph* graph);
Status find_in_clone(Session& session, Node** found, const Node* node, const Graph* copy);

/// Whether the graph, or one inside, has memory that it allocates or frees: its addresses are one graph's only.
bool has_memory(const Graph& graph);
/// Whether it, or one inside, has conditional nodes: clones of it are not allowed. Source: CUDA driver API reference,
/// cuGraphClone
bool has_conditions(const Graph& graph);

/// Adds a node. @param node  may be null @param data  of the edges, may be null
Status add(Session& session, Node** node, Graph* graph, Node* const* dependencies, const abi::EdgeData* data,
           size_t count, MadeWork work);
Status add_child(Session& session, Node** node, Graph* graph, Node* const* dependencies, const abi::EdgeData* data,
                 size_t count, Graph* child, bool moves = false);
Status add_event(Session& session, Node** node, Graph* graph, Node* const* dependencies, size_t count, void* event,
                 bool records);
/// The address goes into the parameters.
Status add_allocate(Session& session, Node** node, Graph* graph, Node* const* dependencies, const abi::EdgeData* data,
                    size_t count, abi::AllocateNode* parameters);
/// @return invalid_value for an address that no node allocates, or that a node of the graph frees
Status add_free(Session& session, Node** node, Graph* graph, Node* const* dependencies, const abi::EdgeData* data,
                size_t count, uint64_t address);
/// The bodies, which are empty graphs, go into the parameters.
Status add_conditional(Session& session, Node** node, Graph* graph, Node* const* dependencies,
                       const abi::EdgeData* data, size_t count, abi::ConditionalNode& parameters);
Status create_condition(Session& session, unsigned long long* handle, Graph* graph, unsigned initial, unsigned flags);
/// Graphs that allocate or free memory keep their nodes and edges: remove() and disconnect() return invalid_value.
/// Source: CUDA driver API reference, cuGraphDestroyNode and cuGraphRemoveDependencies
Status remove(Session& session, Node* node);

// Nodes from CUgraphNodeParams. The structures of kernels and copies differ in the two interfaces: `make` makes their
// work.
using MakeWork = MadeWork (*)(Session&, const abi::NodeParameters&);
Status add_node(Session& session, Node** node, Graph* graph, Node* const* dependencies, const abi::EdgeData* data,
                size_t count, abi::NodeParameters* parameters, MakeWork make);
Status set_node(Session& session, Node* node, const abi::NodeParameters* parameters, MakeWork make);
Status set_node(Session& session, GraphExec* exec, const Node* node, const abi::NodeParameters* parameters,
                MakeWork make);

Status type(Session& session, const Node* node, int* type);
// Lists: with null for the places only the count is given, else as many as `count` says, the rest null.
Status nodes(Session& session, const Graph* graph, Node** out, size_t* count, bool roots_only = false);
Status edges(Session& session, const Graph* graph, Node** from, Node** to, abi::EdgeData* data, size_t* count);
Status dependencies(Session& session, Node* node, Node** out, abi::EdgeData* data, size_t* count);
Status dependents(Session& session, Node* node, Node** out, abi::EdgeData* data, size_t* count);
Status connect(Session& session, Graph* graph, Node* const* from, Node* const* to, const abi::EdgeData* data,
               size_t count);
Status disconnect(Session& session, Graph* graph, Node* const* from, Node* const* to, size_t count);

/// The work of a node of that kind. Null if the node is none, or does something else.
template <class Kind>
Kind* work_of(Session& session, Node* node) {
  return session.work().graphs.contains(static_cast<const Node*>(node)) ? std::get_if<Kind>(&node->work) : nullptr;
}

/// Replaces what a node does by something of the same type. Attributes of a kernel node stay.
Status set(Session& session, Node* node, MadeWork work);
/// The same in an instance. @param node  of the graph that was instantiated
Status set(Session& session, GraphExec* exec, const Node* node, MadeWork work);
Status set_child(Session& session, GraphExec* exec, const Node* node, const Graph* child);
MadeWork event_work(Session& session, void* event, bool records);

Status child_of(Session& session, Node* node, Graph** graph);
Status event_of(Session& session, Node* node, void** event, bool records);
Status allocation_of(Session& session, Node* node, abi::AllocateNode* parameters);
Status freed_by(Session& session, Node* node, void* address);
/// Operations on values in memory. The parameters that are given back refer to the node's own.
MadeWork operations_work(const abi::MemoryOperationsNode* parameters);
Status operations_of(Session& session, Node* node, abi::MemoryOperationsNode* parameters);
template <class Kind, class Parameters>
Status parameters_of(Session& session, Node* node, Parameters* parameters) {
  const Kind* work = work_of<Kind>(session, node);
  if (!work || !parameters) return Status::invalid_value;
  *parameters = work->what;
  return Status::success;
}

Status get_attribute(Session& session, Node* node, int id, void* value);
Status set_attribute(Session& session, Node* node, int id, const void* value);
Status copy_attributes(Session& session, Node* to, Node* from);

Status instantiate(Session& session, GraphExec** exec, Graph* graph, unsigned long long flags,
                   abi::InstantiateParameters* problem = nullptr);
Status instantiate_with(Session& session, GraphExec** exec, Graph* graph, abi::InstantiateParameters* parameters);
Status update(Session& session, GraphExec* exec, const Graph* graph, abi::UpdateResult* result);
Status upload(Session& session, GraphExec* exec, void* stream);
Status destroy(Session& session, GraphExec* exec);
Status flags(Session& session, const GraphExec* exec, unsigned long long* flags);
Status enable(Session& session, GraphExec* exec, const Node* node, unsigned enabled);
Status is_enabled(Session& session, GraphExec* exec, const Node* node, unsigned* enabled);
/// Takes the session's lock itself. On a stream that is captured the graph becomes a node.
Status launch(Session& session, GraphExec* exec, void* stream);

Status create_object(Session& session, UserObject** object, void* data, void (*destroy)(void*), unsigned references,
                     unsigned flags);
Status retain(Session& session, UserObject* object, unsigned count);
Status release(Session& session, UserObject* object, unsigned count);
Status retain(Session& session, Graph* graph, UserObject* object, unsigned count, unsigned flags);
Status release(Session& session, Graph* graph, UserObject* object, unsigned count);
/// Calls the destructors of objects without references. Takes the session's lock itself.
void destroy_unused(Session& session);

Status memory_attribute(Session& session, int device, int which, void* value);
Status set_memory_attribute(Session& session, int device, int which, const void* value);
Status trim(Session& session, int device);

/// Writes the graph in Graphviz's language. @return success, or operating_system if the file cannot be written
Status print_dot(Session& session, const Graph* graph, const char* path, unsigned flags);

}  // namespace bankshot::cuda::graphs

#include "bankshot/cuda/graph_calls/graph_calls.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "bankshot/cuda/graphs/capture.hpp"
#include "bankshot/cuda/launch/launch_attributes.hpp"
#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda::graphs {
namespace {

bool is_graph(Session& session, const Graph* graph) { return session.work().graphs.contains(graph); }
bool is_node(Session& session, const Node* node) { return session.work().graphs.contains(node); }

/// Copies a list to where a program wants it. @param get  the k-th element
template <class T, class Get>
void list(T* out, size_t room, size_t size, Get&& get) {
  for (size_t k = 0; out && k < room; ++k) out[k] = k < size ? get(k) : T{};
}

/// Whether streams are being captured for the graph, or for one inside: their last nodes must stay.
bool is_captured_for(Session& session, const Graph* graph) {
  bool found = false;
  session.work().captures.for_each([&](const Capture& capture) {
    for (const Graph* g = capture.graph; g != nullptr; g = g->inside) found |= g == graph;
  });
  return found;
}

/// Source: CUDA driver API reference, cuGraphConditionalHandleCreate: of the graph, or of one around it.
bool is_condition_of(const Condition& condition, const Graph* graph) {
  const auto is_same = [&](const auto& other) { return other.get() == &condition; };
  for (; graph != nullptr; graph = graph->inside)
    if (std::ranges::any_of(graph->conditions, is_same)) return true;
  return false;
}

Status replace(Node& node, MadeWork work) {
  if (!work) return work.error();
  if (type_of(*work) != type_of(node.work)) return Status::invalid_value;
  if (auto* kernel = std::get_if<KernelWork>(&*work)) kernel->attributes = std::get<KernelWork>(node.work).attributes;
  node.work = std::move(*work);
  return Status::success;
}

/// The node of an instance for one of the graph that was instantiated, or null.
Node* node_of(Session& session, GraphExec* exec, const Node* node) {
  const auto found = session.work().graph_execs.find(exec);
  if (!found || !is_node(session, node)) return nullptr;
  const auto copy = found->copies.find(node->id);
  return copy == found->copies.end() ? nullptr : copy->second;
}

}  // namespace

bool has_memory(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const auto& node) {
    bool found = std::holds_alternative<AllocateWork>(node->work) || std::holds_alternative<FreeWork>(node->work);
    for_each_inside(*node, [&](const Graph& inside) { found |= has_memory(inside); });
    return found;
  });
}

bool has_conditions(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const auto& node) {
    bool found = std::holds_alternative<ConditionalWork>(node->work);
    for_each_inside(*node, [&](const Graph& inside) { found |= has_conditions(inside); });
    return found;
  });
}

Status create(Session& session, Graph** graph, unsigned flags) {
  if (!graph || flags != 0) return Status::invalid_value;
  *graph = session.work().graphs.create();
  return Status::success;
}

Status destroy(Session& session, Graph* graph) {
  if (is_captured_for(session, graph)) return Status::invalid_value;
  return session.work().graphs.destroy(graph) ? Status::success : Status::invalid_value;
}

Status clone(Session& session, Graph** copy, const Graph* graph) {
  if (!copy || !is_graph(session, graph)) return Status::invalid_value;
  if (has_memory(*graph) || has_conditions(*graph)) return Status::not_supported;  // addresses are one graph's only
  *copy = session.work().graphs.adopt(graph->clone());
  return Status::success;
}

Status find_in_clone(Session& session, Node** found, const Node* node, const Graph* copy) {
  if (!found || !is_node(session, node) || !is_graph(session, copy)) return Status::invalid_value;
  for (const auto& candidate : copy->nodes)
    if (candidate->copied_from == node->id) {
      *found = candidate.get();
      return Status::success;
    }
  return Status::invalid_value;
}

Status add(Session& session, Node** node, Graph* graph, Node* const* dependencies, const abi::EdgeData* data,
           size_t count, MadeWork work) {
  if (!is_graph(session, graph)) return Status::invalid_value;
  auto edges = edges_to(session.work(), *graph, dependencies, data, count);
  if (!edges) return edges.error();
  if (!work) return work.error();
  Node* added = graph->add(std::move(*work), std::move(*edges));
  if (node) *node = added;
  return Status::success;
}

Status add_child(Session& session, Node** node, Graph* graph, Node* const* dependencies, const abi::EdgeData* data,
                 size_t count, Graph* child, bool moves) {
  if (!is_graph(session, graph) || !is_graph(session, child) || child == graph) return Status::invalid_value;
  if (!moves && has_memory(*child)) return Status::not_supported;
  for (const Graph* outer = graph; moves && outer; outer = outer->inside)
    if (outer == child) return Status::invalid_value;
  if (const auto edges = edges_to(session.work(), *graph, dependencies, data, count); !edges) return edges.error();
  ChildWork work{moves ? session.work().graphs.take(child) : child->clone()};
  if (!work.graph) return Status::invalid_value;
  work.graph->inside = graph;
  return add(session, node, graph, dependencies, data, count, Work(std::move(work)));
}

MadeWork event_work(Session& session, void* event, bool records) {
  if (session.work().events.exists(event) != Status::success) return Status::invalid_value;
  return Work(EventWork{event, records});
}

Status add_event(Session& session, Node** node, Graph* graph, Node* const* dependencies, size_t count, void* event,
                 bool records) {
  return add(session, node, graph, dependencies, nullptr, count, event_work(session, event, records));
}

Status add_allocate(Session& session, Node** node, Graph* graph, Node* const* dependencies, const abi::EdgeData* data,
                    size_t count, abi::AllocateNode* parameters) {
  if (!parameters) return Status::invalid_value;
  MadeWork work = allocate_work(session.memory(), *parameters);
  if (work) parameters->address = std::get<AllocateWork>(*work).memory->address;
  return add(session, node, graph, dependencies, data, count, std::move(work));
}

Status add_free(Session& session, Node** node, Graph* graph, Node* const* dependencies, const abi::EdgeData* data,
                size_t count, uint64_t address) {
  if (!is_graph(session, graph)) return Status::invalid_value;
  for (const auto& other : graph->nodes)
    if (const auto* free = std::get_if<FreeWork>(&other->work); free && free->address == address)
      return Status::invalid_value;
  return add(session, node, graph, dependencies, data, count, free_work(session.memory(), address));
}

Status add_conditional(Session& session, Node** node, Graph* graph, Node* const* dependencies,
                       const abi::EdgeData* data, size_t count, abi::ConditionalNode& parameters) {
  if (!is_graph(session, graph)) return Status::invalid_value;
  ConditionalWork work;
  work.condition = session.work().graphs.find_condition(parameters.handle);
  const bool is_switch = parameters.type == ConditionalWork::choose_switch;
  const unsigned most = parameters.type == ConditionalWork::choose_if ? 2 : 1;  // the second body of IF is its else
  if (!work.condition || !is_condition_of(*work.condition, graph) || parameters.type < 0 ||
      parameters.type > ConditionalWork::choose_switch || parameters.size == 0 ||
      (!is_switch && parameters.size > most))
    return Status::invalid_value;
  if (const auto edges = edges_to(session.work(), *graph, dependencies, data, count); !edges) return edges.error();
  work.kind = static_cast<ConditionalWork::Kind>(parameters.type);
  for (unsigned k = 0; k < parameters.size; ++k) {
    work.bodies.push_back(std::make_unique<Graph>(session.work().graphs));
    work.bodies.back()->inside = graph;
    work.handles.push_back(work.bodies.back().get());
  }
  Node* added = nullptr;
  const Status status = add(session, &added, graph, dependencies, data, count, Work(std::move(work)));
  if (status != Status::success) return status;
  parameters.bodies = std::get<ConditionalWork>(added->work).handles.data();
  if (node) *node = added;
  return Status::success;
}

Status create_condition(Session& session, unsigned long long* handle, Graph* graph, unsigned initial, unsigned flags) {
  constexpr unsigned kAssign = 1;
  if (!handle || !is_graph(session, graph) || (flags & ~kAssign)) return Status::invalid_value;
  // Not of a kind that the program frees.
  const auto address = session.memory().engine().allocate(sizeof(uint32_t), simt::MemoryKind::module_global, 256,
                                                          "condition of a graph");
  if (!address) return Status::out_of_memory;
  graph->conditions.push_back(
      std::make_shared<Condition>(session.memory().engine(), *address, initial, (flags & kAssign) != 0));
  *handle = *address;
  return Status::success;
}

Status remove(Session& session, Node* node) {
  if (!is_node(session, node) || is_captured_for(session, node->graph) || has_memory(*node->graph))
    return Status::invalid_value;
  node->graph->remove(node);
  return Status::success;
}

Status type(Session& session, const Node* node, int* type) {
  if (!type || !is_node(session, node)) return Status::invalid_value;
  *type = static_cast<int>(type_of(node->work));
  return Status::success;
}

Status nodes(Session& session, const Graph* graph, Node** out, size_t* count, bool roots_only) {
  if (!count || !is_graph(session, graph)) return Status::invalid_value;
  std::vector<Node*> wanted;
  for (const auto& node : graph->nodes)
    if (!roots_only || node->dependencies.empty()) wanted.push_back(node.get());
  list(out, *count, wanted.size(), [&](size_t k) { return wanted[k]; });
  if (!out || *count > wanted.size()) *count = wanted.size();
  return Status::success;
}

Status edges(Session& session, const Graph* graph, Node** from, Node** to, abi::EdgeData* data, size_t* count) {
  if (!count || !is_graph(session, graph) || !from != !to) return Status::invalid_value;
  std::vector<std::pair<Node*, Edge>> all;
  for (const auto& node : graph->nodes)
    for (const Edge& edge : node->dependencies) all.push_back({node.get(), edge});
  list(from, *count, all.size(), [&](size_t k) { return all[k].second.node; });
  list(to, *count, all.size(), [&](size_t k) { return all[k].first; });
  list(data, *count, all.size(), [&](size_t k) { return all[k].second.data; });
  if (!from || *count > all.size()) *count = all.size();
  return Status::success;
}

Status dependencies(Session& session, Node* node, Node** out, abi::EdgeData* data, size_t* count) {
  if (!count || !is_node(session, node)) return Status::invalid_value;
  const auto& before = node->dependencies;
  list(out, *count, before.size(), [&](size_t k) { return before[k].node; });
  list(data, *count, before.size(), [&](size_t k) { return before[k].data; });
  if (!out || *count > before.size()) *count = before.size();
  return Status::success;
}

Status dependents(Session& session, Node* node, Node** out, abi::EdgeData* data, size_t* count) {
  if (!count || !is_node(session, node)) return Status::invalid_value;
  const auto& after = node->dependents;
  list(out, *count, after.size(), [&](size_t k) { return after[k]; });
  list(data, *count, after.size(),
       [&](size_t k) { return std::ranges::find(after[k]->dependencies, node, &Edge::node)->data; });
  if (!out || *count > after.size()) *count = after.size();
  return Status::success;
}

Status connect(Session& session, Graph* graph, Node* const* from, Node* const* to, const abi::EdgeData* data,
               size_t count) {
  if (!is_graph(session, graph) || (count > 0 && (!from || !to))) return Status::invalid_value;
  std::set<std::pair<const Node*, const Node*>> seen;
  for (size_t k = 0; k < count; ++k) {
    const bool fine = is_node(session, from[k]) && is_node(session, to[k]) && from[k]->graph == graph &&
                      to[k]->graph == graph && from[k] != to[k] && !graph->depends(to[k], from[k]) &&
                      seen.insert({from[k], to[k]}).second;
    if (!fine) return Status::invalid_value;
  }
  for (size_t k = 0; k < count; ++k) graph->connect(from[k], to[k], data ? data[k] : abi::EdgeData{});
  return Status::success;
}

Status disconnect(Session& session, Graph* graph, Node* const* from, Node* const* to, size_t count) {
  if (!is_graph(session, graph) || (count > 0 && (!from || !to || has_memory(*graph)))) return Status::invalid_value;
  for (size_t k = 0; k < count; ++k)
    if (!is_node(session, from[k]) || !is_node(session, to[k]) || !graph->depends(to[k], from[k]))
      return Status::invalid_value;
  for (size_t k = 0; k < count; ++k) graph->disconnect(from[k], to[k]);
  return Status::success;
}

Status set(Session& session, Node* node, MadeWork work) {
  return is_node(session, node) ? replace(*node, std::move(work)) : Status::invalid_value;
}

Status set(Session& session, GraphExec* exec, const Node* node, MadeWork work) {
  Node* copy = node_of(session, exec, node);
  return copy ? replace(*copy, std::move(work)) : Status::invalid_value;
}

Status set_child(Session& session, GraphExec* exec, const Node* node, const Graph* child) {
  Node* copy = node_of(session, exec, node);
  if (!copy || !is_graph(session, child) || !std::holds_alternative<ChildWork>(copy->work))
    return Status::invalid_value;
  // As updating the instance with a graph that has the new child in place of the old one.
  const auto found = session.work().graph_execs.find(exec);
  auto changed = found->graph->clone();
  const auto place = std::ranges::find_if(found->graph->nodes, [&](const auto& owned) { return owned.get() == copy; });
  if (place == found->graph->nodes.end()) return Status::not_supported;  // a child of a child
  Node& target = *changed->nodes[static_cast<size_t>(place - found->graph->nodes.begin())];
  auto fresh = child->clone();
  fresh->inside = changed.get();
  target.work = ChildWork{std::move(fresh)};
  return cuda::update(*found, *changed).outcome == UpdateOutcome::success ? Status::success
                                                                          : Status::graph_update_failure;
}

Status child_of(Session& session, Node* node, Graph** graph) {
  const auto* child = work_of<ChildWork>(session, node);
  if (!child || !graph) return Status::invalid_value;
  *graph = child->graph.get();
  return Status::success;
}

Status event_of(Session& session, Node* node, void** event, bool records) {
  const auto* work = work_of<EventWork>(session, node);
  if (!work || work->records != records || !event) return Status::invalid_value;
  *event = work->event;
  return Status::success;
}

Status allocation_of(Session& session, Node* node, abi::AllocateNode* parameters) {
  return parameters_of<AllocateWork>(session, node, parameters);
}

Status freed_by(Session& session, Node* node, void* address) {
  const auto* work = work_of<FreeWork>(session, node);
  if (!work || !address) return Status::invalid_value;
  std::memcpy(address, &work->address, sizeof work->address);
  return Status::success;
}

Status get_attribute(Session& session, Node* node, int id, void* value) {
  const auto* kernel = work_of<KernelWork>(session, node);
  if (!kernel || !value) return Status::invalid_value;
  const auto found = kernel->attributes.find(id);
  std::array<char, 64> bytes{};
  if (found != kernel->attributes.end()) bytes = found->second;
  std::memcpy(value, bytes.data(), bytes.size());
  return Status::success;
}

Status set_attribute(Session& session, Node* node, int id, const void* value) {
  auto* kernel = work_of<KernelWork>(session, node);
  if (!kernel || !value) return Status::invalid_value;
  abi::LaunchAttribute attribute{.id = id, .pad = {}, .value = {}};
  std::memcpy(&attribute.value, value, sizeof attribute.value);
  LaunchRequest request;
  if (const Status status = apply_launch_attributes({&attribute, 1}, request); status != Status::success) return status;
  std::memcpy(kernel->attributes[id].data(), value, 64);
  return Status::success;
}

Status copy_attributes(Session& session, Node* to, Node* from) {
  auto* target = work_of<KernelWork>(session, to);
  const auto* source = work_of<KernelWork>(session, from);
  if (!target || !source) return Status::invalid_value;
  target->attributes = source->attributes;
  return Status::success;
}

}  // namespace bankshot::cuda::graphs

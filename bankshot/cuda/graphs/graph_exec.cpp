#include "bankshot/cuda/graphs/graph_exec.hpp"

#include <algorithm>

namespace bankshot::cuda {
namespace {

/// @return the graph in which nodes depend on themselves, or null
const Graph* sort(GraphExec::Orders& orders, const Graph& graph) {
  auto order = graph.order();
  if (order.size() != graph.nodes.size()) return &graph;
  const Graph* bad = nullptr;
  for (const Node* node : order)
    for_each_inside(*node, [&](const Graph& inside) {
      if (!bad) bad = sort(orders, inside);
    });
  orders[&graph] = std::move(order);
  return bad;
}

UpdateProblem compare(const Graph& ours, const Graph& theirs);

UpdateProblem compare(const Node& ours, const Node& theirs, const std::unordered_map<const Node*, const Node*>& other) {
  if (type_of(ours.work) != type_of(theirs.work)) return {UpdateOutcome::type, &theirs, nullptr};
  const auto size = std::max(ours.dependencies.size(), theirs.dependencies.size());
  for (size_t k = 0; k < size; ++k) {
    if (k >= theirs.dependencies.size()) return {UpdateOutcome::topology, &theirs, nullptr};
    const Node* from = theirs.dependencies[k].node;
    const auto is_same = [&](const Edge& edge) { return edge.node == other.at(from); };
    if (ours.dependencies.size() != theirs.dependencies.size() || std::ranges::none_of(ours.dependencies, is_same))
      return {UpdateOutcome::topology, &theirs, from};
  }
  if (const auto* child = std::get_if<ChildWork>(&ours.work))
    return compare(*child->graph, *std::get<ChildWork>(theirs.work).graph);
  if (const auto* mine = std::get_if<ConditionalWork>(&ours.work)) {
    const auto& yours = std::get<ConditionalWork>(theirs.work);
    if (mine->kind != yours.kind || mine->bodies.size() != yours.bodies.size())
      return {UpdateOutcome::parameters, &theirs, nullptr};
    for (size_t k = 0; k < mine->bodies.size(); ++k)
      if (const auto problem = compare(*mine->bodies[k], *yours.bodies[k]); problem.outcome != UpdateOutcome::success)
        return problem;
  }
  if (const auto* mine = std::get_if<AllocateWork>(&ours.work))
    if (mine->memory->bytes != std::get<AllocateWork>(theirs.work).memory->bytes)
      return {UpdateOutcome::parameters, &theirs, nullptr};
  return {};
}

UpdateProblem compare(const Graph& ours, const Graph& theirs) {
  if (ours.nodes.size() != theirs.nodes.size()) return {UpdateOutcome::topology, nullptr, nullptr};
  std::unordered_map<const Node*, const Node*> other;
  for (size_t k = 0; k < ours.nodes.size(); ++k) other[theirs.nodes[k].get()] = ours.nodes[k].get();
  for (size_t k = 0; k < ours.nodes.size(); ++k)
    if (const auto problem = compare(*ours.nodes[k], *theirs.nodes[k], other);
        problem.outcome != UpdateOutcome::success)
      return problem;
  return {};
}

bool has_array(const CopyWork& copy) {
  constexpr int kArray = 3;
  return copy.what.src_type == kArray || copy.what.dst_type == kArray;
}

/// The first node that a device graph must not have, or null. Kernels that launch kernels, and copies of pageable
/// memory, are not found. Source: CUDA C++ Programming Guide, "Device Graph Requirements".
Node* unsupported_in_device_graph(const Graph& graph) {
  for (const auto& node : graph.nodes) {
    const NodeType type = type_of(node->work);
    if (type != NodeType::kernel && type != NodeType::copy && type != NodeType::fill && type != NodeType::child)
      return node.get();
    const auto* const copy = std::get_if<CopyWork>(&node->work);
    if (copy && has_array(*copy)) return node.get();
    const auto* const child = std::get_if<ChildWork>(&node->work);
    if (Node* const inside = child ? unsupported_in_device_graph(*child->graph) : nullptr) return inside;
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<GraphExec>, InstantiateProblem> instantiate(const Graph& graph, unsigned long long flags) {
  if (flags & GraphExec::kDeviceLaunch) {
    if (Node* const node = unsupported_in_device_graph(graph))
      return InstantiateProblem{InstantiateResult::not_supported, node};
  }
  auto exec = std::make_unique<GraphExec>();
  exec->flags = flags;
  exec->uploaded = (flags & GraphExec::kUpload) != 0;
  exec->graph = graph.clone(&exec->copies);
  auto orders = std::make_shared<GraphExec::Orders>();
  if (sort(*orders, *exec->graph)) return InstantiateProblem{InstantiateResult::cycle, nullptr};
  exec->orders = std::move(orders);
  return exec;
}

UpdateProblem update(GraphExec& exec, const Graph& graph) {
  if (const auto problem = compare(*exec.graph, graph); problem.outcome != UpdateOutcome::success) return problem;
  auto fresh = instantiate(graph, exec.flags);
  if (!fresh) return {UpdateOutcome::topology, nullptr, nullptr};
  // Handles of nodes stay those of the graph that was instantiated first.
  for (auto& [id, node] : exec.copies) {
    const auto place = std::ranges::find_if(exec.graph->nodes, [&](const auto& owned) { return owned.get() == node; });
    if (place == exec.graph->nodes.end()) continue;  // inside another graph: not to be changed by its handle any more
    Node* renewed = (*fresh)->graph->nodes[static_cast<size_t>(place - exec.graph->nodes.begin())].get();
    renewed->enabled = node->enabled;
    (*fresh)->copies[id] = renewed;
  }
  exec.graph = std::move((*fresh)->graph);
  exec.copies = std::move((*fresh)->copies);
  exec.orders = std::move((*fresh)->orders);
  return {};
}

}  // namespace bankshot::cuda

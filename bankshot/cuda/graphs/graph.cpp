#include "bankshot/cuda/graphs/graph.hpp"

#include <algorithm>
#include <queue>

namespace bankshot::cuda {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::unique_ptr<Graph> copy_inside(const Graph& graph, Graph& outer, std::unordered_map<uint64_t, Node*>* copies) {
  auto copy = graph.clone(copies);
  copy->inside = &outer;
  return copy;
}

/// Work for a node of another graph. Pointers into itself are updated.
Work inner_copy(const Work& work, Graph& outer, std::unordered_map<uint64_t, Node*>* copies) {
  return std::visit(
      Overloaded{
          [](const KernelWork& kernel) -> Work {
            KernelWork copy = kernel;
            for (size_t i = 0; i < copy.arguments.size(); ++i)
              copy.arguments[i] =
                  copy.parameters.data() + (static_cast<std::byte*>(kernel.arguments[i]) - kernel.parameters.data());
            return copy;
          },
          [&](const ChildWork& child) -> Work { return ChildWork{copy_inside(*child.graph, outer, copies)}; },
          [&](const ConditionalWork& conditional) -> Work {
            ConditionalWork copy{conditional.condition, conditional.kind, {}, {}};
            for (const auto& body : conditional.bodies) {
              copy.bodies.push_back(copy_inside(*body, outer, copies));
              copy.handles.push_back(copy.bodies.back().get());
            }
            return copy;
          },
          [](const auto& plain) -> Work { return plain; },
      },
      work);
}

}  // namespace

GraphMemory::~GraphMemory() {
  if (is_allocated()) return;  // the program frees it later, or the device is reset: the address stays taken
  memory.unreserve(address, bytes);
}

bool GraphMemory::is_allocated() const {
  const simt::Allocation* allocation = memory.find(address);
  return allocation && allocation->live;
}

NodeType type_of(const Work& work) {
  return std::visit(
      Overloaded{
          [](const KernelWork&) { return NodeType::kernel; },
          [](const CopyWork&) { return NodeType::copy; },
          [](const FillWork&) { return NodeType::fill; },
          [](const HostWork&) { return NodeType::host; },
          [](const ChildWork&) { return NodeType::child; },
          [](const EmptyWork&) { return NodeType::empty; },
          [](const EventWork& event) { return event.records ? NodeType::record_event : NodeType::wait_event; },
          [](const AllocateWork&) { return NodeType::allocate; },
          [](const FreeWork&) { return NodeType::free; },
          [](const MemoryOperationsWork&) { return NodeType::memory_operations; },
          [](const ConditionalWork&) { return NodeType::conditional; },
      },
      work);
}

Graph::Graph(GraphTable& table) : table(table), id(table.next_id_++) { table.graphs_.insert(this); }

Graph::~Graph() {
  for (const auto& node : nodes) table.nodes_.erase(node.get());
  for (const auto& [object, references] : objects) table.release(object, 0, references);
  table.graphs_.erase(this);
}

Node* Graph::add(Work work, std::vector<Edge> dependencies) {
  auto node = std::make_unique<Node>();
  node->graph = this;
  node->id = table.next_id_++;
  node->work = std::move(work);
  node->dependencies = std::move(dependencies);
  for (const Edge& edge : node->dependencies) edge.node->dependents.push_back(node.get());
  table.nodes_.insert(node.get());
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

void Graph::remove(Node* node) {
  for (const Edge& edge : node->dependencies) std::erase(edge.node->dependents, node);
  for (Node* after : node->dependents)
    std::erase_if(after->dependencies, [&](const Edge& edge) { return edge.node == node; });
  table.nodes_.erase(node);
  std::erase_if(nodes, [&](const auto& owned) { return owned.get() == node; });
}

bool Graph::depends(const Node* node, const Node* on) const {
  return std::ranges::any_of(node->dependencies, [&](const Edge& edge) { return edge.node == on; });
}

void Graph::connect(Node* from, Node* to, abi::EdgeData data) {
  to->dependencies.push_back({from, data});
  from->dependents.push_back(to);
}

void Graph::disconnect(Node* from, Node* to) {
  std::erase_if(to->dependencies, [&](const Edge& edge) { return edge.node == from; });
  std::erase(from->dependents, to);
}

void Graph::retain(UserObject* object, unsigned references, bool moves) {
  objects[object] += references;
  object->graphs += references;
  if (moves) object->callers -= references;
}

std::unique_ptr<Graph> Graph::clone(std::unordered_map<uint64_t, Node*>* copies) const {
  auto copy = std::make_unique<Graph>(table);
  copy->copied_from = id;
  copy->conditions = conditions;
  std::unordered_map<const Node*, Node*> here;
  for (const auto& node : nodes) {
    Node* added = copy->add(inner_copy(node->work, *copy, copies), {});
    added->copied_from = node->id;
    added->enabled = node->enabled;
    here[node.get()] = added;
    if (copies) (*copies)[node->id] = added;
  }
  for (const auto& node : nodes)
    for (const Edge& edge : node->dependencies) copy->connect(here[edge.node], here[node.get()], edge.data);
  for (const auto& [object, references] : objects) copy->retain(object, references, false);
  return copy;
}

std::vector<Node*> Graph::order() const {
  std::unordered_map<const Node*, size_t> place, waiting;
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    place[nodes[i].get()] = i;
    waiting[nodes[i].get()] = nodes[i]->dependencies.size();
    if (nodes[i]->dependencies.empty()) ready.push(i);
  }
  std::vector<Node*> sorted;
  while (!ready.empty()) {
    Node* node = nodes[ready.top()].get();
    ready.pop();
    sorted.push_back(node);
    for (Node* after : node->dependents)
      if (--waiting[after] == 0) ready.push(place[after]);
  }
  return sorted;
}

Graph* GraphTable::create() { return adopt(std::make_unique<Graph>(*this)); }

Graph* GraphTable::adopt(std::unique_ptr<Graph> graph) {
  Graph* handle = graph.get();
  graph->inside = nullptr;
  top_[handle] = std::move(graph);
  return handle;
}

bool GraphTable::destroy(const Graph* graph) { return take(graph) != nullptr; }

std::unique_ptr<Graph> GraphTable::take(const Graph* graph) {
  const auto found = top_.find(graph);
  if (found == top_.end()) return nullptr;
  std::unique_ptr<Graph> owned = std::move(found->second);
  top_.erase(found);
  return owned;
}

void GraphTable::clear() {
  top_.clear();
  objects_.clear();
}

UserObject* GraphTable::create_object(UserObject object) {
  auto owned = std::make_unique<UserObject>(object);
  UserObject* handle = owned.get();
  objects_[handle] = std::move(owned);
  return handle;
}

void GraphTable::release(UserObject* object, uint64_t callers, uint64_t graphs) {
  if (!contains(object)) return;  // a graph that was running outlives a reset of the device
  object->callers -= std::min(object->callers, callers);
  object->graphs -= std::min(object->graphs, graphs);
  if (object->callers > 0 || object->graphs > 0) return;
  unused_.push_back(*object);
  objects_.erase(object);
}

std::shared_ptr<Condition> GraphTable::find_condition(uint64_t handle) const {
  for (const Graph* graph : graphs_)
    for (const auto& condition : graph->conditions)
      if (condition->address == handle) return condition;
  return nullptr;
}

}  // namespace bankshot::cuda

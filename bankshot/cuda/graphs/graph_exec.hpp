// Instances of graphs: a copy of the graph, and the order in which its nodes run.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "bankshot/cuda/graphs/graph.hpp"

namespace bankshot::cuda {

/// Its address is the handle.
struct GraphExec {
  static constexpr unsigned long long kAutoFree = 1, kUpload = 2, kDeviceLaunch = 4, kNodePriority = 8;

  using Orders = std::unordered_map<const Graph*, std::vector<Node*>>;  ///< of the graph and of graphs inside it

  std::shared_ptr<Graph> graph;  ///< shared with running launches
  std::shared_ptr<const Orders> orders;
  unsigned long long flags = 0;
  bool uploaded = false;                       ///< kernels may launch it if kDeviceLaunch is set, too
  std::unordered_map<uint64_t, Node*> copies;  ///< by id of the original node
};

/// Calls `visit` for each graph inside a node.
template <class Visit>
void for_each_inside(const Node& node, Visit&& visit) {
  if (const auto* child = std::get_if<ChildWork>(&node.work)) visit(*child->graph);
  if (const auto* conditional = std::get_if<ConditionalWork>(&node.work))
    for (const auto& body : conditional->bodies) visit(*body);
}

/// Why a graph cannot be instantiated or an instance cannot be updated: the numbers of CUgraphInstantiateResult and
/// CUgraphExecUpdateResult.
enum class InstantiateResult : int { success = 0, error = 1, cycle = 2, not_supported = 3, unused_condition = 5 };
enum class UpdateOutcome : int {
  success = 0,
  error = 1,
  topology = 2,
  type = 3,
  function = 4,
  parameters = 5,
  not_supported = 6
};

/// Why a graph cannot be instantiated. `node` is null if it is not because of a node.
struct InstantiateProblem {
  InstantiateResult result = InstantiateResult::success;
  Node* node = nullptr;
};
Result<std::unique_ptr<GraphExec>, InstantiateProblem> instantiate(const Graph& graph, unsigned long long flags);

/// Why an instance cannot be updated.
struct UpdateProblem {
  UpdateOutcome outcome = UpdateOutcome::success;
  const Node* node = nullptr;  ///< of the graph
  const Node* from = nullptr;  ///< the other end of the edge that differs
};
/// Copies the parameters of another graph's nodes, which must have the same types and dependencies as those of the
/// instance, in the order in which they were added. Nothing changes if it fails.
UpdateProblem update(GraphExec& exec, const Graph& graph);

/// Requires the session's lock.
class GraphExecTable {
 public:
  GraphExec* add(std::unique_ptr<GraphExec> exec) {
    GraphExec* handle = exec.get();
    all_[handle] = std::move(exec);
    return handle;
  }
  /// Null if it is not an instance. A launch keeps it alive.
  std::shared_ptr<GraphExec> find(const GraphExec* exec) const {
    const auto found = all_.find(exec);
    return found == all_.end() ? nullptr : found->second;
  }
  /// Handles of those that kernels may launch.
  std::vector<uint64_t> launchable() const {
    std::vector<uint64_t> handles;
    for (const auto& [handle, exec] : all_)
      if (exec->uploaded && (exec->flags & GraphExec::kDeviceLaunch))
        handles.push_back(reinterpret_cast<uint64_t>(handle));
    return handles;
  }
  bool destroy(const GraphExec* exec) { return all_.erase(exec) != 0; }
  void clear() { all_.clear(); }

 private:
  std::unordered_map<const GraphExec*, std::shared_ptr<GraphExec>> all_;
};

}  // namespace bankshot::cuda

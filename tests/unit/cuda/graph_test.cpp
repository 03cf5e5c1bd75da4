#include "bankshot/cuda/graphs/graph.hpp"

#include <gtest/gtest.h>

#include "bankshot/cuda/graphs/graph_exec.hpp"

namespace bankshot::cuda {
namespace {

class CudaGraph : public ::testing::Test {
 protected:
  static Node* empty(Graph* graph, std::vector<Node*> after = {}) {
    std::vector<Edge> edges;
    for (Node* node : after) edges.push_back({node, {}});
    return graph->add(EmptyWork{}, edges);
  }
  GraphTable table;
};

TEST_F(CudaGraph, of_nodes_that_could_come_next_the_one_added_first_does) {
  Graph* graph = table.create();
  Node* const a = empty(graph);
  Node* const b = empty(graph);
  Node* const c = empty(graph, {b});
  graph->connect(c, a, {});
  Node* const d = empty(graph, {b});
  EXPECT_EQ(graph->order(), (std::vector<Node*>{b, c, a, d}));
}

TEST_F(CudaGraph, nodes_of_a_cycle_have_no_order) {
  Graph* graph = table.create();
  Node* const a = empty(graph);
  Node* const b = empty(graph, {a});
  Node* const c = empty(graph, {b});
  graph->connect(c, b, {});
  EXPECT_EQ(graph->order(), std::vector<Node*>{a});
  const auto exec = instantiate(*graph, 0);
  ASSERT_FALSE(exec);
  EXPECT_EQ(exec.error().result, InstantiateResult::cycle);
}

TEST_F(CudaGraph, a_removed_node_leaves_no_edges) {
  Graph* graph = table.create();
  Node* const a = empty(graph);
  Node* const b = empty(graph, {a});
  Node* const c = empty(graph, {a, b});
  graph->remove(b);
  EXPECT_FALSE(table.contains(static_cast<const Node*>(b)));
  EXPECT_EQ(a->dependents, std::vector<Node*>{c});
  ASSERT_EQ(c->dependencies.size(), 1u);
  EXPECT_EQ(c->dependencies[0].node, a);
}

TEST_F(CudaGraph, a_clone_has_nodes_and_arguments_of_its_own) {
  Graph* graph = table.create();
  KernelWork kernel;
  kernel.parameters.resize(12);
  kernel.arguments = {kernel.parameters.data(), kernel.parameters.data() + 8};
  Node* const a = graph->add(std::move(kernel), {});
  Node* const b = empty(graph, {a});
  std::unordered_map<uint64_t, Node*> copies;
  const auto clone = graph->clone(&copies);
  ASSERT_EQ(clone->nodes.size(), 2u);
  EXPECT_EQ(copies.at(a->id), clone->nodes[0].get());
  EXPECT_EQ(copies.at(b->id)->dependencies[0].node, clone->nodes[0].get());
  auto& copied = std::get<KernelWork>(clone->nodes[0]->work);
  EXPECT_EQ(copied.arguments[1], copied.parameters.data() + 8);
  EXPECT_NE(copied.parameters.data(), std::get<KernelWork>(a->work).parameters.data());
}

TEST_F(CudaGraph, a_destroyed_graph_and_its_nodes_are_none) {
  Graph* graph = table.create();
  const Node* const node = empty(graph);
  EXPECT_TRUE(table.destroy(graph));
  EXPECT_FALSE(table.destroy(graph));
  EXPECT_FALSE(table.contains(static_cast<const Graph*>(graph)));
  EXPECT_FALSE(table.contains(node));
}

TEST_F(CudaGraph, an_object_goes_with_the_last_graph_that_refers_to_it) {
  int data = 0;
  UserObject* const object = table.create_object({&data, nullptr, 1});
  Graph* graph = table.create();
  graph->retain(object, 1, true);
  auto clone = graph->clone();
  table.destroy(graph);
  EXPECT_TRUE(table.take_unused().empty());
  clone.reset();
  const auto unused = table.take_unused();
  ASSERT_EQ(unused.size(), 1u);
  EXPECT_EQ(unused[0].data, &data);
}

TEST_F(CudaGraph, an_instance_takes_over_parameters_and_no_other_shape) {
  const auto make = [&](void* data, bool chained) {
    Graph* graph = table.create();
    Node* const first = graph->add(HostWork{{nullptr, data}}, {});
    graph->add(HostWork{{nullptr, nullptr}}, chained ? std::vector<Edge>{{first, {}}} : std::vector<Edge>{});
    return graph;
  };
  int one = 0, other = 0;
  Graph* const graph = make(&one, true);
  auto exec = instantiate(*graph, 0);
  ASSERT_TRUE(exec);
  EXPECT_EQ(update(**exec, *make(&other, true)).outcome, UpdateOutcome::success);
  Node* const first = (*exec)->copies.at(graph->nodes[0]->id);  // by the node that was instantiated
  EXPECT_EQ(std::get<HostWork>(first->work).what.data, &other);
  Graph* const unchained = make(&one, false);
  const UpdateProblem problem = update(**exec, *unchained);
  EXPECT_EQ(problem.outcome, UpdateOutcome::topology);
  EXPECT_EQ(problem.node, unchained->nodes[1].get());
  Graph* const typed = table.create();
  Node* const before = typed->add(HostWork{}, {});
  typed->add(EmptyWork{}, {{before, {}}});
  EXPECT_EQ(update(**exec, *typed).outcome, UpdateOutcome::type);
  EXPECT_EQ(std::get<HostWork>((*exec)->copies.at(graph->nodes[0]->id)->work).what.data, &other);
}

}  // namespace
}  // namespace bankshot::cuda

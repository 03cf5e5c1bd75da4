// Dominators: the nodes of a graph that every path to a node passes.
#pragma once

#include <cstdint>
#include <vector>

namespace bankshot::ptx {

/// By node, the nodes that its edges lead to.
using Edges = std::vector<std::vector<uint32_t>>;

/// Dominators in a graph from one node, which is its own; kNotReached of nodes that it does not reach. Iterated to the
/// fixed point in reverse postorder. Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
struct Dominators {
  static constexpr uint32_t kNotReached = ~0u;
  std::vector<uint32_t> above;   ///< immediate dominator
  std::vector<uint32_t> number;  ///< postorder; kNotReached if not reached
  std::vector<uint32_t> order;   ///< nodes that are reached, in postorder

  Dominators(uint32_t from, const Edges& successors, const Edges& predecessors);
  bool dominates(uint32_t a, uint32_t c) const { return above[c] != kNotReached && meet(a, c) == a; }

 private:
  uint32_t meet(uint32_t a, uint32_t c) const;
};

}  // namespace bankshot::ptx

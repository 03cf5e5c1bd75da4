// Control flow of a function: basic blocks, and where divergent paths meet.
#pragma once

#include <cstdint>
#include <vector>

namespace bankshot::ptx {

/// Control flow of one function, one node an instruction.
struct FlowNode {
  std::vector<uint32_t> targets;   ///< besides falling through
  bool falls_through = true;
  bool conditional = false;        ///< lanes may disagree here
};

constexpr uint32_t kNoJoin = ~0u;

/// Basic blocks; the last node is a block of its own.
struct Blocks {
  std::vector<uint32_t> first;                  ///< first node of each block
  std::vector<uint32_t> of;                     ///< block of each node
  std::vector<std::vector<uint32_t>> successors, predecessors;
};
Blocks blocks_of(const std::vector<FlowNode>& nodes);

/// For every conditional node the node where its sides meet again, kNoJoin if they never do. The last node is the end
/// of the function. Sides that never reach the end (exit, endless loops) are left out of account, so that the others
/// still meet early.
/// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.
std::vector<uint32_t> joins(const std::vector<FlowNode>& nodes);

}  // namespace bankshot::ptx

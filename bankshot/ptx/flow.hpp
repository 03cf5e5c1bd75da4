// Control flow of a function: basic blocks, and where divergent paths meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankshot::ptx {

/// Control flow of one function, one node an instruction.
struct FlowNode {
  std::vector<uint32_t> targets;  ///< besides falling through
  bool falls_through = true;
  bool conditional = false;  ///< lanes may disagree here
};

constexpr uint32_t kNoJoin = ~0u;

/// Basic blocks; the last node is a block of its own.
struct Blocks {
  std::vector<uint32_t> first;  ///< first node of each block
  std::vector<uint32_t> of;     ///< block of each node
  std::vector<std::vector<uint32_t>> successors, predecessors;
};
Blocks blocks_of(const std::vector<FlowNode>& nodes);

/// Blocks that reach a back edge to the header without passing it, and the header. Two are apart, or one is in the
/// other.
struct NaturalLoop {
  uint32_t header = 0;          ///< block
  int32_t parent = -1;          ///< the loop around; -1: none
  std::vector<uint32_t> tails;  ///< blocks with a back edge to the header
};
struct Loops {
  std::vector<NaturalLoop> all;  ///< an outer one before those in it
  std::vector<int32_t> of;       ///< innermost loop of each block; -1: none
  bool contains(int32_t loop, uint32_t block) const {
    int32_t at = of[block];
    while (at > loop) at = all[static_cast<size_t>(at)].parent;
    return at == loop;
  }
};
Loops natural_loops(const Blocks& blocks);

/// For every conditional node the node where its sides meet again, kNoJoin if they never do. The last node is the end
/// of the function. Sides that never reach the end (exit, endless loops) are left out of account, so that the others
/// still meet early.
/// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.
std::vector<uint32_t> joins(const std::vector<FlowNode>& nodes);

/// For conditional nodes whose sides stay in a loop but meet outside of it only, as a lane may leave it in between
/// (`break` or `return` in an `if`): the node where they meet inside if none does; at the latest that is the header.
/// Then the same in each loop around, until they meet; the function counts as a loop that a `return` leaves. Nothing
/// for others. So hardware joins them, too: a lane that leaves gives up the join on its way (BSSY, BREAK and BSYNC of
/// Volta and later).
/// @param joins  of joins(nodes)
std::vector<std::vector<uint32_t>> joins_in_loops(const std::vector<FlowNode>& nodes,
                                                  const std::vector<uint32_t>& joins);

}  // namespace bankshot::ptx

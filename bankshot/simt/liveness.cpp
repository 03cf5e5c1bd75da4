#include "bankshot/simt/liveness.hpp"

#include <algorithm>

namespace bankshot::simt {
namespace {

/// What a block does to a register first.
struct Touch {
  uint32_t reg, block;
  bool read;        ///< reads it before any write of its own
  bool operator<(const Touch& other) const {
    return reg != other.reg ? reg < other.reg : block < other.block;
  }
};

}  // namespace

std::vector<uint32_t> live_at_entry(const std::vector<FlowNode>& nodes, const std::vector<RegisterUse>& uses,
                                    uint32_t registers) {
  std::vector<uint32_t> live;
  if (nodes.empty()) return live;
  const Blocks blocks = blocks_of(nodes);
  constexpr uint32_t kNone = ~0u;
  // The first use in each block decides; nodes of a block are neighbours, so one look back is enough.
  std::vector<uint32_t> latest(registers, kNone);
  std::vector<Touch> touches;
  for (const RegisterUse& use : uses) {
    const uint32_t block = blocks.of[use.node];
    if (latest[use.reg] == block) continue;
    latest[use.reg] = block;
    touches.push_back({use.reg, block, !use.write});
  }
  std::sort(touches.begin(), touches.end());
  // Against the edges from the blocks that read a register first, up to those that touch it themselves.
  std::vector<uint32_t> seen(blocks.first.size(), kNone), work;
  for (size_t begin = 0, end; begin < touches.size(); begin = end) {
    const uint32_t reg = touches[begin].reg;
    for (end = begin; end < touches.size() && touches[end].reg == reg; ++end) {
      seen[touches[end].block] = reg;
      if (touches[end].read) work.push_back(touches[end].block);
    }
    bool reached = false;
    while (!work.empty()) {
      const uint32_t block = work.back();
      work.pop_back();
      reached |= block == 0;
      for (uint32_t before : blocks.predecessors[block]) {
        if (seen[before] == reg) continue;
        seen[before] = reg;
        work.push_back(before);
      }
    }
    if (reached) live.push_back(reg);
  }
  return live;
}

}  // namespace bankshot::simt

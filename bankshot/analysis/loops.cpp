// Control flow: what can follow what, where sides meet, natural loops.
#include <algorithm>

#include "bankshot/analysis/code.hpp"

namespace bankshot::analysis {
namespace {

bool falls_through(const Step& step) {
  if (step.instruction == nullptr) return false;
  return (step.act != Step::Act::branch && step.act != Step::Act::exit) || step.guard >= 0;
}

}  // namespace

bool Code::contains(int32_t loop, uint32_t step) const {
  for (int32_t at = loop_of[step]; at >= 0; at = loops[static_cast<size_t>(at)].parent) {
    if (at == loop) return true;
  }
  return false;
}

void find_loops(Code& code) {
  const size_t count = code.steps.size();
  std::vector<ptx::FlowNode> nodes(count);
  code.next.assign(count, {});
  for (size_t k = 0; k < count; ++k) {
    const Step& step = code.steps[k];
    nodes[k].targets = step.targets;
    nodes[k].falls_through = falls_through(step);
    nodes[k].conditional = true;  // asks for the join of every node; those of branches are used, and of loop headers
    code.next[k] = step.targets;
    if (nodes[k].falls_through) code.next[k].push_back(static_cast<uint32_t>(k) + 1);
  }
  const ptx::Blocks b = ptx::blocks_of(nodes);
  code.join = ptx::joins(nodes);

  const ptx::Loops loops = ptx::natural_loops(b);
  for (const ptx::NaturalLoop& natural : loops.all) {
    Loop loop;
    loop.header = b.first[natural.header];
    loop.parent = natural.parent;
    code.loops.push_back(loop);
  }
  code.loop_of.resize(count);
  for (size_t k = 0; k < count; ++k) code.loop_of[k] = loops.of[b.of[k]];
  for (size_t k = 0; k < code.loops.size(); ++k) {
    uint32_t after = code.loops[k].header;
    while (after != ptx::kNoJoin && code.contains(static_cast<int32_t>(k), after)) after = code.join[after];
    code.loops[k].after = after == ptx::kNoJoin ? code.end() : after;
  }
}

}  // namespace bankshot::analysis

#include "bankshot/ptx/flow.hpp"

#include <algorithm>

namespace bankshot::ptx {

Blocks blocks_of(const std::vector<FlowNode>& nodes) {
  std::vector<char> leader(nodes.size(), 0);
  leader.front() = leader.back() = 1;
  for (size_t k = 0; k < nodes.size(); ++k) {
    for (uint32_t target : nodes[k].targets) leader[target] = 1;
    if ((!nodes[k].targets.empty() || !nodes[k].falls_through) && k + 1 < nodes.size()) leader[k + 1] = 1;
  }
  Blocks b;
  b.of.resize(nodes.size());
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (leader[k]) b.first.push_back(static_cast<uint32_t>(k));
    b.of[k] = static_cast<uint32_t>(b.first.size()) - 1;
  }
  b.successors.resize(b.first.size());
  b.predecessors.resize(b.first.size());
  for (size_t block = 0; block < b.first.size(); ++block) {
    const size_t last = (block + 1 < b.first.size() ? b.first[block + 1] : nodes.size()) - 1;
    std::vector<uint32_t>& out = b.successors[block];
    for (uint32_t target : nodes[last].targets) out.push_back(b.of[target]);
    if (nodes[last].falls_through && last + 1 < nodes.size()) out.push_back(b.of[last + 1]);
    for (uint32_t next : out) b.predecessors[next].push_back(static_cast<uint32_t>(block));
  }
  return b;
}

namespace {

/// Blocks that reach the end, in postorder of a walk from the end against the edges. The end comes last.
std::vector<uint32_t> reverse_postorder(const Blocks& b, std::vector<uint32_t>& number) {
  const auto end = static_cast<uint32_t>(b.first.size()) - 1;
  std::vector<uint32_t> order;
  std::vector<char> seen(b.first.size(), 0);
  std::vector<std::pair<uint32_t, size_t>> stack{{end, 0}};
  seen[end] = 1;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    if (next < b.predecessors[block].size()) {
      const uint32_t before = b.predecessors[block][next++];
      if (!seen[before]) {
        seen[before] = 1;
        stack.push_back({before, 0});
      }
    } else {
      number[block] = static_cast<uint32_t>(order.size());
      order.push_back(block);
      stack.pop_back();
    }
  }
  return order;
}

}  // namespace

std::vector<uint32_t> joins(const std::vector<FlowNode>& nodes) {
  std::vector<uint32_t> result(nodes.size(), kNoJoin);
  if (nodes.empty()) return result;
  const Blocks b = blocks_of(nodes);
  constexpr uint32_t kUndefined = ~0u;
  std::vector<uint32_t> number(b.first.size(), kUndefined), idom(b.first.size(), kUndefined);
  const std::vector<uint32_t> order = reverse_postorder(b, number);
  const uint32_t end = order.back();
  idom[end] = end;
  const auto meet = [&](uint32_t a, uint32_t c) {
    while (a != c) {
      while (number[a] < number[c]) a = idom[a];
      while (number[c] < number[a]) c = idom[c];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = order.size() - 1; k-- > 0;) {
      const uint32_t block = order[k];
      uint32_t dominator = kUndefined;
      for (uint32_t next : b.successors[block]) {
        if (number[next] == kUndefined || idom[next] == kUndefined) continue;
        dominator = dominator == kUndefined ? next : meet(dominator, next);
      }
      if (idom[block] != dominator) {
        idom[block] = dominator;
        changed = true;
      }
    }
  }
  for (size_t k = 0; k < nodes.size(); ++k) {
    const uint32_t block = b.of[k];
    if (nodes[k].conditional && number[block] != kUndefined) result[k] = b.first[idom[block]];
  }
  return result;
}

}  // namespace bankshot::ptx

// Control flow: what can follow what, where sides meet, natural loops.
#include <algorithm>

#include "bankshot/analysis/code.hpp"

namespace bankshot::analysis {
namespace {

bool falls_through(const Step& step) {
  if (step.instruction == nullptr) return false;
  return (step.act != Step::Act::branch && step.act != Step::Act::exit) || step.guard >= 0;
}

/// Dominators of blocks, from the entry; iterated to the fixed point in reverse postorder.
/// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
struct Dominators {
  explicit Dominators(const ptx::Blocks& b) : above(b.first.size(), kNone), number(b.first.size(), 0) {
    std::vector<char> seen(b.first.size(), 0);
    std::vector<std::pair<uint32_t, size_t>> stack{{0, 0}};
    std::vector<uint32_t> order;  // postorder
    seen[0] = 1;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next < b.successors[block].size()) {
        const uint32_t to = b.successors[block][next++];
        if (seen[to] == 0) seen[to] = 1, stack.push_back({to, 0});
      } else {
        number[block] = static_cast<uint32_t>(order.size());
        order.push_back(block);
        stack.pop_back();
      }
    }
    above[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t k = order.size() - 1; k-- > 0;) {
        uint32_t dominator = kNone;
        for (const uint32_t before : b.predecessors[order[k]]) {
          if (above[before] == kNone) continue;
          dominator = dominator == kNone ? before : meet(dominator, before);
        }
        if (above[order[k]] != dominator) above[order[k]] = dominator, changed = true;
      }
    }
  }
  uint32_t meet(uint32_t a, uint32_t c) const {
    while (a != c) {
      while (number[a] < number[c]) a = above[a];
      while (number[c] < number[a]) c = above[c];
    }
    return a;
  }
  bool dominates(uint32_t a, uint32_t c) const { return above[c] != kNone && meet(a, c) == a; }

  static constexpr uint32_t kNone = ~0u;
  std::vector<uint32_t> above, number;
};

/// Blocks that reach `tail` without passing `header`, and both.
std::vector<char> body_of(const ptx::Blocks& b, uint32_t header, uint32_t tail) {
  std::vector<char> in(b.first.size(), 0);
  in[header] = 1;
  std::vector<uint32_t> open;
  if (in[tail] == 0) in[tail] = 1, open.push_back(tail);
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    for (const uint32_t before : b.predecessors[block]) {
      if (in[before] == 0) in[before] = 1, open.push_back(before);
    }
  }
  return in;
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

  const Dominators dominators(b);
  std::vector<std::pair<uint32_t, std::vector<char>>> found;  // header block, its blocks
  for (uint32_t tail = 0; tail < b.first.size(); ++tail) {
    for (const uint32_t header : b.successors[tail]) {
      if (!dominators.dominates(header, tail)) continue;
      const std::vector<char> body = body_of(b, header, tail);
      const auto same = std::find_if(found.begin(), found.end(), [&](const auto& f) { return f.first == header; });
      if (same == found.end()) {
        found.push_back({header, body});
      } else {
        for (size_t k = 0; k < body.size(); ++k) same->second[k] |= body[k];
      }
    }
  }
  const auto size = [](const auto& f) { return std::count(f.second.begin(), f.second.end(), 1); };
  std::stable_sort(found.begin(), found.end(), [&](const auto& x, const auto& y) { return size(x) > size(y); });
  std::vector<int32_t> loop_of_block(b.first.size(), -1);
  for (const auto& [header, body] : found) {
    Loop loop;
    loop.header = b.first[header];
    loop.parent = loop_of_block[header];
    for (size_t k = 0; k < body.size(); ++k) {
      if (body[k] != 0) loop_of_block[k] = static_cast<int32_t>(code.loops.size());
    }
    code.loops.push_back(loop);
  }
  code.loop_of.resize(count);
  for (size_t k = 0; k < count; ++k) code.loop_of[k] = loop_of_block[b.of[k]];
  for (size_t k = 0; k < code.loops.size(); ++k) {
    uint32_t after = code.loops[k].header;
    while (after != ptx::kNoJoin && code.contains(static_cast<int32_t>(k), after)) after = code.join[after];
    code.loops[k].after = after == ptx::kNoJoin ? code.end() : after;
  }
}

}  // namespace bankshot::analysis

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

constexpr uint32_t kUndefined = ~0u;

using Edges = std::vector<std::vector<uint32_t>>;

/// Dominators in a graph from one node, which is its own; kUndefined of nodes that it does not reach. Iterated to the fixed
/// point in reverse postorder.
/// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
struct Dominators {
  std::vector<uint32_t> above;   ///< immediate dominator
  std::vector<uint32_t> number;  ///< postorder; kUndefined if not reached

  Dominators(uint32_t from, const Edges& successors, const Edges& predecessors)
      : above(successors.size(), kUndefined), number(successors.size(), kUndefined) {
    const std::vector<uint32_t> order = postorder(from, successors);
    above[from] = from;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t k = order.size() - 1; k-- > 0;) {
        uint32_t dominator = kUndefined;
        for (const uint32_t before : predecessors[order[k]]) {
          if (number[before] == kUndefined || above[before] == kUndefined) continue;
          dominator = dominator == kUndefined ? before : meet(dominator, before);
        }
        changed |= above[order[k]] != dominator;
        above[order[k]] = dominator;
      }
    }
  }
  bool dominates(uint32_t a, uint32_t c) const { return above[c] != kUndefined && meet(a, c) == a; }

 private:
  std::vector<uint32_t> postorder(uint32_t from, const Edges& successors) {
    std::vector<uint32_t> order;
    std::vector<char> seen(successors.size(), 0);
    std::vector<std::pair<uint32_t, size_t>> stack{{from, 0}};
    seen[from] = 1;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next < successors[block].size()) {
        const uint32_t to = successors[block][next++];
        if (seen[to] == 0) seen[to] = 1, stack.push_back({to, 0});
      } else {
        number[block] = static_cast<uint32_t>(order.size());
        order.push_back(block);
        stack.pop_back();
      }
    }
    return order;
  }
  uint32_t meet(uint32_t a, uint32_t c) const {
    while (a != c) {
      while (number[a] < number[c]) a = above[a];
      while (number[c] < number[a]) c = above[c];
    }
    return a;
  }
};

/// Blocks that reach `tail` without passing `header`, and both.
std::vector<char> body_of(const Blocks& b, uint32_t header, uint32_t tail) {
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

constexpr uint32_t kNoHeader = kUndefined;

/// All of a function but its end and the blocks that only return: as if it were a loop that a `return` leaves.
NaturalLoop whole_function(const Blocks& b) {
  const auto end = static_cast<uint32_t>(b.first.size()) - 1;
  NaturalLoop all{kNoHeader, std::vector<char>(b.first.size(), 1)};
  for (uint32_t block = 0; block < end; ++block) {
    const bool returns = b.successors[block].size() == 1 && b.successors[block][0] == end;
    if (returns && b.first[block + 1] - b.first[block] == 1) all.has[block] = 0;
  }
  all.has[end] = 0;
  return all;
}

/// Where the sides of each block's branch meet inside a loop if nobody leaves it: a block, or the header.
std::vector<uint32_t> joins_of(const Blocks& b, const NaturalLoop& loop) {
  const size_t n = b.first.size();
  const auto next_round = static_cast<uint32_t>(n);
  Edges forward(n + 1), backward(n + 1);
  for (uint32_t block = 0; block < n; ++block) {
    if (loop.has[block] == 0) continue;
    for (const uint32_t to : b.successors[block]) {
      if (loop.has[to] == 0) continue;
      const uint32_t target = to == loop.header ? next_round : to;
      forward[block].push_back(target);
      backward[target].push_back(block);
    }
    if (forward[block].empty() && !b.successors[block].empty()) {  // a function's ordinary end
      forward[block].push_back(next_round);
      backward[next_round].push_back(block);
    }
  }
  std::vector<uint32_t> joins = Dominators(next_round, backward, forward).above;
  for (uint32_t& join : joins) join = join == next_round ? loop.header : join;  // kNoHeader is kUndefined
  return joins;
}

}  // namespace

std::vector<NaturalLoop> natural_loops(const Blocks& b) {
  const Dominators dominators(0, b.successors, b.predecessors);
  std::vector<NaturalLoop> found;
  for (uint32_t tail = 0; tail < b.first.size(); ++tail) {
    for (const uint32_t header : b.successors[tail]) {
      if (!dominators.dominates(header, tail)) continue;
      std::vector<char> body = body_of(b, header, tail);
      const auto same = std::find_if(found.begin(), found.end(), [&](const auto& f) { return f.header == header; });
      if (same == found.end()) {
        found.push_back({header, std::move(body)});
      } else {
        for (size_t k = 0; k < body.size(); ++k) same->has[k] |= body[k];
      }
    }
  }
  const auto size = [](const NaturalLoop& loop) { return std::count(loop.has.begin(), loop.has.end(), 1); };
  std::stable_sort(found.begin(), found.end(), [&](const auto& x, const auto& y) { return size(x) > size(y); });
  return found;
}

std::vector<uint32_t> joins(const std::vector<FlowNode>& nodes) {
  std::vector<uint32_t> result(nodes.size(), kNoJoin);
  if (nodes.empty()) return result;
  const Blocks b = blocks_of(nodes);
  const auto end = static_cast<uint32_t>(b.first.size()) - 1;
  const Dominators behind(end, b.predecessors, b.successors);
  for (size_t k = 0; k < nodes.size(); ++k) {
    const uint32_t block = b.of[k];
    if (nodes[k].conditional && behind.number[block] != kUndefined) result[k] = b.first[behind.above[block]];
  }
  return result;
}

std::vector<std::vector<uint32_t>> joins_in_loops(const std::vector<FlowNode>& nodes, const std::vector<uint32_t>& joins) {
  std::vector<std::vector<uint32_t>> result(nodes.size());
  if (nodes.empty()) return result;
  const Blocks b = blocks_of(nodes);
  std::vector<NaturalLoop> loops = natural_loops(b);
  loops.insert(loops.begin(), whole_function(b));
  std::vector<std::vector<uint32_t>> inside(loops.size());  // joins by block, of loops that were asked for
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (!nodes[k].conditional) continue;
    const uint32_t block = b.of[k];
    for (size_t l = loops.size(); l-- > 0;) {
      const std::vector<char>& has = loops[l].has;
      const auto stays = [&](uint32_t to) { return has[to] != 0; };
      if (has[block] == 0 || !std::all_of(b.successors[block].begin(), b.successors[block].end(), stays)) continue;
      if (joins[k] != kNoJoin && has[b.of[joins[k]]] != 0) break;
      if (inside[l].empty()) inside[l] = joins_of(b, loops[l]);
      if (inside[l][block] == kUndefined) continue;
      const uint32_t join = b.first[inside[l][block]];
      if (result[k].empty() || result[k].back() != join) result[k].push_back(join);
    }
  }
  return result;
}

}  // namespace bankshot::ptx

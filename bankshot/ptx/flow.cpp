#include "bankshot/ptx/flow.hpp"

#include <algorithm>

#include "bankshot/ptx/dominators.hpp"

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

constexpr uint32_t kUndefined = Dominators::kNotReached;

/// The header and the blocks that reach a tail without passing it.
std::vector<uint32_t> body_of(const Blocks& b, const NaturalLoop& loop, std::vector<char>& seen) {
  std::vector<uint32_t> body{loop.header};
  seen[loop.header] = 1;
  const auto add = [&](uint32_t block) {
    if (seen[block] == 0) seen[block] = 1, body.push_back(block);
  };
  for (const uint32_t tail : loop.tails) add(tail);
  for (size_t k = 1; k < body.size(); ++k) {
    for (const uint32_t before : b.predecessors[body[k]]) add(before);
  }
  for (const uint32_t block : body) seen[block] = 0;
  return body;
}

/// All blocks but the function's end and those that only return: as if it were the body of a loop that a `return`
/// leaves.
std::vector<uint32_t> body_of_function(const Blocks& b) {
  const auto end = static_cast<uint32_t>(b.first.size()) - 1;
  std::vector<uint32_t> body;
  for (uint32_t block = 0; block < end; ++block) {
    const bool returns = b.successors[block].size() == 1 && b.successors[block][0] == end;
    if (!returns || b.first[block + 1] - b.first[block] != 1) body.push_back(block);
  }
  return body;
}

constexpr uint32_t kNoHeader = kUndefined;

/// Where the sides of each block's branch meet inside a body if no lane leaves it: a block, or the header; by place in
/// `body`.
/// @param place  by block, kUndefined of all; so it is left
std::vector<uint32_t> joins_of(const Blocks& b, const std::vector<uint32_t>& body, uint32_t header,
                               std::vector<uint32_t>& place) {
  const auto next_round = static_cast<uint32_t>(body.size());
  for (uint32_t k = 0; k < next_round; ++k) place[body[k]] = k;
  Edges forward(body.size() + 1), backward(body.size() + 1);
  const auto connect = [&](uint32_t from, uint32_t to) {
    forward[from].push_back(to);
    backward[to].push_back(from);
  };
  for (uint32_t k = 0; k < next_round; ++k) {
    const std::vector<uint32_t>& successors = b.successors[body[k]];
    for (const uint32_t to : successors) {
      if (place[to] != kUndefined) connect(k, to == header ? next_round : place[to]);
    }
    if (forward[k].empty() && !successors.empty()) connect(k, next_round);  // a function's ordinary end
  }
  std::vector<uint32_t> joins = Dominators(next_round, backward, forward).above;
  joins.pop_back();
  for (uint32_t& join : joins) {
    if (join != kUndefined) join = join == next_round ? header : body[join];
  }
  for (const uint32_t block : body) place[block] = kUndefined;
  return joins;
}

}  // namespace

Loops natural_loops(const Blocks& b) {
  const Dominators dominators(0, b.successors, b.predecessors);
  std::vector<std::vector<uint32_t>> tails(b.first.size());
  std::vector<uint32_t> headers;
  for (uint32_t tail = 0; tail < b.first.size(); ++tail) {
    for (const uint32_t header : b.successors[tail]) {
      if (!dominators.dominates(header, tail)) continue;
      if (tails[header].empty()) headers.push_back(header);
      tails[header].push_back(tail);
    }
  }
  // The header of an outer loop dominates those of the loops in it, so it comes first in reverse postorder.
  std::sort(headers.begin(), headers.end(),
            [&](uint32_t x, uint32_t y) { return dominators.number[x] > dominators.number[y]; });
  Loops loops{{}, std::vector<int32_t>(b.first.size(), -1)};
  std::vector<char> seen(b.first.size(), 0);
  for (const uint32_t header : headers) {
    loops.all.push_back({header, loops.of[header], std::move(tails[header])});
    for (const uint32_t block : body_of(b, loops.all.back(), seen))
      loops.of[block] = static_cast<int32_t>(loops.all.size()) - 1;
  }
  return loops;
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

std::vector<std::vector<uint32_t>> joins_in_loops(const std::vector<FlowNode>& nodes,
                                                  const std::vector<uint32_t>& joins) {
  std::vector<std::vector<uint32_t>> result(nodes.size());
  if (nodes.empty()) return result;
  const Blocks b = blocks_of(nodes);
  const Loops loops = natural_loops(b);
  // Bodies one after the other, the function as the one around all loops; joins of the requested ones.
  const auto whole = static_cast<int32_t>(loops.all.size());
  std::vector<char> seen(b.first.size(), 0), in_function(b.first.size(), 0);
  const std::vector<uint32_t> function = body_of_function(b);
  for (const uint32_t block : function) in_function[block] = 1;
  const auto contains = [&](int32_t loop, uint32_t block) {
    return loop == whole ? in_function[block] != 0 : loops.contains(loop, block);
  };
  std::vector<std::vector<std::pair<size_t, uint32_t>>> asked(loops.all.size() + 1);  // node and block, by loop
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (!nodes[k].conditional) continue;
    const uint32_t block = b.of[k];
    for (int32_t loop = loops.of[block] < 0 ? whole : loops.of[block];;) {
      const auto stays = [&](uint32_t to) { return contains(loop, to); };
      if (contains(loop, block) && std::all_of(b.successors[block].begin(), b.successors[block].end(), stays)) {
        if (joins[k] != kNoJoin && stays(b.of[joins[k]])) break;
        asked[static_cast<size_t>(loop)].emplace_back(k, block);
      }
      if (loop == whole) break;
      const int32_t around = loops.all[static_cast<size_t>(loop)].parent;
      loop = around < 0 ? whole : around;
    }
  }
  // An inner loop comes behind those around it, and its joins before theirs; the function's come last.
  std::vector<uint32_t> place(b.first.size(), kUndefined);
  const auto answer = [&](int32_t loop) {
    if (asked[static_cast<size_t>(loop)].empty()) return;
    const bool is_function = loop == whole;
    const NaturalLoop* const natural = is_function ? nullptr : &loops.all[static_cast<size_t>(loop)];
    const std::vector<uint32_t> body = is_function ? function : body_of(b, *natural, seen);
    const std::vector<uint32_t> inside = joins_of(b, body, is_function ? kNoHeader : natural->header, place);
    for (size_t k = 0; k < body.size(); ++k) place[body[k]] = inside[k];
    for (const auto& [node, block] : asked[static_cast<size_t>(loop)]) {
      if (place[block] == kUndefined) continue;
      const uint32_t join = b.first[place[block]];
      if (result[node].empty() || result[node].back() != join) result[node].push_back(join);
    }
    for (const uint32_t block : body) place[block] = kUndefined;
  };
  for (int32_t loop = whole; loop-- > 0;) answer(loop);
  answer(whole);
  return result;
}

}  // namespace bankshot::ptx

#include "bankshot/ptx/dominators.hpp"

#include <cstddef>
#include <utility>

namespace bankshot::ptx {

Dominators::Dominators(uint32_t from, const Edges& successors, const Edges& predecessors)
    : above(successors.size(), kNotReached), number(successors.size(), kNotReached) {
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
  above[from] = from;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = order.size() - 1; k-- > 0;) {
      uint32_t dominator = kNotReached;
      for (const uint32_t before : predecessors[order[k]]) {
        if (number[before] == kNotReached || above[before] == kNotReached) continue;
        dominator = dominator == kNotReached ? before : meet(dominator, before);
      }
      changed |= above[order[k]] != dominator;
      above[order[k]] = dominator;
    }
  }
}

uint32_t Dominators::meet(uint32_t a, uint32_t c) const {
  while (a != c) {
    while (number[a] < number[c]) a = above[a];
    while (number[c] < number[a]) c = above[c];
  }
  return a;
}

}  // namespace bankshot::ptx

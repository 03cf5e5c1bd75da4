#include "bankshot/optimise/liveness.hpp"

#include <algorithm>

namespace bankshot::optimise {

bool LiveSet::insert(const LiveSet& other) {
  bool added = false;
  for (size_t k = 0; k < bits_.size(); ++k) {
    added |= (other.bits_[k] & ~bits_[k]) != 0;
    bits_[k] |= other.bits_[k];
  }
  return added;
}

Liveness::Liveness(const ptx::KernelCode& code, const Control& control)
    : code_(code), control_(control), out_(control.blocks.first.size(), LiveSet(code.entities())) {
  std::vector<uint32_t> waiting;
  std::vector<char> waits(out_.size(), 1);
  for (uint32_t block = 0; block < out_.size(); ++block) waiting.push_back(block);
  while (!waiting.empty()) {
    const uint32_t block = waiting.back();
    waiting.pop_back();
    waits[block] = 0;
    LiveSet live = out_[block];
    back(end(block), control.blocks.first[block], live);
    for (const uint32_t from : control.blocks.predecessors[block]) {
      if (!out_[from].insert(live) || waits[from] != 0) continue;
      waits[from] = 1;
      waiting.push_back(from);
    }
  }
}

size_t Liveness::end(uint32_t block) const {
  const size_t steps = code_.steps().size();
  return block + 1 < out_.size() ? std::min<size_t>(control_.blocks.first[block + 1], steps) : steps;
}

void Liveness::back(size_t from, size_t to, LiveSet& live) const {
  for (size_t k = from; k-- > to;) {
    const ptx::Step& s = code_.steps()[k];
    // Lanes whose guard is false keep the old value.
    if (!s.instruction->guard) {
      for (const int entity : written_by(code_, s)) live.erase(entity);
    }
    for (const int entity : read_by(code_, s)) live.insert(entity);
  }
}

unsigned words_of(const ptx::KernelCode& code, int entity) {
  const unsigned bits = ptx::bits(code.variable(entity).type);
  return bits == 1 ? 0 : (bits + 31) / 32;
}

unsigned most_in_use(const ptx::KernelCode& code, const Control& control, const Liveness& liveness) {
  unsigned most = 0;
  for (const uint32_t block : control.dominators.order) {
    LiveSet live = liveness.behind(block);
    unsigned words = 0;
    for (int entity = 0; entity < static_cast<int>(code.entities()); ++entity)
      words += live.has(entity) ? words_of(code, entity) : 0;
    for (size_t k = liveness.end(block); k-- > control.blocks.first[block];) {
      const ptx::Step& step = code.steps()[k];
      unsigned behind = words;
      for (const int entity : written_by(code, step)) {
        if (!live.has(entity)) behind += words_of(code, entity);  // an unused result
        if (step.instruction->guard || !live.has(entity)) continue;
        live.erase(entity);
        words -= words_of(code, entity);
      }
      for (const int entity : read_by(code, step)) {
        if (live.has(entity)) continue;
        live.insert(entity);
        words += words_of(code, entity);
      }
      most = std::max({most, behind, words});
    }
  }
  return most;
}

}  // namespace bankshot::optimise

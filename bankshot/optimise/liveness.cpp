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
    const LiveSet live = at_start(block);
    for (const uint32_t from : control.blocks.predecessors[block]) {
      if (!out_[from].insert(live) || waits[from] != 0) continue;
      waits[from] = 1;
      waiting.push_back(from);
    }
  }
}

LiveSet Liveness::at_start(uint32_t block) const {
  LiveSet live = out_[block];
  back(block, control_.blocks.first[block], live);
  return live;
}

LiveSet Liveness::behind(size_t step) const {
  const uint32_t block = control_.blocks.of[step];
  LiveSet live = out_[block];
  back(block, step + 1, live);
  return live;
}

/// From behind the block to in front of a step of it.
void Liveness::back(uint32_t block, size_t step, LiveSet& live) const {
  const size_t steps = code_.steps().size();
  const size_t next = block + 1 < out_.size() ? control_.blocks.first[block + 1] : steps;
  for (size_t k = std::min(next, steps); k-- > step;) {
    const ptx::Step& s = code_.steps()[k];
    // Lanes whose guard is false keep the old value.
    if (!s.instruction->guard) {
      for (const int entity : written_by(code_, s)) live.erase(entity);
    }
    for (const int entity : read_by(code_, s)) live.insert(entity);
  }
}

}  // namespace bankshot::optimise

// What an agent knows of the others: vector clocks, shared by those who know the same.
// Source: the happens-before relation of the PTX ISA 9.0, section 8 (memory consistency model), followed as in
// FastTrack (Flanagan and Freund, PLDI 2009), whose epochs are pairs of agent and step here.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace bankshot::hazards {

/// A thread of the CTA, by number; numbers beyond these are agents that copy asynchronously.
using Agent = uint32_t;

/// By agent, the last of its steps that is known; 0 for agents beyond the end. Never changed once it is shared.
using Steps = std::vector<uint32_t>;
using Clock = std::shared_ptr<const Steps>;  ///< null: nothing is known

inline uint32_t known(const Clock& clock, Agent agent) {
  return clock != nullptr && agent < clock->size() ? (*clock)[agent] : 0;
}

/// What is known to one who knows both.
Clock join(const Clock& a, const Clock& b);
/// With a further fact. No copy is made if it is none.
Clock with(const Clock& clock, Agent agent, uint32_t step);

}  // namespace bankshot::hazards

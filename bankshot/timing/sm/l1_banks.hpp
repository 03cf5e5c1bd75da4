// The data banks of a first-level cache that has any: a load has them as an access to the scratchpad has its own.
// Beyond Elastic Pipeline (CF'11), which leaves this to future work (section 6).
#pragma once

#include <array>

#include "bankshot/timing/pipelines/pipeline.hpp"
#include "bankshot/timing/sm/conflict_guard.hpp"

namespace bankshot::timing {

class L1Banks {
 public:
  L1Banks(const Config& config, Pipeline& pipeline, ConflictGuard& guard, Counters& counters);

  /// A warp starts in a slot.
  void start(unsigned slot) { served_[slot] = 0; }

  /// A load that issues. @param width  bytes of each row of lanes  @param rows  that it has, one behind the other
  /// @param addresses  by lane  @param conflict  receives whether it has one
  /// @return when its data is there, if its lines are
  Cycle load(const Issued& issued, unsigned width, unsigned rows, uint64_t lanes, const uint64_t* addresses,
             bool& conflict);
  /// When the banks are through with the last load of a warp.
  Cycle served(unsigned slot) const { return served_[slot]; }
  /// Whether that is this instruction.
  bool is_last(unsigned slot, uint32_t instr) const { return load_[slot] == instr; }

 private:
  const Config& config_;
  Pipeline& pipeline_;
  ConflictGuard& guard_;
  Counters& counters_;
  scratchpad::Rules rules_;  ///< of the banks
  const bool staged_;
  // By warp slot.
  std::array<Cycle, 64> served_{};
  std::array<uint32_t, 64> load_{};
};

}  // namespace bankshot::timing

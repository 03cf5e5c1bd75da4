// Phases: which lanes of a warp the banks serve together.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/scratchpad/base/lane_mask.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::scratchpad {

/// The phases of a warp in their order: no lane is in two of them, and each of the kMaxLanes is in one. Empty: no
/// table.
using PhaseTable = std::vector<LaneMask>;

/// A table from its text: lanes of a phase as ranges, phases separated by commas. A table for the first 8, 16 or 32
/// lanes is repeated for the lanes above: "0-3 20-23, 4-7 16-19, 8-11 28-31, 12-15 24-27".
/// Errors: text that is not a range of lanes, a lane in two phases, a number of lanes that is not a power of two, a
/// lane missing.
Result<PhaseTable> parse_phases(std::string_view text);
/// The shortest text that parse_phases turns into this table.
std::string phases_text(const PhaseTable& table);
/// "0-3 20-23". Empty if there is no lane.
std::string lanes_text(LaneMask lanes);

/// The phases of one access: neighbouring lanes in groups of one size, or a table. Refers to the table.
class Phases {
 public:
  /// @param lanes  of a phase, a power of two up to kMaxLanes
  static Phases neighbours(unsigned lanes) { return Phases(lanes, {}); }
  static Phases of(const PhaseTable& table) { return Phases(0, table); }

  /// Calls visit(phase, active) for each phase that has an active lane, in order.
  ///   phase   all its lanes
  ///   active  those that take part
  template <class Visit>
  void for_each(LaneMask active, Visit visit) const {
    if (lanes_ == 0) {
      for (const LaneMask phase : table_) {
        if (const LaneMask own = phase & active; !own.empty()) visit(phase, own);
      }
      return;
    }
    const LaneMask first = LaneMask::first(lanes_);
    for (unsigned lane = 0; lane < kMaxLanes; lane += lanes_) {
      const LaneMask phase = first.shifted(lane);
      if (const LaneMask own = phase & active; !own.empty()) visit(phase, own);
    }
  }

 private:
  Phases(unsigned lanes, std::span<const LaneMask> table) : lanes_(lanes), table_(table) {}

  unsigned lanes_;  ///< 0: table_
  std::span<const LaneMask> table_;
};

}  // namespace bankshot::scratchpad

// Bank-conflict aware scheduling: how long the access that is being issued will keep the banks, before its addresses
// are known. Source: Gou and Gaydadjiev, Elastic Pipeline (CF'11), section 4.
#pragma once

#include <span>

#include "bankshot/timing/base/registry.hpp"

namespace bankshot::timing {

/// The cycles that a memory access must keep behind a shared one, so that nothing stands still: equation 1 of one
/// sub-warp, equation 5 of several.
/// @param degrees    conflict degree of each sub-warp: lanes or words of the fullest bank
/// @param corrected  a sub-warp is served in whole cycles: the sum of ceil(degree / ports); else equation 5, which
/// takes the
///                   quotient of the sum and is less where ports share badly (degrees 1 1 1 1, 2 ports: 2 for 4)
unsigned safe_distance(std::span<const unsigned> degrees, unsigned ports, bool corrected);

/// One per SM. It predicts an access when that issues, and learns its conflict when the banks have served it; a
/// conflict is the cycles for which it has the banks beyond those of its sub-warps. A conflict up to kMost that is
/// always the same is foreseen sooner or later. tests/contract holds every member to this.
class Foresight {
 public:
  static constexpr unsigned kMost = 31;  ///< largest conflict distinguished: log2(warp) bits of the cache (section 4.4)

  virtual ~Foresight() = default;
  /// @param pc        index of the instruction
  /// @param conflict  what it will be; only components that no hardware can have (bits() is 0) look at it
  virtual unsigned foresee(uint32_t pc, unsigned slot, unsigned conflict) = 0;
  virtual void learn(uint32_t pc, unsigned slot, unsigned conflict) = 0;
  /// A launch begins.
  virtual void clear() = 0;
  /// What it remembers, in bits of storage.
  virtual unsigned bits() const = 0;
};

using ForesightRegistry = Registry<Foresight>;

}  // namespace bankshot::timing

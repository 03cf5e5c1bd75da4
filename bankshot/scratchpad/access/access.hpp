// What one access of a warp to shared memory costs: the rules of the banks.
#pragma once

#include <cstdint>
#include <span>

#include "bankshot/scratchpad/access/rules.hpp"

namespace bankshot::scratchpad {

/// What one warp access costs.
struct Cost {
  uint32_t wavefronts = 0;  ///< passes over the banks, summed over the phases: the conflict degree
  uint32_t ideal = 0;       ///< what a conflict-free access of this width needs: ideal_passes() for each phase that has
                            ///< an active lane
  uint32_t position = 0;    ///< where lanes take turns: the part of `wavefronts` due to lanes on one word (position
                            ///< conflicts): what would not be needed if each word were wanted once
  bool operator==(const Cost&) const = default;
};

/// Passes in which a bank serves `requests` words, or lanes of an atomic.
inline uint32_t passes_of(const Rules& rules, uint32_t requests) {
  return rules.ports == 1 ? requests : (requests + rules.ports - 1) / rules.ports;
}

/// Passes that a phase of such accesses takes without conflicts: 1, and more where one lane wants more bytes than all
/// banks have at once, or a compare-and-swap takes more.
inline uint32_t ideal_passes(const Rules& rules, AccessKind kind, unsigned width) {
  return passes_each(rules, kind) *
         (lane_exceeds_banks(rules, width) ? passes_of(rules, width / (rules.banks * rules.bank_bytes)) : 1);
}

/// Wavefronts of one warp access.
/// @param width      bytes a lane accesses: 1, 2, 4, 8, 16 or, in a first-level cache, 32
/// @param addresses  byte addresses in shared memory, one a lane, multiples of `width`; those of inactive lanes are
///                   not read
/// @param mask       bit l set: lane l is active
/// A load or store counts distinct words per bank (lanes on one word are a broadcast; on a store one lane wins);
/// an atomic or a copy counts lanes per bank (lanes on one word serialise; but see lanes_take_turns()). A phase takes
/// as many passes as its fullest bank needs, which serves Rules::ports of them in each, or in passes_each().
Cost cost(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses, uint64_t mask);

/// The same for the sub-warps of a datapath that is narrower than the warp, `lanes` each: the conflict degrees of
/// Elastic Pipeline (CF'11), equation 4, whose sum is cost().wavefronts. A phase counts where its
/// lowest lane is.
/// @param degrees  by sub-warp; 0: no active lane
void sub_warp_degrees(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses, uint64_t mask,
                      unsigned lanes, std::span<unsigned> degrees);

/// Classes of a warp access after the XOR-hash paper, section 3; neighbours are consecutive active lanes.
///   linear     neighbours are one access width apart; also an access of a single lane
///   stride     neighbours are a constant distance apart, not zero
///   block      rows of a 2-D tile: equal rows (the first and last may be cut off by the warp's ends), a constant
///              distance inside a row (0 included) and another from row to row
///   broadcast  every lane reads the same bank word; for accesses wider than a bank, the same address
///   random     anything else
enum class PatternClass : uint8_t { linear, stride, block, broadcast, random };
constexpr unsigned kPatternClasses = 5;
const char* name(PatternClass pattern);

struct Shape {
  PatternClass pattern = PatternClass::random;
  int32_t stride_bytes = 0;  ///< of linear and stride
  bool operator==(const Shape&) const = default;
};

/// The class of one warp access; the arguments are those of cost(). Of several that fit, linear wins, then broadcast,
/// then stride.
Shape classify(const Rules& rules, unsigned width, const uint32_t* addresses, uint64_t mask);

}  // namespace bankshot::scratchpad

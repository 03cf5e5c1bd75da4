// Counters of one shared-memory instruction over a run.
#pragma once

#include <array>
#include <cstdint>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/counting/trace.hpp"

namespace bankshot::scratchpad {

/// The last few different accesses of an instruction and what they cost. An access costs the same as its translation
/// by whole bank words, so an instruction that walks through a tile is priced once. Under a bank hash it costs the same
/// as itself, and if the hash is linear as its translation by XOR: that changes all banks by XOR with one bank.
struct ShapeMemo {
  struct Entry {
    uint64_t mask = 0;    ///< 0: unused
    uint32_t offset = 0;  ///< ShapeKey::offset
    uint32_t last = 0;    ///< distance of the last active lane: tells most shapes apart without a look at the others
    Cost cost;
    Shape shape;
    uint32_t lanes = 0;
    alignas(64) std::array<uint32_t, kMaxLanes> distance{};  ///< of active lanes from the first one, modulo 2^32
  };
  static constexpr unsigned kEntries = 4;

  unsigned latest = 0;  ///< the entry that matched last
  unsigned oldest = 0;  ///< the entry to replace next
  std::array<Entry, kEntries> entries;
};

/// Accesses by their wavefronts: [n] needed n of them, the last entry kMostCounted or more; [0] is unused.
constexpr unsigned kMostCounted = 129;
using Degrees = std::array<uint64_t, kMostCounted + 1>;

/// What is known of all accesses of one instruction: sums, classes and the worst access.
struct SiteTotals {
  uint64_t accesses = 0;         ///< warp accesses with at least one active lane
  uint64_t in_transactions = 0;  ///< … of lanes in a transaction, which banks serve one after the other
  uint64_t lanes = 0;            ///< lane accesses
  uint64_t wavefronts = 0, ideal = 0;
  uint64_t position = 0;                            ///< wavefronts due to lanes on one word (atomics)
  uint32_t degree_max = 0;                          ///< wavefronts of the worst access
  std::array<uint64_t, kPatternClasses> classes{};  ///< accesses by class
  Degrees degrees{};                                ///< accesses by conflict degree

  /// The access with the most wavefronts; of equals the one of the lowest CTA, then the first in that CTA.
  struct Worst {
    uint64_t cta = 0;
    uint64_t mask = 0;
    std::array<uint32_t, kMaxLanes> addresses{};  ///< byte addresses in shared memory, 0 of inactive lanes
    Shape shape;
  } worst;

  /// The stride of the worst access that is a stride, chosen in the same way.
  struct Stride {
    uint32_t degree = 0;  ///< 0: no access was a stride
    int32_t bytes = 0;
    uint64_t cta = 0;
  } stride;

  AccessTrace trace;  ///< the different accesses, if it was made with a capacity

  /// Adds the accesses of another worker, launch or process. The result does not depend on the order of merging.
  void merge(const SiteTotals& other);
  uint64_t conflicts() const { return wavefronts - ideal; }
  double degree_mean() const {
    return accesses == 0 ? 0 : static_cast<double>(wavefronts) / static_cast<double>(accesses);
  }
  /// The class of the most accesses; of equals the first.
  PatternClass pattern() const;
};

/// Accumulates the accesses of one instruction. One per worker thread and site; merged afterwards. The result does not
/// depend on how the CTAs were spread over workers, if each CTA's accesses were recorded in their order by one worker.
class SiteCounter : public SiteTotals {
 public:
  /// Counts one warp access. Arguments as for cost(), but `addresses` has room for 32 lanes, or 64 if the mask needs
  /// more, whose inactive entries may be read and may hold anything. @param cta  linear index of the CTA
  /// Rules and width must be the same in all calls. @return what the access costs
  Cost record(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses, uint64_t mask,
              uint64_t cta);

 private:
  /// The slow part of record(): an access that is not like the latest one, or that is the worst so far.
  const ShapeMemo::Entry& price(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses,
                                uint64_t mask);
  void keep_worst(const ShapeMemo::Entry& access, const uint32_t* addresses, uint64_t cta);
  ShapeMemo memo_;
  AccessKind kind_ = AccessKind::load;  ///< of what is in it
};

}  // namespace bankshot::scratchpad

// Counters of one instruction that accesses global memory over a run: what it costs in the first-level cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bankshot/scratchpad/access/l1_access.hpp"

namespace bankshot::scratchpad {

/// What is known of all accesses of one instruction.
struct L1Totals {
  uint64_t accesses = 0;  ///< warp accesses with at least one active lane
  uint64_t lanes = 0;     ///< lane accesses
  L1Sums<uint64_t> sums;

  /// The access that takes the most cycles; of equals one of the lowest CTA.
  struct Worst {
    uint64_t cta = 0;
    uint32_t lanes = 0;  ///< 0: there was no access
    Shape shape;
    L1Cost cost;
    bool operator==(const Worst&) const = default;
  } worst;

  /// Adds the accesses of another worker, launch or process. The result does not depend on the order of merging.
  void merge(const L1Totals& other);
};

/// Accumulates the accesses of one instruction. One per worker thread and site; the totals are merged afterwards.
class L1Counter {
 public:
  /// Counts one warp access. Rules, `reads` and width must be the same in all calls; see l1_cost().
  /// @param address  by lane, less `offset`; room for 32 lanes, or 64 if the mask needs more. Those of inactive lanes
  /// may
  ///                 be read and may hold anything
  /// @param lanes    not 0 @param cta  linear index of the CTA
  void record(const L1Rules& rules, bool reads, unsigned width, const uint64_t* address, uint64_t offset,
              uint64_t lanes, uint64_t cta);
  /// Of all accesses so far. The arguments are those of record().
  L1Totals totals(const L1Rules& rules, unsigned width) const;

  /// Where there is what record() changes for an access like the latest one, for code that is made for one access.
  struct Offsets {
    size_t latest, seen, seen_bytes;           ///< the index, 32 bits; the accesses
    size_t mask, first, count, cta, distance;  ///< in each
  };
  static Offsets offsets();

 private:
  /// An access that was priced, and how often it was seen since. An access costs the same as its translation by whole
  /// lines.
  struct Seen {
    uint64_t mask = 0;            ///< 0: unused
    uint64_t first = 0;           ///< of the first active lane: bytes from the begin of its line
    uint64_t count = 0, cta = 0;  ///< the lowest
    L1Cost cost;
    alignas(64) std::array<uint64_t, kMaxLanes> distance;  ///< of active lanes from the first one, modulo 2^64
  };
  static constexpr unsigned kSeen = 4;

  static bool is_like(const Seen& seen, const uint64_t* address, uint64_t first, uint64_t in_line, uint64_t lanes);
  Seen& find(const L1Rules& rules, bool reads, unsigned width, const uint64_t* address, uint64_t offset,
             uint64_t lanes);
  static void add(const L1Rules& rules, unsigned width, const Seen& seen, L1Totals& to);

  unsigned latest_ = 0;  ///< the access that was seen last
  unsigned oldest_ = 0;  ///< the one to replace next
  std::array<Seen, kSeen> seen_;
  L1Totals gone_;  ///< of accesses that were replaced
};

}  // namespace bankshot::scratchpad

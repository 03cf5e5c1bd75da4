// What an atomic addition of a warp costs where locks guard the words of shared memory: a closed model.
// Source: TPDS'13 (Performance Modeling of Atomic Additions on GPU Scratchpad Memory), algorithm 1.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/atomics/lock_hash.hpp"
#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::scratchpad {

/// How words lie in banks and share locks.
struct LockGeometry {
  unsigned banks = 32;                ///< of a word; a power of two, at most kMaxBanks
  std::optional<BankHash> bank_hash;  ///< none: word mod banks
  LockHash locks;
};

/// The passes of the loop in which an atomic executes. In each, one lane of every lock updates its word.
struct LockWalk {
  unsigned rounds = 0;       ///< the lock conflict degree: most lanes on one lock
  unsigned bank_degree = 0;  ///< most different words in one bank
  unsigned reads = 0;        ///< bank conflict degrees of the reads, summed over the rounds: losers read again
  unsigned writes = 0;       ///< … of the writes
  bool operator==(const LockWalk&) const = default;
};

/// Walks access patterns. Not for several threads at once: it has room that it uses again.
class LockWalker {
 public:
  explicit LockWalker(const LockGeometry& geometry);
  /// @param words  word addresses, one an active lane in lane order; at most kMaxLanes, below 2^address_bits of the
  /// lock hash
  LockWalk walk(const uint32_t* words, unsigned count);

 private:
  /// @tparam kBanks  of a row: as many as there are, or more
  template <unsigned kBanks>
  LockWalk walk_rows(const uint32_t* words, unsigned count);

  bool wide_;                     ///< more than 64 banks
  std::vector<uint8_t> bank_of_;  ///< by word
  LockTable locks_;
  std::vector<uint32_t> seen_;  ///< by word: the last walk that had it
  uint32_t walks_ = 0;
  std::vector<uint8_t> lanes_of_;              ///< by lock; all 0 between walks
  using Row = std::array<uint8_t, kMaxBanks>;  ///< by bank
  std::array<Row, kMaxLanes> reads_, writes_;  ///< by round
};

/// Cycles of the loop. Both published forms are of this shape.
struct AtomicsTimes {
  unsigned base = 0;         ///< an access without conflicts
  unsigned round = 0;        ///< each further round
  unsigned read_level = 0;   ///< each bank conflict level of a read beyond the first
  unsigned write_level = 0;  ///< … of a write
};

struct AtomicsLatency {
  uint64_t rounds = 0;             ///< the base and the further rounds, without bank conflicts
  uint64_t reads = 0, writes = 0;  ///< bank conflict penalties
  uint64_t total() const { return rounds + reads + writes; }
};

inline AtomicsLatency latency(const LockWalk& walk, const AtomicsTimes& times) {
  if (walk.rounds == 0) return {};
  return {times.base + uint64_t{walk.rounds - 1} * times.round, uint64_t{walk.reads - walk.rounds} * times.read_level,
          uint64_t{walk.writes - walk.rounds} * times.write_level};
}

/// What a model says of one warp's atomic.
struct AtomicsCost {
  AtomicsLatency cycles;
  unsigned rounds = 0;       ///< passes of a loop; 1 where there is no loop
  unsigned lock_degree = 0;  ///< most lanes on one lock; without locks, on one word
  unsigned bank_degree = 0;  ///< most different words in one bank
};
/// @param words  word addresses, one an active lane in lane order. Not for several threads at once
using AtomicsModel = std::function<AtomicsCost(const uint32_t* words, unsigned count)>;

/// Algorithm 1 of TPDS'13, or the states of ICCD'13: what the times say.
AtomicsModel lock_model(const LockGeometry& geometry, const AtomicsTimes& times);

/// Atomics at the banks: `latency` cycles, and `pass` for each lane of the fullest bank beyond the first.
/// docs/wavefronts.md.
/// @param combines  lanes on one word count as one: they add 1 on a machine that counts them, or an atomic costs what a
/// load
///                  does
AtomicsModel native_model(const Rules& rules, unsigned latency, unsigned pass, bool combines);

}  // namespace bankshot::scratchpad

#include "bankshot/scratchpad/atomics/atomics_model.hpp"

#include <algorithm>
#include <memory>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/base/clones.hpp"

namespace bankshot::scratchpad {
namespace {

/// Adds `more` to `sums` and returns the largest sum. Counts stay below 256: there are at most kMaxLanes lanes.
template <unsigned kBanks>
[[gnu::always_inline]] inline unsigned add_and_find_most(uint8_t* sums, const uint8_t* more) {
  uint8_t most = 0;
  for (unsigned k = 0; k < kBanks; ++k) {
    sums[k] = static_cast<uint8_t>(sums[k] + more[k]);
    most = std::max(most, sums[k]);
  }
  return most;
}
BANKSHOT_CLONES unsigned add_and_find_most_of_64(uint8_t* sums, const uint8_t* more) {
  return add_and_find_most<64>(sums, more);
}
BANKSHOT_CLONES unsigned add_and_find_most_of_128(uint8_t* sums, const uint8_t* more) {
  return add_and_find_most<128>(sums, more);
}

}  // namespace

LockWalker::LockWalker(const LockGeometry& geometry)
    : wide_(geometry.banks > 64), locks_(geometry.locks), lanes_of_(geometry.locks.locks()) {
  const size_t words = size_t{1} << geometry.locks.address_bits;
  bank_of_.resize(words);
  seen_.resize(words);
  for (uint32_t word = 0; word < words; ++word) {
    bank_of_[word] = static_cast<uint8_t>(geometry.bank_hash ? geometry.bank_hash->bank(word) : word % geometry.banks);
  }
}

/// Who wins is known beforehand: of a lock's lanes the first in the first round, the second in the second, and so on. A
/// word is read until its last lane has won. So the lanes are looked at twice, and the rounds only added up.
template <unsigned kBanks>
LockWalk LockWalker::walk_rows(const uint32_t* words, unsigned count) {
  LockWalk result;
  if (count == 0) return result;
  if (++walks_ == 0) {
    std::fill(seen_.begin(), seen_.end(), 0u);
    walks_ = 1;
  }
  std::array<uint8_t, kMaxLanes> round;
  for (unsigned k = 0; k < count; ++k) {
    round[k] = lanes_of_[locks_.lock(words[k])]++;
    result.rounds = std::max(result.rounds, round[k] + 1u);
  }
  for (unsigned r = 0; r < result.rounds; ++r) {
    std::fill_n(reads_[r].begin(), kBanks, uint8_t{0});
    std::fill_n(writes_[r].begin(), kBanks, uint8_t{0});
  }
  for (unsigned k = count; k-- > 0;) {
    const uint32_t word = words[k];
    lanes_of_[locks_.lock(word)] = 0;
    ++writes_[round[k]][bank_of_[word]];
    if (seen_[word] == walks_) continue;
    seen_[word] = walks_;
    ++reads_[round[k]][bank_of_[word]];  // the last of the word's lanes
  }
  alignas(64) Row pending{};
  for (unsigned r = result.rounds; r-- > 0;) {
    result.bank_degree =
        (kBanks == 64 ? add_and_find_most_of_64 : add_and_find_most_of_128)(pending.data(), reads_[r].data());
    result.reads += result.bank_degree;
    result.writes += *std::max_element(writes_[r].begin(), writes_[r].begin() + kBanks);
  }
  return result;
}

LockWalk LockWalker::walk(const uint32_t* words, unsigned count) {
  static_assert(kMaxBanks == 128);
  return wide_ ? walk_rows<128>(words, count) : walk_rows<64>(words, count);
}

AtomicsModel lock_model(const LockGeometry& geometry, const AtomicsTimes& times) {
  return [walker = std::make_shared<LockWalker>(geometry), times](const uint32_t* words, unsigned count) {
    const LockWalk walk = walker->walk(words, count);
    return AtomicsCost{latency(walk, times), walk.rounds, walk.rounds, walk.bank_degree};
  };
}

AtomicsModel native_model(const Rules& rules, unsigned latency, unsigned pass, bool combines) {
  return [rules, latency, pass, combines](const uint32_t* words, unsigned count) {
    AtomicsCost result;
    if (count == 0) return result;
    std::array<uint32_t, kMaxLanes> bytes{}, sorted{};
    for (unsigned k = 0; k < count; ++k) bytes[k] = words[k] * 4;
    const uint64_t mask = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    const uint32_t lanes = cost(rules, AccessKind::atomic, 4, bytes.data(), mask).wavefronts;
    result.bank_degree = cost(rules, AccessKind::load, 4, bytes.data(), mask).wavefronts;
    const uint32_t passes = combines ? result.bank_degree : lanes;
    std::copy_n(words, count, sorted.begin());
    std::sort(sorted.begin(), sorted.begin() + count);
    for (unsigned k = 0, run = 0; k < count; ++k) {
      run = k != 0 && sorted[k] == sorted[k - 1] ? run + 1 : 1;
      result.lock_degree = std::max(result.lock_degree, run);
    }
    result.rounds = 1;
    result.cycles = {latency, uint64_t{pass} * (passes - 1), 0};
    return result;
  };
}

}  // namespace bankshot::scratchpad

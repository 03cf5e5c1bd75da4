// The cost of one access: the phases a warp is served in, and the banks of each phase.
#include "bankshot/scratchpad/access.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "bankshot/scratchpad/clones.hpp"
#include "bankshot/scratchpad/word_set.hpp"

namespace bankshot::scratchpad {
namespace {

/// Do all pairs of active lanes n and n^distance read the same address?
bool pairs_agree(const uint32_t* addresses, uint64_t mask, unsigned distance) {
  for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned partner = lane ^ distance;
    if ((mask >> partner & 1) != 0 && addresses[lane] != addresses[partner]) return false;
  }
  return true;
}

constexpr unsigned kMaxBanks = 64;
constexpr unsigned kMaxWords = kMaxLanes * 5;  // 16 bytes over 4-byte banks, misaligned

/// The words that the lanes of one phase touch, lane by lane.
struct Words {
  std::array<uint32_t, kMaxWords> word;
  unsigned count = 0;
};

[[gnu::always_inline]] inline void collect(Words& words, const Rules& rules, unsigned width, const uint32_t* addresses,
                                           uint64_t mask) {
  const int shift = std::countr_zero(rules.bank_bytes);
  if (width <= rules.bank_bytes && mask == 0xffffffff) {  // the loop that matters, and vectorises
    for (unsigned lane = 0; lane < 32; ++lane) words.word[lane] = addresses[lane] >> shift;
    words.count = 32;
    return;
  }
  unsigned count = 0;
  for (; mask != 0; mask &= mask - 1) {
    const uint32_t address = addresses[std::countr_zero(mask)];
    const uint32_t last = (address + width - 1) >> shift;
    for (uint32_t word = address >> shift; word <= last; ++word) words.word[count++] = word;
  }
  words.count = count;
}

struct Loads {
  uint32_t lanes = 0;  ///< most lanes on one bank
  uint32_t words = 0;  ///< most distinct words on one bank
};

/// @param fresh  fresh(i): 1 if word i is not among the words before it, else 0
template <class F>
[[gnu::always_inline]] inline Loads loads(const Words& words, unsigned banks, F fresh) {
  constexpr uint32_t kLane = 1u << 16;  // a bank's lanes in the upper half, its distinct words in the lower
  std::array<uint32_t, kMaxBanks> load{};
  for (unsigned i = 0; i < words.count; ++i) load[words.word[i] & (banks - 1)] += kLane + fresh(i);
  Loads most;
  for (const uint32_t bank : load) {
    most.lanes = std::max(most.lanes, bank / kLane);
    most.words = std::max(most.words, bank % kLane);
  }
  return most;
}

BANKSHOT_CLONES
Loads loads_of_phase(const Rules& rules, unsigned width, const uint32_t* addresses, uint64_t mask) {
  Words words;
  collect(words, rules, width, addresses, mask);
  uint32_t all = 0;
  for (unsigned i = 0; i < words.count; ++i) all |= words.word[i];
  if (all < WordSet::kWords) {
    WordSet& seen = WordSet::local();
    const Loads most = loads(words, rules.banks, [&](unsigned i) { return seen.add(words.word[i]); });
    for (unsigned i = 0; i < words.count; ++i) seen.remove(words.word[i]);
    return most;
  }
  // No shared memory is this large; such addresses are counted all the same, slowly.
  std::sort(words.word.begin(), words.word.begin() + words.count);
  return loads(words, rules.banks, [&](unsigned i) { return i == 0 || words.word[i] != words.word[i - 1] ? 1u : 0u; });
}

}  // namespace

WordSet& WordSet::local() {
  static thread_local WordSet set;
  return set;
}

unsigned lanes_per_phase(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses,
                         uint64_t mask) {
  if (width <= 4) return rules.lanes_b32;
  if (width == 8) return rules.lanes_b64;
  const bool merged = rules.merge_b128 && kind == AccessKind::load &&
                      (pairs_agree(addresses, mask, 1) || pairs_agree(addresses, mask, 2));
  return merged ? 2 * rules.lanes_b128 : rules.lanes_b128;
}

Cost cost(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses, uint64_t mask) {
  assert(std::has_single_bit(rules.banks) && rules.banks <= kMaxBanks && "the GPU file was checked");
  assert((rules.bank_bytes == 4 || rules.bank_bytes == 8) && "the GPU file was checked");
  assert(std::has_single_bit(width) && width <= 16 && "the decoder admits no other width");

  const unsigned lanes = lanes_per_phase(rules, kind, width, addresses, mask);
  const uint64_t phase_lanes = lanes >= kMaxLanes ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;

  Cost cost;
  for (unsigned first = 0; first < kMaxLanes; first += lanes) {
    const uint64_t phase = mask & phase_lanes << first;
    if (phase == 0) continue;
    const Loads most = loads_of_phase(rules, width, addresses, phase);
    cost.ideal += 1;
    if (kind == AccessKind::atomic) {
      cost.wavefronts += most.lanes;
      cost.position += most.lanes - most.words;
    } else {
      cost.wavefronts += most.words;
    }
  }
  return cost;
}

}  // namespace bankshot::scratchpad

// The cost of one access: the phases a warp is served in, and the banks of each phase.
#include "bankshot/scratchpad/access.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "bankshot/scratchpad/bank_loads.hpp"
#include "bankshot/scratchpad/clones.hpp"

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

/// The words that the lanes of one phase touch, lane by lane.
struct Words {
  std::array<uint32_t, kMaxPhaseWords> word;
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

BANKSHOT_CLONES
Loads loads_of_phase(const Rules& rules, unsigned width, const uint32_t* addresses, uint64_t mask) {
  Words words;
  collect(words, rules, width, addresses, mask);
  if (rules.hash) return loads_hashed(words.word.data(), words.count, *rules.hash);
  if (words.count <= 32 && has_loads_avx512()) return loads_avx512(words.word.data(), words.count, rules.banks);
  return loads_portable(words.word.data(), words.count, rules.banks);
}

}  // namespace

unsigned lanes_per_phase(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses,
                         uint64_t mask) {
  if (width <= 4) return rules.lanes_b32;
  if (width == 8) return rules.lanes_b64;
  const bool merged = rules.merge_b128 && kind == AccessKind::load &&
                      (pairs_agree(addresses, mask, 1) || pairs_agree(addresses, mask, 2));
  return merged ? 2 * rules.lanes_b128 : rules.lanes_b128;
}

namespace {

/// @param tell  called with the first lane of each phase that has an active one, and what its fullest bank is wanted
/// for
template <class Tell>
void for_each_phase(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses, uint64_t mask,
                    Tell tell) {
  assert(std::has_single_bit(rules.banks) && rules.banks <= kMaxBanks && "the GPU file was checked");
  assert(rules.ports != 0 && (!rules.hash || rules.hash->banks() == rules.banks) && "the GPU file was checked");
  assert((rules.bank_bytes == 4 || rules.bank_bytes == 8) && "the GPU file was checked");
  assert(std::has_single_bit(width) && width <= 16 && "the decoder admits no other width");
  const unsigned lanes = lanes_per_phase(rules, kind, width, addresses, mask);
  const uint64_t phase_lanes = lanes >= kMaxLanes ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
  for (unsigned first = 0; first < kMaxLanes; first += lanes) {
    const uint64_t phase = mask & phase_lanes << first;
    if (phase != 0) tell(first, loads_of_phase(rules, width, addresses, phase));
  }
}

}  // namespace

Cost cost(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses, uint64_t mask) {
  Cost cost;
  for_each_phase(rules, kind, width, addresses, mask, [&](unsigned, const Loads& most) {
    cost.ideal += 1;
    const uint32_t words = passes_of(rules, most.words);
    if (kind == AccessKind::atomic) {
      const uint32_t lanes_on_bank = passes_of(rules, most.lanes);
      cost.wavefronts += lanes_on_bank;
      cost.position += lanes_on_bank - words;
    } else {
      cost.wavefronts += words;
    }
  });
  return cost;
}

void sub_warp_degrees(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses, uint64_t mask,
                      unsigned lanes, std::span<unsigned> degrees) {
  std::fill(degrees.begin(), degrees.end(), 0u);
  for_each_phase(rules, kind, width, addresses, mask, [&](unsigned first, const Loads& most) {
    degrees[std::min<size_t>(first / lanes, degrees.size() - 1)] +=
        passes_of(rules, kind == AccessKind::atomic ? most.lanes : most.words);
  });
}

}  // namespace bankshot::scratchpad

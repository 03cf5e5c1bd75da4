// The cost of one access: the phases a warp is served in, and the banks of each phase.
#include "bankshot/scratchpad/access/access.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "bankshot/scratchpad/access/bank_loads.hpp"
#include "bankshot/scratchpad/access/bank_words.hpp"
#include "bankshot/scratchpad/base/clones.hpp"

namespace bankshot::scratchpad {
namespace {

/// The words that the lanes of one phase touch, lane by lane.
struct Words {
  std::array<uint32_t, kMaxPhaseWords> word;
  unsigned count = 0;
};

[[gnu::always_inline]] inline void collect(Words& words, const Rules& rules, unsigned width, const uint32_t* addresses,
                                           LaneMask active) {
  if (width <= rules.bank_bytes && active == LaneMask::first(32)) {  // the loop that matters, and vectorises
    const int shift = std::countr_zero(rules.bank_bytes);
    for (unsigned lane = 0; lane < 32; ++lane) words.word[lane] = addresses[lane] >> shift;
    words.count = 32;
    return;
  }
  unsigned count = 0;
  for (const unsigned lane : active) {
    for_each_bank_word(rules, ByteOffset(addresses[lane]), width, [&](uint32_t word) { words.word[count++] = word; });
  }
  words.count = count;
}

BANKSHOT_CLONES
Loads loads_of_phase(const Rules& rules, unsigned width, const uint32_t* addresses, LaneMask active) {
  Words words;
  collect(words, rules, width, addresses, active);
  if (rules.hash) return loads_hashed(words.word.data(), words.count, *rules.hash);
  if (words.count <= 32 && has_loads_avx512()) return loads_avx512(words.word.data(), words.count, rules.banks);
  return loads_portable(words.word.data(), words.count, rules.banks);
}

/// @param tell  called with the lanes of each phase that has an active one, and what its fullest bank must serve
template <class Tell>
void for_each_phase(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses, LaneMask active,
                    Tell tell) {
  assert(std::has_single_bit(rules.banks) && rules.banks >= kMinBanks && rules.banks <= kMaxBanks &&
         "the GPU file was checked");
  assert(rules.ports != 0 && (!rules.hash || rules.hash->banks() == rules.banks) && "the GPU file was checked");
  assert((rules.bank_bytes == 4 || rules.bank_bytes == 8) && "the GPU file was checked");
  assert(std::has_single_bit(width) && width <= 32 && "the decoder admits no other width");
  phases_of(rules, kind, width, addresses, active).for_each(active, [&](LaneMask phase, LaneMask own) {
    tell(phase, loads_of_phase(rules, width, addresses, own));
  });
}

}  // namespace

Cost cost(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses, uint64_t mask) {
  Cost cost;
  const uint32_t ideal = ideal_passes(rules, kind, width), each = passes_each(rules, kind);
  const bool turns = lanes_take_turns(rules, kind);
  for_each_phase(rules, kind, width, addresses, LaneMask(mask), [&](LaneMask, const Loads& most) {
    cost.ideal += ideal;
    const uint32_t words = each * passes_of(rules, most.words);
    if (turns) {
      const uint32_t lanes_on_bank = each * passes_of(rules, most.lanes);
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
  for_each_phase(rules, kind, width, addresses, LaneMask(mask), [&](LaneMask phase, const Loads& most) {
    degrees[std::min<size_t>(phase.lowest() / lanes, degrees.size() - 1)] +=
        passes_each(rules, kind) * passes_of(rules, lanes_take_turns(rules, kind) ? most.lanes : most.words);
  });
}

}  // namespace bankshot::scratchpad

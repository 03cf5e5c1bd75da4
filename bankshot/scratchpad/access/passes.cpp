#include "bankshot/scratchpad/access/passes.hpp"

#include <algorithm>

#include "bankshot/scratchpad/access/bank_words.hpp"

namespace bankshot::scratchpad {
namespace {

/// What one bank has to deliver in a phase: a word, and the lanes that get it.
struct Request {
  uint32_t word;
  LaneMask lanes;
};

int8_t served(LaneMask lanes) { return lanes.count() == 1 ? static_cast<int8_t>(lanes.lowest()) : Pass::kSeveral; }

void add(std::vector<Request>& requests, bool turns, uint32_t word, unsigned lane) {
  const auto same = std::find_if(requests.begin(), requests.end(), [&](const Request& r) { return r.word == word; });
  if (!turns && same != requests.end()) {
    same->lanes.add(lane);
  } else {
    requests.push_back({word, LaneMask::first(1).shifted(lane)});
  }
}

}  // namespace

std::vector<Pass> passes(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses,
                         uint64_t mask) {
  std::vector<Pass> all;
  const LaneMask active(mask);
  const bool turns = lanes_take_turns(rules, kind);
  phases_of(rules, kind, width, addresses, active).for_each(active, [&](LaneMask phase, LaneMask own) {
    std::vector<std::vector<Request>> banks(rules.banks);
    for (const unsigned lane : own) {
      for_each_bank_word(rules, ByteOffset(addresses[lane]), width,
                         [&](uint32_t word) { add(banks[rules.bank(word)], turns, word, lane); });
    }
    size_t most = 0;
    for (const auto& requests : banks) most = std::max(most, requests.size());
    const size_t slots = size_t{rules.ports} * rules.banks;
    for (size_t first = 0; first < most; first += rules.ports) {
      Pass pass{phase, std::vector<int8_t>(slots, Pass::kIdle), std::vector<LaneMask>(slots),
                std::vector<uint32_t>(slots)};
      for (size_t bank = 0; bank < banks.size(); ++bank) {
        for (size_t port = 0; port < rules.ports && first + port < banks[bank].size(); ++port) {
          const size_t slot = port * rules.banks + bank;
          pass.lanes[slot] = banks[bank][first + port].lanes;
          pass.bank[slot] = served(pass.lanes[slot]);
          pass.word[slot] = banks[bank][first + port].word;
        }
      }
      all.insert(all.end(), passes_each(rules, kind), pass);
    }
  });
  return all;
}

}  // namespace bankshot::scratchpad

#include "bankshot/scratchpad/access/passes.hpp"

#include <algorithm>

#include "bankshot/scratchpad/access/bank_words.hpp"

namespace bankshot::scratchpad {
namespace {

/// What one bank has to deliver in a phase: a word, and the lane that gets it.
struct Request {
  uint32_t word;
  int8_t lane;
};

void add(std::vector<Request>& requests, bool turns, uint32_t word, unsigned lane) {
  const auto same = std::find_if(requests.begin(), requests.end(), [&](const Request& r) { return r.word == word; });
  if (!turns && same != requests.end()) {
    same->lane = Pass::kSeveral;
  } else {
    requests.push_back({word, static_cast<int8_t>(lane)});
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
    for (size_t served = 0; served < most; served += rules.ports) {
      Pass pass{phase, std::vector<int8_t>(size_t{rules.ports} * rules.banks, Pass::kIdle)};
      for (size_t bank = 0; bank < banks.size(); ++bank) {
        for (size_t port = 0; port < rules.ports && served + port < banks[bank].size(); ++port) {
          pass.bank[port * rules.banks + bank] = banks[bank][served + port].lane;
        }
      }
      all.insert(all.end(), passes_each(rules, kind), pass);
    }
  });
  return all;
}

}  // namespace bankshot::scratchpad

#include "bankshot/scratchpad/pattern.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace bankshot::scratchpad {

HashSize size_of(const PatternSet& set) {
  return {set.address_bits, static_cast<unsigned>(std::countr_zero(set.banks))};
}

std::vector<std::vector<uint32_t>> phases(const Rules& rules, const Pattern& pattern) {
  std::array<uint32_t, kMaxLanes> addresses;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) addresses[lane] = 4 * pattern.words[lane];
  const unsigned lanes = lanes_per_phase(rules, pattern.kind, pattern.width, addresses.data(), pattern.mask);
  std::vector<std::vector<uint32_t>> all;
  for (unsigned first = 0; first < kMaxLanes; first += lanes) {
    std::vector<uint32_t> words;
    for (unsigned lane = first; lane < std::min(first + lanes, kMaxLanes); ++lane) {
      if ((pattern.mask >> lane & 1) == 0) continue;
      const uint32_t last = (addresses[lane] + pattern.width - 1) / rules.bank_bytes;
      for (uint32_t word = addresses[lane] / rules.bank_bytes; word <= last; ++word) words.push_back(word);
    }
    if (words.empty()) continue;
    std::sort(words.begin(), words.end());
    if (pattern.kind != AccessKind::atomic) words.erase(std::unique(words.begin(), words.end()), words.end());
    all.push_back(std::move(words));
  }
  return all;
}

Cost cost(const Rules& rules, const Pattern& pattern, const BankHash& hash) {
  Cost cost;
  for (const std::vector<uint32_t>& words : phases(rules, pattern)) {
    std::array<uint32_t, 1u << kMaxBankBits> lanes{}, distinct{};
    for (size_t k = 0; k < words.size(); ++k) {
      const unsigned bank = hash.bank(words[k]);
      ++lanes[bank];
      if (k == 0 || words[k] != words[k - 1]) ++distinct[bank];
    }
    const uint32_t most = *std::max_element(lanes.begin(), lanes.end());
    cost.wavefronts += most;
    cost.ideal += 1;
    if (pattern.kind == AccessKind::atomic) cost.position += most - *std::max_element(distinct.begin(), distinct.end());
  }
  return cost;
}

uint64_t excess(const Rules& rules, const PatternSet& set, const BankHash& hash) {
  uint64_t sum = 0;
  for (const Pattern& pattern : set.patterns) {
    const Cost c = cost(rules, pattern, hash);
    sum += pattern.weight * (c.wavefronts - c.ideal);
  }
  return sum;
}

Groups groups(const Rules& rules, const PatternSet& set) {
  std::map<std::vector<uint32_t>, uint64_t> weights;
  Groups result;
  for (const Pattern& pattern : set.patterns) {
    for (const std::vector<uint32_t>& words : phases(rules, pattern)) {
      if (words.front() == words.back()) {
        result.unavoidable += pattern.weight * (words.size() - 1);
      } else {
        weights[canonical(words)] += pattern.weight;
      }
    }
  }
  for (auto& [words, weight] : weights) result.groups.push_back({weight, words});
  return result;
}

std::vector<uint32_t> canonical(const std::vector<uint32_t>& words) {
  std::vector<uint32_t> least, translated(words.size());
  for (size_t k = 0; k < words.size(); ++k) {
    if (k != 0 && words[k] == words[k - 1]) continue;
    std::transform(words.begin(), words.end(), translated.begin(), [&](uint32_t word) { return word ^ words[k]; });
    std::sort(translated.begin(), translated.end());
    if (least.empty() || translated < least) least = translated;
  }
  return least;
}

}  // namespace bankshot::scratchpad

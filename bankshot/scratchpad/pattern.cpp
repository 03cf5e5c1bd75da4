#include "bankshot/scratchpad/pattern.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "bankshot/scratchpad/bank_loads.hpp"

namespace bankshot::scratchpad {

std::vector<Pattern> patterns(const AccessTrace& trace, AccessKind kind, unsigned width) {
  std::vector<Pattern> all;
  uint64_t kept = 0;
  for (const AccessTrace::Access& access : trace.kept()) {
    Pattern pattern;
    pattern.weight = access.count;
    pattern.kind = kind;
    pattern.width = width;
    pattern.mask = access.mask;
    size_t next = 0;
    for (uint64_t rest = access.mask; rest != 0; rest &= rest - 1) {
      pattern.words[static_cast<size_t>(std::countr_zero(rest))] = trace.words(access)[next++];
    }
    all.push_back(pattern);
    kept += access.count;
  }
  if (kept == trace.recorded()) return all;
  const double scale = static_cast<double>(trace.recorded()) / static_cast<double>(kept);
  for (Pattern& pattern : all) {
    pattern.weight = static_cast<uint64_t>(std::llround(static_cast<double>(pattern.weight) * scale));
  }
  return all;
}

namespace {

/// The two least of the words translated by an origin, with which the sorted translation begins.
std::pair<uint32_t, uint32_t> two_least(const std::vector<uint32_t>& words, uint32_t origin) {
  uint32_t first = UINT32_MAX, second = UINT32_MAX;
  for (uint32_t word : words) {
    const uint32_t own = word ^ origin;
    second = std::min(second, std::max(first, own));
    first = std::min(first, own);
  }
  return {first, second};
}

/// Those origins whose translation of the words may be the least of all: only they are worth sorting.
/// @param words  of which the forms are compared first; without those that change nothing
std::vector<uint32_t> promising(std::vector<uint32_t> origins, const std::vector<uint32_t>& words) {
  std::sort(origins.begin(), origins.end());
  origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
  std::vector<uint32_t> best;
  std::pair<uint32_t, uint32_t> least;
  for (uint32_t origin : origins) {
    const auto own = two_least(words, origin);
    if (best.empty() || own < least) {
      best.clear();
      least = own;
    }
    if (own == least) best.push_back(origin);
  }
  return best;
}

}  // namespace

Pattern canonical(const Rules& rules, const Pattern& pattern) {
  std::array<uint32_t, kMaxLanes> addresses;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) addresses[lane] = 4 * pattern.words[lane];
  const unsigned lanes = lanes_per_phase(rules, pattern.kind, pattern.width, addresses.data(), pattern.mask);
  // Which lanes share a phase of such loads depends on what their neighbours want.
  const bool ordered = rules.merge_b128 && pattern.width == 16;
  std::vector<uint32_t> origins, first_phase;
  for (uint64_t rest = pattern.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    origins.push_back(pattern.words[lane]);
    if (lane / lanes == static_cast<unsigned>(std::countr_zero(pattern.mask)) / lanes)
      first_phase.push_back(origins.back());
  }
  if (!ordered) {
    std::sort(first_phase.begin(), first_phase.end());
    if (pattern.kind != AccessKind::atomic)
      first_phase.erase(std::unique(first_phase.begin(), first_phase.end()), first_phase.end());
    origins = promising(std::move(origins), first_phase);
  }
  Pattern least;
  for (uint32_t origin : origins) {
    Pattern form;
    form.weight = pattern.weight;
    form.kind = pattern.kind;
    form.width = pattern.width;
    for (unsigned first = 0; first < kMaxLanes; first += lanes) {
      std::vector<uint32_t> words;
      for (unsigned lane = first; lane < std::min(first + lanes, kMaxLanes); ++lane) {
        if ((pattern.mask >> lane & 1) == 0) continue;
        words.push_back(pattern.words[lane] ^ origin);
        if (ordered) form.words[lane] = words.back();
      }
      if (ordered) continue;
      std::sort(words.begin(), words.end());
      if (pattern.kind != AccessKind::atomic) words.erase(std::unique(words.begin(), words.end()), words.end());
      std::copy(words.begin(), words.end(), form.words.begin() + first);
      form.mask |= (words.size() == 64 ? ~uint64_t{0} : (uint64_t{1} << words.size()) - 1) << first;
    }
    if (ordered) form.mask = pattern.mask;
    if (least.mask == 0 || form.words < least.words) least = form;
  }
  return least.mask == 0 ? pattern : least;
}

void merge_equal(std::vector<Pattern>& patterns) {
  const auto key = [](const Pattern& p) { return std::tie(p.kind, p.width, p.mask, p.words); };
  std::sort(patterns.begin(), patterns.end(), [&](const Pattern& a, const Pattern& b) { return key(a) < key(b); });
  std::vector<Pattern> merged;
  for (const Pattern& pattern : patterns) {
    if (merged.empty() || key(merged.back()) != key(pattern)) {
      merged.push_back(pattern);
    } else {
      merged.back().weight += pattern.weight;
    }
  }
  std::stable_sort(merged.begin(), merged.end(),
                   [](const Pattern& a, const Pattern& b) { return a.weight > b.weight; });
  patterns = std::move(merged);
}

bool count_from(Pattern& pattern, uint32_t start_word, uint64_t end) {
  for (uint64_t rest = pattern.mask; rest != 0; rest &= rest - 1) {
    uint32_t& word = pattern.words[static_cast<size_t>(std::countr_zero(rest))];
    if (word < start_word) return false;
    word -= start_word;
    if (uint64_t{word} * 4 + std::max(4u, pattern.width) > end) return false;
  }
  return true;
}

bool fit_address_bits(PatternSet& set, unsigned least) {
  uint32_t highest = 0;
  for (const Pattern& pattern : set.patterns) {
    for (uint64_t rest = pattern.mask; rest != 0; rest &= rest - 1) {
      highest = std::max(
          highest, pattern.words[static_cast<size_t>(std::countr_zero(rest))] + std::max(4u, pattern.width) / 4 - 1);
    }
  }
  set.address_bits = std::max(least, static_cast<unsigned>(std::bit_width(highest)));
  return set.address_bits <= kMaxAddressBits;
}

HashSize size_of(const PatternSet& set) {
  const unsigned shift = set.rules.bank_bytes == 8 ? 1 : 0;
  return {set.address_bits - shift, static_cast<unsigned>(std::countr_zero(set.rules.banks))};
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
    std::array<uint32_t, kMaxPhaseWords> banks;
    banks_of(hash, words, banks.data());
    for (size_t k = 0; k < words.size(); ++k) {
      const uint32_t bank = banks[k];
      ++lanes[bank];
      if (k == 0 || words[k] != words[k - 1]) ++distinct[bank];
    }
    const uint32_t most = passes_of(rules, *std::max_element(lanes.begin(), lanes.end()));
    cost.wavefronts += most;
    cost.ideal += 1;
    if (pattern.kind == AccessKind::atomic) {
      cost.position += most - passes_of(rules, *std::max_element(distinct.begin(), distinct.end()));
    }
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
  for (uint32_t origin : promising(words, words)) {
    std::transform(words.begin(), words.end(), translated.begin(), [&](uint32_t word) { return word ^ origin; });
    std::sort(translated.begin(), translated.end());
    if (least.empty() || translated < least) least = translated;
  }
  return least;
}

}  // namespace bankshot::scratchpad

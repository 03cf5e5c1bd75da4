#include "bankshot/scratchpad/patterns/pattern.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "bankshot/scratchpad/access/bank_loads.hpp"
#include "bankshot/scratchpad/access/bank_words.hpp"

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
    for (const unsigned lane : LaneMask(access.mask)) pattern.words[lane] = trace.words(access)[next++];
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

/// In ascending order, without those that change nothing.
std::vector<uint32_t> sorted(std::vector<uint32_t> words, bool turns) {
  std::sort(words.begin(), words.end());
  if (!turns) words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::array<uint32_t, kMaxLanes> addresses_of(const Pattern& pattern) {
  std::array<uint32_t, kMaxLanes> addresses;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) addresses[lane] = 4 * pattern.words[lane];
  return addresses;
}

/// Whether canonical() leaves the lanes as they are: which of them share a phase depends on what their neighbours want.
bool keeps_lanes(const Rules& rules, const Pattern& pattern) {
  return rules.merge_pairs && pattern.kind == AccessKind::load && pattern.width >= 8;
}

/// The least of all XOR translations by a word of the pattern, its lanes as they are.
Pattern least_translation(const Pattern& pattern) {
  Pattern least;
  for (const unsigned first : LaneMask(pattern.mask)) {
    Pattern form{pattern.weight, pattern.kind, pattern.width, pattern.mask};
    for (const unsigned lane : LaneMask(pattern.mask)) form.words[lane] = pattern.words[lane] ^ pattern.words[first];
    if (least.mask == 0 || form.words < least.words) least = form;
  }
  return least.mask == 0 ? pattern : least;
}

}  // namespace

bool keeps_its_cost(const Rules& from, const Rules& to, const Pattern& pattern) {
  if (keeps_lanes(from, pattern)) return true;
  if (to.merge_pairs && pattern.width >= 8 && pattern.kind == AccessKind::load) return false;
  if (!lanes_take_turns(from, pattern.kind) && lanes_take_turns(to, pattern.kind)) return false;
  const PhaseTable* const was = table_of(from, pattern.kind, pattern.width);
  const PhaseTable* const is = table_of(to, pattern.kind, pattern.width);
  if (was != nullptr && is != nullptr) return *was == *is;
  return neighbours_together(from, pattern.kind, pattern.width) == neighbours_together(to, pattern.kind, pattern.width);
}

Pattern canonical(const Rules& rules, const Pattern& pattern) {
  const LaneMask active(pattern.mask);
  if (keeps_lanes(rules, pattern)) return least_translation(pattern);
  const bool turns = lanes_take_turns(rules, pattern.kind);
  const std::array<uint32_t, kMaxLanes> addresses = addresses_of(pattern);
  const Phases phases = phases_of(rules, pattern.kind, pattern.width, addresses.data(), active);
  std::vector<uint32_t> origins, first_phase;
  phases.for_each(active, [&](LaneMask, LaneMask own) {
    for (const unsigned lane : own) origins.push_back(pattern.words[lane]);
    if (first_phase.empty()) first_phase = sorted(origins, turns);
  });
  Pattern least;
  std::vector<uint32_t> least_words;  // phase by phase
  for (const uint32_t origin : promising(std::move(origins), first_phase)) {
    Pattern form{pattern.weight, pattern.kind, pattern.width};
    LaneMask used;
    std::vector<uint32_t> form_words;
    phases.for_each(active, [&](LaneMask phase, LaneMask own) {
      std::vector<uint32_t> words;
      for (const unsigned lane : own) words.push_back(pattern.words[lane] ^ origin);
      auto place = phase.begin();  // its first lanes get the words
      for (const uint32_t word : sorted(std::move(words), turns)) {
        form.words[*place] = word;
        form_words.push_back(word);
        used.add(*place);
        ++place;
      }
    });
    form.mask = used.bits();
    if (least.mask != 0 && form_words >= least_words) continue;
    least = form;
    least_words = std::move(form_words);
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

bool count_from(Pattern& pattern, WordAddress start, ByteOffset end) {
  for (const unsigned lane : LaneMask(pattern.mask)) {
    uint32_t& word = pattern.words[lane];
    if (word < start.value) return false;
    word -= start.value;
    if (uint64_t{word} * 4 + std::max(4u, pattern.width) > end.value) return false;
  }
  return true;
}

bool fit_address_bits(PatternSet& set, unsigned least) {
  uint32_t highest = 0;
  for (const Pattern& pattern : set.patterns) {
    for (const unsigned lane : LaneMask(pattern.mask)) {
      highest = std::max(highest, pattern.words[lane] + std::max(4u, pattern.width) / 4 - 1);
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
  const LaneMask active(pattern.mask);
  const std::array<uint32_t, kMaxLanes> addresses = addresses_of(pattern);
  std::vector<std::vector<uint32_t>> all;
  phases_of(rules, pattern.kind, pattern.width, addresses.data(), active).for_each(active, [&](LaneMask, LaneMask own) {
    std::vector<uint32_t> words;
    for (const unsigned lane : own) {
      for_each_bank_word(rules, ByteOffset(addresses[lane]), pattern.width,
                         [&](uint32_t word) { words.push_back(word); });
    }
    all.push_back(sorted(std::move(words), lanes_take_turns(rules, pattern.kind)));
  });
  return all;
}

Cost cost(const Rules& rules, const Pattern& pattern, const BankHash& hash) {
  Cost cost;
  const uint32_t each = passes_each(rules, pattern.kind);
  for (const std::vector<uint32_t>& words : phases(rules, pattern)) {
    std::array<uint32_t, kMaxBanks> lanes{}, distinct{};
    std::array<uint32_t, kMaxPhaseWords> banks;
    banks_of(hash, words, banks.data());
    for (size_t k = 0; k < words.size(); ++k) {
      const uint32_t bank = banks[k];
      ++lanes[bank];
      if (k == 0 || words[k] != words[k - 1]) ++distinct[bank];
    }
    const uint32_t most = each * passes_of(rules, *std::max_element(lanes.begin(), lanes.end()));
    cost.wavefronts += most;
    cost.ideal += ideal_passes(rules, pattern.kind, pattern.width);
    if (lanes_take_turns(rules, pattern.kind)) {
      cost.position += most - each * passes_of(rules, *std::max_element(distinct.begin(), distinct.end()));
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
    const uint64_t weight = pattern.weight * passes_each(rules, pattern.kind);
    for (const std::vector<uint32_t>& words : phases(rules, pattern)) {
      if (words.front() == words.back()) {
        result.unavoidable += weight * (words.size() - 1);
      } else {
        weights[canonical(words)] += weight;
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
